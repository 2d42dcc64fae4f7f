//! Host memory that the program locked (`hsa_amd_memory_lock`), by the address that it knows and by the one that agents have
//! been given for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use rocr_rs::LockedMemory;

/// A locked range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockedRange {
    /// First byte for the host.
    pub host: u64,
    /// First byte for agents.
    pub agent: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What is locked now.
#[derive(Default)]
pub struct Locks {
    ranges: RwLock<Ranges>,
}

#[derive(Default)]
struct Ranges {
    /// By host address; the same may be locked many times.
    by_host: BTreeMap<u64, Vec<Arc<LockedMemory>>>,
    /// Of those whose addresses differ: by agent address, the host's and bytes.
    by_agent: BTreeMap<u64, (u64, u64)>,
}

impl Locks {
    /// Locks a range by `lock`, or once more if it is locked already. Gives the agents' address.
    pub fn add<E>(
        &self,
        host: u64,
        bytes: u64,
        lock: impl FnOnce() -> Result<LockedMemory, E>,
    ) -> Result<u64, E> {
        let mut ranges = self.ranges.write();
        let present = ranges.by_host.get(&host).into_iter().flatten();
        let locked = match present.rev().find(|locked| locked.size() as u64 == bytes) {
            Some(locked) => locked.clone(),
            None => Arc::new(lock()?),
        };
        let agent = locked.agent_va();
        ranges.by_host.entry(host).or_default().push(locked);
        if agent != host {
            ranges.by_agent.insert(agent, (host, bytes));
        }
        Ok(agent)
    }

    /// Takes the last lock of an address away. False if there is none.
    pub fn remove(&self, host: u64) -> bool {
        let gone;
        {
            let mut ranges = self.ranges.write();
            let Some(of_address) = ranges.by_host.get_mut(&host) else { return false };
            gone = of_address.pop();
            if of_address.is_empty() {
                ranges.by_host.remove(&host);
            }
            let last = gone.as_ref().filter(|locked| Arc::strong_count(locked) == 1);
            if let Some(agent) = last.map(|locked| locked.agent_va()) {
                ranges.by_agent.remove(&agent);
            }
        }
        gone.is_some()
    }

    /// The host's address of an agents' one; others are what they are.
    pub fn host_of(&self, address: u64) -> u64 {
        let ranges = self.ranges.read();
        match ranges.by_agent.range(..=address).next_back() {
            Some((agent, (host, bytes))) if address - agent < *bytes => host + (address - agent),
            _ => address,
        }
    }

    /// The locked range that an address of the host or of agents lies in, as it was asked for.
    pub fn at(&self, address: u64) -> Option<LockedRange> {
        let host = self.host_of(address);
        let ranges = self.ranges.read();
        // The nearest base below may be that of a range within another.
        ranges.by_host.range(..=host).rev().find_map(|(base, locked)| {
            let locked = locked.iter().max_by_key(|locked| locked.size())?;
            let bytes = locked.size() as u64;
            (host - base < bytes).then(|| LockedRange { host: *base, agent: locked.agent_va(), bytes })
        })
    }
}
