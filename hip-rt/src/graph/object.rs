//! User objects: what a program ties to graphs, and what is destroyed when the last graph that holds it and the program
//! have let go.

use crate::error::Result;
use crate::ffi::{self, Kept};
use hip_sys::{hipError_t, hipHostNodeParams};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// One: its destructor, and how often it is held.
struct Object {
    destructor: Kept<hipHostNodeParams>,
    program: u64,
    graphs: u64,
}

/// All of them, by handle.
#[derive(Default)]
pub struct Objects {
    held: Mutex<BTreeMap<usize, Object>>,
}

/// Who holds an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The program.
    Program,
    /// A graph.
    Graph,
}

impl Object {
    fn count(&mut self, holder: Holder) -> &mut u64 {
        match holder {
            Holder::Program => &mut self.program,
            Holder::Graph => &mut self.graphs,
        }
    }
}

impl Objects {
    /// Enters an object that the program holds `count` times.
    pub fn add(&self, handle: usize, destructor: hipHostNodeParams, count: u32) {
        let object = Object { destructor: Kept::new(destructor), program: u64::from(count), graphs: 0 };
        self.held.lock().insert(handle, object);
    }

    /// Holds it `count` times more.
    pub fn retain(&self, handle: usize, holder: Holder, count: u32) -> Result {
        let mut held = self.held.lock();
        *held.get_mut(&handle).ok_or(hipError_t::INVALID_VALUE)?.count(holder) += u64::from(count);
        Ok(())
    }

    /// Lets go `count` times; the last destroys it.
    pub fn release(&self, handle: usize, holder: Holder, count: u32) -> Result {
        let mut held = self.held.lock();
        let object = held.get_mut(&handle).ok_or(hipError_t::INVALID_VALUE)?;
        let left = object.count(holder).checked_sub(u64::from(count)).ok_or(hipError_t::INVALID_VALUE)?;
        *object.count(holder) = left;
        let gone = object.program + object.graphs == 0;
        let destructor = if gone { held.remove(&handle).map(|object| object.destructor) } else { None };
        // Not under the lock: it is the program's.
        drop(held);
        if let Some(destructor) = destructor {
            ffi::call_host_node(&destructor);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} user objects", self.held.lock().len())
    }
}
