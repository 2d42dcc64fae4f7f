//! `amd-codeobj metadata`: the metadata note as YAML.

use std::process::ExitCode;

use super::args::Metadata;
use super::objects::each;
use crate::{Error, Output};

pub(super) fn run(args: &Metadata) -> Result<ExitCode, Error> {
    let mut out = Output::default();
    let code = each(&args.pick, &mut out, |object, out| {
        let yaml = object.code.metadata_yaml().map_err(|error| object.error(error))?;
        out.bytes(yaml.as_bytes())
    })?;
    out.flush()?;
    Ok(code)
}
