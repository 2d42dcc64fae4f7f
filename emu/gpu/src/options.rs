//! What a user may choose of the emulated device, and the environment variables that say it.

use std::time::Duration;

/// How the emulated device behaves where a real one is given by its hardware.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Host threads that run work-groups. `None`: one a core.
    pub threads: Option<usize>,
    /// How long a dispatch may run before it is stopped with an error. `None`: as long as it likes.
    pub timeout: Option<Duration>,
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
    pub expected: &'static str,
}

impl Options {
    /// Number of threads.
    pub const THREADS: &'static str = "ROCRS_EMU_THREADS";
    /// Seconds that a dispatch may take, with a fraction if need be.
    pub const TIMEOUT: &'static str = "ROCRS_EMU_TIMEOUT_S";

    /// The default options, changed by [`Options::THREADS`] and [`Options::TIMEOUT`].
    pub fn from_env() -> Result<Options, BadOption> {
        Options::from_variables(|name| std::env::var_os(name).map(|text| text.to_string_lossy().into_owned()))
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Options, BadOption> {
        let read =
            |variable, expected| move |text: &String| BadOption { variable, text: text.clone(), expected };
        let threads = get(Options::THREADS).map(|text| {
            let count = text.trim().parse().ok().filter(|count| *count > 0);
            count.ok_or_else(|| read(Options::THREADS, "number of threads from 1 up")(&text))
        });
        let timeout = get(Options::TIMEOUT).map(|text| {
            let seconds = text.trim().parse().ok().filter(|seconds| *seconds > 0.0);
            let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            duration.ok_or_else(|| read(Options::TIMEOUT, "number of seconds above 0")(&text))
        });
        Ok(Options { threads: threads.transpose()?, timeout: timeout.transpose()? })
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
    }
}
