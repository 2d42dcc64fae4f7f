//! The environment variables of the vendor's runtime: what this library does about each. They are read when `hsa_init`
//! opens the runtime, and nowhere else.

use rocr_rs::EnginePolicy;

/// What the environment asks for.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `HSA_TOOLS_LIB`: tools to load, see [`tools`](crate::tools).
    pub tools: String,
    /// `HSA_TOOLS_REPORT_LOAD_FAILURE`: whether to say of tools that cannot be loaded; `0` is no.
    pub report_tools: bool,
    /// `HSA_ENABLE_SDMA`: whether SDMA engines copy. `0` is never, `1` wherever memory of a GPU is concerned.
    pub engines: EnginePolicy,
}

impl Environment {
    /// As it is now.
    pub fn read() -> Self {
        let text = |name: &str| std::env::var(name).unwrap_or_default();
        Self {
            tools: text("HSA_TOOLS_LIB"),
            report_tools: text("HSA_TOOLS_REPORT_LOAD_FAILURE") != "0",
            engines: match text("HSA_ENABLE_SDMA").as_str() {
                "0" => EnginePolicy::Never,
                "1" => EnginePolicy::Always,
                _ => EnginePolicy::WhereBetter,
            },
        }
    }
}
