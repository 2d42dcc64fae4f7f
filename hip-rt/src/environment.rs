//! The environment variables of this library, read once. Those of the HSA runtime are in `rocr_rs::Environment`; what each
//! does is told in `docs/hip/environment.md`.

use std::env;

/// What they say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `HIP_LAUNCH_BLOCKING`: a call that puts work into a stream returns when the work is done.
    pub launch_blocking: bool,
    /// `GPU_MAX_HW_QUEUES`: hardware queues of a device, which its streams share.
    pub hardware_queues: Option<usize>,
    /// `AMD_LOG_LEVEL`
    pub log_level: Option<u32>,
    /// `AMD_LOG_LEVEL_FILE`
    pub log_file: Option<String>,
    /// `ROCRS_TRACE`
    pub trace: Option<String>,
    /// `ROCRS_EXPLAIN`
    pub explain: bool,
    /// `ROCRS_EMU_COUNTERS`
    pub counters: bool,
}

/// Most hardware queues of a device.
const MOST_QUEUES: usize = 32;

impl Environment {
    /// Those of the process.
    pub fn read() -> Self {
        Self::of(|name| env::var(name).ok())
    }

    /// `HIP_VISIBLE_DEVICES`, or `CUDA_VISIBLE_DEVICES`: read when the devices are opened, so that a program can set it
    /// before its first call.
    pub fn visible_devices() -> Option<String> {
        Self::visible_devices_of(|name| env::var(name).ok())
    }

    // Empty is a list too: of no device.
    fn visible_devices_of(get: impl Fn(&str) -> Option<String>) -> Option<String> {
        get("HIP_VISIBLE_DEVICES").or_else(|| get("CUDA_VISIBLE_DEVICES"))
    }

    fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name| get(name).filter(|text| !text.trim().is_empty());
        let number = |name| text(name).and_then(|text| text.trim().parse::<u32>().ok());
        let set = |name| get(name).is_some_and(|value| !matches!(value.trim(), "" | "0"));
        Self {
            launch_blocking: set("HIP_LAUNCH_BLOCKING"),
            hardware_queues: number("GPU_MAX_HW_QUEUES").map(|count| (count as usize).clamp(1, MOST_QUEUES)),
            log_level: number("AMD_LOG_LEVEL"),
            log_file: text("AMD_LOG_LEVEL_FILE"),
            trace: text("ROCRS_TRACE"),
            explain: set("ROCRS_EXPLAIN"),
            counters: set("ROCRS_EMU_COUNTERS"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned())
    }

    fn of(variables: &[(&str, &str)]) -> Environment {
        Environment::of(lookup(variables))
    }

    #[test]
    fn nothing_is_set_by_nothing() {
        assert_eq!(of(&[]), Environment::default());
        let empty = of(&[("HIP_LAUNCH_BLOCKING", "0"), ("ROCRS_TRACE", ""), ("AMD_LOG_LEVEL", "x")]);
        assert_eq!(empty, Environment::default());
    }

    #[test]
    fn each_is_read() {
        let all = of(&[
            ("HIP_LAUNCH_BLOCKING", "1"),
            ("GPU_MAX_HW_QUEUES", "0"),
            ("AMD_LOG_LEVEL", " 3 "),
            ("AMD_LOG_LEVEL_FILE", "log"),
            ("ROCRS_TRACE", "t.json"),
            ("ROCRS_EXPLAIN", "1"),
            ("ROCRS_EMU_COUNTERS", "yes"),
        ]);
        let expected = Environment {
            launch_blocking: true,
            hardware_queues: Some(1),
            log_level: Some(3),
            log_file: Some("log".to_owned()),
            trace: Some("t.json".to_owned()),
            explain: true,
            counters: true,
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn hip_devices_come_before_cuda_devices() {
        let both = [("HIP_VISIBLE_DEVICES", ""), ("CUDA_VISIBLE_DEVICES", "1")];
        let visible = |variables| Environment::visible_devices_of(lookup(variables));
        assert_eq!(visible(&both).as_deref(), Some(""));
        assert_eq!(visible(&both[1..]).as_deref(), Some("1"));
        assert_eq!(visible(&[]), None);
    }
}
