//! The opened device, shared by everything that came from it, and the one way to issue an ioctl.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kfd_sys::aperture::{
    AcquireVmArgs, CachePolicy, GetProcessAperturesNewArgs, ProcessDeviceApertures, SetMemoryPolicyArgs,
};
use kfd_sys::render::RenderCall;
use kfd_sys::version::{self, GetVersionArgs};
use kfd_sys::{Errno, Ioctl, Kfd, KfdExt as _};
use parking_lot::Mutex;

use crate::aperture::Apertures;
use crate::doorbell::DoorbellSlice;
use crate::event::EventPage;
use crate::gfx::{self, Traits};
use crate::topology::{Node, NodeId, Topology};
use crate::{Error, Result};

/// A GPU whose address space we hold.
pub(crate) struct Gpu {
    pub(crate) node: NodeId,
    pub(crate) gpu_id: u32,
    pub(crate) render_minor: u32,
    pub(crate) apertures: Apertures,
    /// None: a chip without a row in `gfx.rs`; it can have memory, but no queues.
    pub(crate) traits: Option<&'static Traits>,
}

pub(crate) struct Context {
    pub(crate) kfd: Arc<dyn Kfd>,
    pub(crate) version: (u32, u32),
    pub(crate) topology: Topology,
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) event_page: Mutex<Option<EventPage>>,
    pub(crate) doorbells: Mutex<HashMap<NodeId, DoorbellSlice>>,
    /// Buffer objects by render node and handle: how many hold one.
    pub(crate) buffers: Mutex<HashMap<(u32, u32), u32>>,
}

impl Context {
    pub(crate) fn open(kfd: Arc<dyn Kfd>) -> Result<Context> {
        let mut args = GetVersionArgs::default();
        call(&*kfd, &mut args, |a| format!("interface {}.{}", a.major_version, a.minor_version))?;
        let version = (args.major_version, args.minor_version);
        if version.0 != version::MAJOR {
            return Err(Error::Version { device: kfd.name(), major: version.0, minor: version.1 });
        }
        let topology = Topology::read(&*kfd)?;
        let gpus = acquire_gpus(&*kfd, &topology)?;
        Ok(Context {
            kfd,
            version,
            topology,
            gpus,
            event_page: Mutex::new(None),
            doorbells: Mutex::new(HashMap::new()),
            buffers: Mutex::new(HashMap::new()),
        })
    }

    pub(crate) fn gpu(&self, node: NodeId) -> Result<&Gpu> {
        self.gpus.iter().find(|gpu| gpu.node == node).ok_or(Error::NotAGpu(node))
    }

    pub(crate) fn gpu_of_id(&self, gpu_id: u32) -> Result<&Gpu> {
        let unknown = || Error::request("GPU", format!("no GPU of this device has the number {gpu_id:#x}"));
        self.gpus.iter().find(|gpu| gpu.gpu_id == gpu_id).ok_or_else(unknown)
    }

    pub(crate) fn node(&self, node: NodeId) -> Result<&Node> {
        self.topology.node(node).ok_or(Error::NotAGpu(node))
    }

    pub(crate) fn node_of_gpu_id(&self, gpu_id: u32) -> Option<NodeId> {
        self.gpus.iter().find(|gpu| gpu.gpu_id == gpu_id).map(|gpu| gpu.node)
    }

    /// Issues an ioctl. `detail` puts the argument into words, after the call.
    pub(crate) fn call<A: Ioctl>(&self, arg: &mut A, detail: impl Fn(&A) -> String) -> Result<()> {
        call(&*self.kfd, arg, detail)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // What is left belongs to the context itself. The kernel frees it with the last file descriptor in any case:
        // an error here has nobody to go to.
        for (_, slice) in self.doorbells.get_mut().drain() {
            let _ = slice.release(&*self.kfd);
        }
        if let Some(page) = self.event_page.get_mut().take() {
            let _ = page.release(&*self.kfd);
        }
    }
}

