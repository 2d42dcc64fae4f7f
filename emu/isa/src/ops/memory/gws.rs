//! Global wave sync, from the side of the waves. MI200 ISA, `DS_GWS_*`: one action a wave, on the resource that `M0` and the
//! offset name, with the operand of the first active lane.

use super::memory_op;
use crate::{Flow, Group, GwsAction, Inst, Moves, Refusal, Wave};

/// Does what `action` makes of the operand; the wave stays where it is while it has to wait.
fn act(w: &mut Wave, g: &Group<'_>, i: &Inst, action: fn(u32) -> GwsAction) -> Flow {
    let exec = w.exec();
    if exec == 0 {
        return Flow::Next;
    }
    let Some(gws) = g.io.global_wave_sync() else {
        return crate::ops::refuse(w, i, Refusal::GlobalWaveSync);
    };
    let lane = exec.trailing_zeros() as usize & 63;
    // Where an instruction has no operand its action takes none.
    let operand = w.v[i.mem.addr.row()].0[lane];
    let resource = (w.m0() >> 16 & 63).wrapping_add(i.mem.offset as u32);
    if gws.act(resource, action(operand), &mut w.gws) { Flow::Next } else { Flow::Again }
}

macro_rules! gws_ops {
    ($($name:ident $text:literal $doc:literal [$traits:ident] = $action:expr;)*) => {$(
        memory_op! {
            #[doc = $doc]
            $name $text, None [$traits] <- () moves (Moves::NOTHING),
            |w, g, i| act(w, g, i, $action), |w, g, i| act(w, g, i, $action)
        }
    )*};
}

gws_ops! {
    DS_GWS_SEMA_RELEASE_ALL "ds_gws_sema_release_all" "Lets all waves pass that wait at a semaphore." [GDS_NO_ADDRESS] = |_| GwsAction::SemaphoreReleaseAll;
    DS_GWS_INIT "ds_gws_init" "Sets the counter of a resource." [GDS] = GwsAction::Init;
    DS_GWS_SEMA_V "ds_gws_sema_v" "Lets one more wave pass a semaphore." [GDS_NO_ADDRESS] = |_| GwsAction::SemaphoreRelease;
    DS_GWS_SEMA_BR "ds_gws_sema_br" "Lets so many more waves pass a semaphore." [GDS] = GwsAction::SemaphoreBulkRelease;
    DS_GWS_SEMA_P "ds_gws_sema_p" "Waits at a semaphore." [GDS_NO_ADDRESS] = |_| GwsAction::SemaphoreAcquire;
    DS_GWS_BARRIER "ds_gws_barrier" "Waits until as many waves have come as the resource was set to, less one." [GDS] = GwsAction::Barrier;
}
