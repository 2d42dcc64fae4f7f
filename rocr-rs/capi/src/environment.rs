//! The environment variables of the vendor's runtime: what this library does about each. They are read when `hsa_init`
//! opens the runtime, and nowhere else.

/// What the environment asks for.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `HSA_TOOLS_LIB`: tools to load, see [`tools`](crate::tools).
    pub tools: String,
    /// `HSA_TOOLS_REPORT_LOAD_FAILURE`: whether to say of tools that cannot be loaded; `0` is no.
    pub report_tools: bool,
}

impl Environment {
    /// As it is now.
    pub fn read() -> Self {
        let text = |name: &str| std::env::var(name).unwrap_or_default();
        Self { tools: text("HSA_TOOLS_LIB"), report_tools: text("HSA_TOOLS_REPORT_LOAD_FAILURE") != "0" }
    }
}