/// Issues an ioctl, again when a signal interrupts it, and tells the story.
pub(crate) fn call<A: Ioctl>(kfd: &dyn Kfd, arg: &mut A, detail: impl Fn(&A) -> String) -> Result<()> {
    issue(A::NAME, arg, |arg| kfd.call(arg), detail)
}

/// As [`call`], on a render node.
pub(crate) fn render_call<A: RenderCall>(
    kfd: &dyn Kfd,
    minor: u32,
    arg: &mut A,
    detail: impl Fn(&A) -> String,
) -> Result<()> {
    let call = |arg: &mut A| {
        // The bytes of the struct, and back.
        let mut bytes = vec![0; size_of::<A>()];
        kfd_sys::write_arg(arg, &mut bytes);
        let result = kfd.ioctl_on_render_node(minor, A::REQUEST, &mut bytes);
        *arg = kfd_sys::read_arg(&bytes);
        result
    };
    issue(A::NAME, arg, call, |arg| format!("renderD{minor}, {}", detail(arg)))
}

fn issue<A>(
    name: &'static str,
    arg: &mut A,
    call: impl Fn(&mut A) -> std::result::Result<(), Errno>,
    detail: impl Fn(&A) -> String,
) -> Result<()> {
    let begun = tracing::enabled!(target: "story", tracing::Level::INFO).then(Instant::now);
    let result = loop {
        match call(arg) {
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            result => break result,
        }
    };
    if let Some(begun) = begun {
        let said = match result {
            Ok(()) => "ok".to_owned(),
            Err(errno) => errno.to_string(),
        };
        let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        tracing::info!(target: "story", step = "ioctl", name, detail = detail(arg), result = said, nanos);
    }
    result.map_err(|errno| Error::Ioctl { name, detail: detail(arg), errno })
}

fn acquire_gpus(kfd: &dyn Kfd, topology: &Topology) -> Result<Vec<Gpu>> {
    // The render nodes first: KFD's answers about a GPU depend on none of this, but an unusable one is best known early.
    let mut opened = Vec::new();
    for node in topology.gpus() {
        let minor = node.properties.drm_render_minor;
        let fd = kfd
            .open_render_node(minor)
            .map_err(|errno| Error::Open { path: format!("/dev/dri/renderD{minor}"), errno })?;
        opened.push((node, minor, fd));
    }
    if opened.is_empty() {
        return Ok(Vec::new());
    }

    let mut windows = vec![ProcessDeviceApertures::default(); topology.nodes.len()];
    let mut args = GetProcessAperturesNewArgs {
        kfd_process_device_apertures_ptr: windows.as_mut_ptr() as u64,
        num_of_nodes: windows.len() as u32,
        pad: 0,
    };
    call(kfd, &mut args, |a| format!("{} GPUs", a.num_of_nodes))?;
    windows.truncate(args.num_of_nodes as usize);

    let mut gpus = Vec::new();
    for (node, minor, fd) in opened {
        let gpu_id = node.gpu_id;
        let window = windows.iter().find(|window| window.gpu_id == gpu_id).ok_or_else(|| {
            Error::request("GET_PROCESS_APERTURES_NEW", format!("no answer for gpu {gpu_id}"))
        })?;
        let apertures = Apertures::from(window);
        call(kfd, &mut AcquireVmArgs { drm_fd: fd as u32, gpu_id }, |_| {
            format!("gpu {gpu_id}, renderD{minor}")
        })?;
        let mut policy = SetMemoryPolicyArgs {
            alternate_aperture_base: apertures.gpuvm.start,
            alternate_aperture_size: apertures.gpuvm.len(),
            gpu_id,
            default_policy: CachePolicy::NONCOHERENT,
            alternate_policy: CachePolicy::COHERENT,
            misc_process_flag: 0,
        };
        call(kfd, &mut policy, |a| {
            format!("gpu {gpu_id}, default {:?}, alternate {:?}", a.default_policy, a.alternate_policy)
        })?;
        gpus.push(Gpu {
            node: node.id,
            gpu_id,
            render_minor: minor,
            apertures,
            traits: gfx::traits(node.properties.gfx_target_version),
        });
    }
    Ok(gpus)
}
