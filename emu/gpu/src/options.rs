//! What a user may choose of the emulated device, and the environment variables that say it.

use std::time::Duration;

use crate::chips::{self, Chip};

/// How the emulated device behaves where a real one is given by its hardware.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Host threads that run work-groups. `None`: one a core.
    pub threads: Option<usize>,
    /// How long a dispatch may run before it is stopped with an error. `None`: as long as it likes.
    pub timeout: Option<Duration>,
    /// Whether dispatches are counted, for [`crate::EmulatedGpu::take_dispatches`]. They are counted as well, though not
    /// kept, where somebody listens to the `story` events of `tracing`. Off, it costs nothing.
    pub counters: bool,
}

/// An environment variable that says something that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: `{text}` is no {expected}")]
pub struct BadOption {
    /// Its name.
    pub variable: &'static str,
    /// Its value.
    pub text: String,
    /// What was expected.
    pub expected: String,
}

impl Options {
    /// Number of threads.
    pub const THREADS: &'static str = "ROCRS_EMU_THREADS";
    /// Seconds that a dispatch may take, with a fraction if need be.
    pub const TIMEOUT: &'static str = "ROCRS_EMU_TIMEOUT_S";
    /// `1`: dispatches are counted.
    pub const COUNTERS: &'static str = "ROCRS_EMU_COUNTERS";

    /// Which GPUs a process has that meets the emulator through `libkfd_preload.so`: names of chips with commas between.
    pub const GPUS: &'static str = "ROCRS_EMU_GPUS";
    /// The folder that holds the files of the devices for such a process, made beforehand.
    pub const ROOT: &'static str = "ROCRS_EMU_ROOT";
    /// Where such a process writes a line for each ioctl: a file's name, or `1` for stderr.
    pub const TRACE_IOCTL: &'static str = "ROCRS_EMU_TRACE_IOCTL";

    /// The GPUs that [`Options::GPUS`] names; one of the first known chip if it is not set.
    pub fn gpus_from_env() -> Result<Vec<&'static Chip>, BadOption> {
        std::env::var_os(Options::GPUS)
            .map_or_else(|| Ok(chips::ALL[..1].to_vec()), |names| Options::gpus(&names.to_string_lossy()))
    }

    /// The GPUs of a list of names with commas between.
    pub fn gpus(names: &str) -> Result<Vec<&'static Chip>, BadOption> {
        let wrong = || BadOption {
            variable: Options::GPUS,
            text: names.to_owned(),
            expected: {
                let known: Vec<_> = chips::names().collect();
                format!("list of emulated chips ({}) with commas between", known.join(", "))
            },
        };
        names.split(',').map(|name| chips::by_name(name.trim()).ok_or_else(wrong)).collect()
    }

    /// The default options, changed by [`Options::THREADS`], [`Options::TIMEOUT`] and [`Options::COUNTERS`].
    pub fn from_env() -> Result<Options, BadOption> {
        Options::from_variables(|name| std::env::var_os(name).map(|text| text.to_string_lossy().into_owned()))
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Options, BadOption> {
        let read = |variable, expected: &'static str| {
            move |text: &String| BadOption { variable, text: text.clone(), expected: expected.to_owned() }
        };
        let threads = get(Options::THREADS).map(|text| {
            let count = text.trim().parse().ok().filter(|count| *count > 0);
            count.ok_or_else(|| read(Options::THREADS, "number of threads from 1 up")(&text))
        });
        let timeout = get(Options::TIMEOUT).map(|text| {
            let seconds = text.trim().parse().ok().filter(|seconds| *seconds > 0.0);
            let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            duration.ok_or_else(|| read(Options::TIMEOUT, "number of seconds above 0")(&text))
        });
        let counters = get(Options::COUNTERS).map(|text| match text.trim() {
            "" | "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(read(Options::COUNTERS, "0 or 1")(&text)),
        });
        Ok(Options {
            threads: threads.transpose()?,
            timeout: timeout.transpose()?,
            counters: counters.transpose()?.unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(variable: &'static str, text: &str) -> Result<Options, String> {
        Options::from_variables(|name| (name == variable).then(|| text.to_owned()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_of_gpus_names_those_there_are_where_one_is_not() {
        let chips = Options::gpus("gfx906, gfx950").unwrap();
        assert_eq!(chips.iter().map(|chip| chip.name).collect::<Vec<_>>(), ["gfx906", "gfx950"]);
        for text in ["", "gfx90a,", "gfx9"] {
            let error = Options::gpus(text).unwrap_err().to_string();
            assert!(chips::names().all(|name| error.contains(name)), "{error}");
        }
    }

    #[test]
    fn variables_are_read_or_refused() {
        assert_eq!(options("PATH", "/"), Ok(Options::default()));
        assert_eq!(options(Options::THREADS, " 3 ").map(|options| options.threads), Ok(Some(3)));
        for text in ["", "0", "-1", "many"] {
            let expected = format!("ROCRS_EMU_THREADS: `{text}` is no number of threads from 1 up");
            assert_eq!(options(Options::THREADS, text), Err(expected));
        }
        let timeout = Some(Duration::from_millis(1500));
        assert_eq!(options(Options::TIMEOUT, "1.5").map(|options| options.timeout), Ok(timeout));
        for text in ["", "0", "-1", "NaN", "inf", "1e300", "soon"] {
            let expected = format!("ROCRS_EMU_TIMEOUT_S: `{text}` is no number of seconds above 0");
            assert_eq!(options(Options::TIMEOUT, text), Err(expected));
        }
        for (text, on) in [("1", true), (" 1", true), ("0", false), ("", false)] {
            assert_eq!(options(Options::COUNTERS, text).map(|options| options.counters), Ok(on));
        }
        let expected = "ROCRS_EMU_COUNTERS: `yes` is no 0 or 1".to_owned();
        assert_eq!(options(Options::COUNTERS, "yes"), Err(expected));
    }
}
