//! The environment variables of the vendor's runtime (its `flag.h`): what this one does about each.
//!
//! [`Environment::read`] is the one place that looks at them; a runtime does what the [`Environment`] in its
//! [`OpenOptions`](crate::OpenOptions) says, which by default is what it does when no variable is set. [`VARIABLES`] says
//! of each what it does or why it does nothing; `docs/hsa/environment.md` is the same for readers.

mod cu_mask;
mod variables;

pub use cu_mask::CuMasks;
pub use variables::VARIABLES;

use crate::{AgentKind, AgentProperties, EnginePolicy, Error};

/// What the environment asks a runtime for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// `ROCR_VISIBLE_DEVICES`: GPUs by index or UUID, in the order in which the program sees them.
    pub visible_devices: Option<String>,
    /// `HSA_OVERRIDE_GFX_VERSION`: `major.minor.stepping` that every GPU passes for.
    pub gfx_version: Option<String>,
    /// `HSA_XNACK`: whether memory accesses can be tried again.
    pub xnack: Option<bool>,
    /// `HSA_ENABLE_INTERRUPT`: whether waiters for the program's signals may sleep.
    pub interrupts: bool,
    /// `HSA_ENABLE_SDMA`: whether SDMA engines copy. `0` is never, `1` wherever memory of a GPU is concerned.
    pub engines: EnginePolicy,
    /// `HSA_MAX_QUEUES`: most queues that an agent says it has.
    pub max_queues: Option<u32>,
    /// `HSA_CU_MASK`: the compute units of each GPU that queues may use.
    pub cu_mask: String,
    /// `HSA_CU_MASK_SKIP_INIT`: `HSA_CU_MASK` counts only for queues that set a mask of their own.
    pub cu_mask_skip_init: bool,
    /// `HSA_ENABLE_VM_FAULT_MESSAGE`: whether memory faults are told on stderr.
    pub tell_faults: bool,
    /// `HSA_ENABLE_QUEUE_FAULT_MESSAGE`: whether errors of queues that have no callback are told on stderr.
    pub tell_queue_errors: bool,
    /// `HSA_RUNNING_UNDER_VALGRIND`: tools stay loaded.
    pub valgrind: bool,
    /// `HSA_TOOLS_LIB`: shared libraries that may change the C functions.
    pub tools: String,
    /// `HSA_TOOLS_REPORT_LOAD_FAILURE`: whether to say of tools that cannot be loaded.
    pub report_tools: bool,
}

impl Default for Environment {
    /// No variable is set.
    fn default() -> Self {
        Self::read_with(|_| None)
    }
}

impl Environment {
    /// What the process's environment says now.
    pub fn read() -> Self {
        Self::read_with(|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()))
    }

    /// What variables say that `get` gives.
    pub fn read_with(get: impl Fn(&str) -> Option<String>) -> Self {
        let is = |name: &str, value: &str| get(name).as_deref() == Some(value);
        let choice = |name: &str| match get(name).as_deref() {
            Some("0") => Some(false),
            Some("1") => Some(true),
            _ => None,
        };
        Self {
            visible_devices: get("ROCR_VISIBLE_DEVICES"),
            gfx_version: get("HSA_OVERRIDE_GFX_VERSION"),
            xnack: choice("HSA_XNACK"),
            interrupts: !is("HSA_ENABLE_INTERRUPT", "0"),
            engines: match choice("HSA_ENABLE_SDMA") {
                Some(false) => EnginePolicy::Never,
                Some(true) => EnginePolicy::Always,
                None => EnginePolicy::WhereBetter,
            },
            max_queues: get("HSA_MAX_QUEUES")
                .and_then(|text| text.trim().parse().ok())
                .filter(|max| *max != 0),
            cu_mask: get("HSA_CU_MASK").unwrap_or_default(),
            cu_mask_skip_init: is("HSA_CU_MASK_SKIP_INIT", "1"),
            tell_faults: !is("HSA_ENABLE_VM_FAULT_MESSAGE", "0"),
            tell_queue_errors: !is("HSA_ENABLE_QUEUE_FAULT_MESSAGE", "0"),
            valgrind: is("HSA_RUNNING_UNDER_VALGRIND", "1"),
            tools: get("HSA_TOOLS_LIB").unwrap_or_default(),
            report_tools: !is("HSA_TOOLS_REPORT_LOAD_FAILURE", "0"),
        }
    }

    /// `HSA_OVERRIDE_GFX_VERSION` as numbers; [`Error::Environment`] when it is none.
    pub(crate) fn gfx_override(&self) -> Result<Option<[u32; 3]>, Error> {
        let Some(text) = &self.gfx_version else { return Ok(None) };
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some([major @ ..=63, minor @ ..=255, stepping @ ..=255]) => Ok(Some([*major, *minor, *stepping])),
            _ => Err(Error::Environment {
                name: "HSA_OVERRIDE_GFX_VERSION",
                value: text.clone(),
                why: "is not major.minor.stepping, as in 9.0.10",
            }),
        }
    }

    /// The agents that the program may see, in its order: hosts, then the GPUs that `ROCR_VISIBLE_DEVICES` names up to the
    /// first that does not exist or was named before.
    pub(crate) fn visible(&self, agents: Vec<AgentProperties>) -> Vec<AgentProperties> {
        let Some(list) = &self.visible_devices else { return agents };
        let (gpus, mut chosen): (Vec<_>, Vec<_>) =
            agents.into_iter().partition(|agent| agent.kind == AgentKind::Gpu);
        for item in list.split(',').map(str::trim) {
            let found = match item.parse::<usize>() {
                Ok(index) => gpus.get(index),
                Err(_) => gpus.iter().find(|gpu| gpu.uuid.eq_ignore_ascii_case(item)),
            };
            match found {
                Some(gpu) if chosen.iter().all(|other| other.node_id != gpu.node_id) => {
                    chosen.push(gpu.clone());
                }
                _ => break,
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::tests::properties;

    #[test]
    fn only_the_values_that_the_vendor_knows_count() {
        let read = |pairs: &'static [(&str, &str)]| {
            Environment::read_with(|name| Some(pairs.iter().find(|(key, _)| *key == name)?.1.to_owned()))
        };
        let none = Environment::default();
        assert!(none.interrupts && none.tell_faults && none.report_tools && none.xnack.is_none());
        assert_eq!(
            read(&[("HSA_ENABLE_INTERRUPT", ""), ("HSA_XNACK", "yes"), ("HSA_MAX_QUEUES", "0")]),
            none
        );
        let some = read(&[("HSA_ENABLE_INTERRUPT", "0"), ("HSA_XNACK", "1"), ("HSA_MAX_QUEUES", "7")]);
        assert_eq!((some.interrupts, some.xnack, some.max_queues), (false, Some(true), Some(7)));
        assert_eq!(read(&[("HSA_OVERRIDE_GFX_VERSION", "9.0.10")]).gfx_override().unwrap(), Some([9, 0, 10]));
        for wrong in ["", "9.0", "9.0.10.1", "64.0.0", "9.0.x", "9.0.256"] {
            let environment = Environment { gfx_version: Some(wrong.into()), ..Environment::default() };
            let error = environment.gfx_override().unwrap_err().to_string();
            assert!(error.contains(&format!("HSA_OVERRIDE_GFX_VERSION={wrong}")), "{error}");
        }
    }

    #[test]
    fn lists_of_devices_end_at_the_first_that_is_not_there() {
        let gpus = || {
            let mut all = vec![AgentProperties { node_id: 0, ..AgentProperties::none() }];
            for (index, uuid) in ["GPU-aa", "GPU-bb", "GPU-cc"].into_iter().enumerate() {
                let node_id = index as u32 + 1;
                all.push(AgentProperties { node_id, uuid: uuid.into(), ..properties("gfx90a", 8, 1, 1) });
            }
            all[0].kind = AgentKind::Cpu;
            all
        };
        let seen = |list: &str| -> Vec<u32> {
            let environment = Environment { visible_devices: Some(list.into()), ..Environment::default() };
            environment.visible(gpus()).iter().map(|agent| agent.node_id).collect()
        };
        assert_eq!(seen(""), [0]);
        assert_eq!(seen("2,0"), [0, 3, 1]);
        assert_eq!(seen("gpu-bb, 0"), [0, 2, 1]);
        assert_eq!(seen("1,1,2"), [0, 2]);
        assert_eq!(seen("1,9,2"), [0, 2]);
        assert_eq!(seen("-1"), [0]);
    }
}
