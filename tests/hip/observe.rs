//! What a run tells about itself: the timeline of `ROCRS_TRACE` and the log of `AMD_LOG_LEVEL`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use system_tests::{c_program, device_code, on_our_libraries, output, stdout};

/// A program that launches one kernel.
fn program(folder: &Path) -> Command {
    let object = folder.join("module.co");
    device_code("hip/module.hip", &["gfx90a"], &["--no-gpu-bundle-output"], &object);
    let probe = c_program("hip/probe.c", folder);
    let mut command = on_our_libraries(&probe, "emu:gfx90a");
    command.arg("load").arg(object);
    command
}

fn events(path: PathBuf) -> Vec<Value> {
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The slice of an event's track that is open at its time, and begins last.
fn slice_of<'a>(events: &'a [Value], arrow: &Value) -> &'a Value {
    let at = arrow["ts"].as_f64().unwrap();
    let open = |slice: &&Value| {
        let begin = slice["ts"].as_f64().unwrap();
        let end = begin + slice["dur"].as_f64().unwrap();
        slice["pid"] == arrow["pid"] && slice["tid"] == arrow["tid"] && begin <= at && at <= end
    };
    let slices = events.iter().filter(|event| event["ph"] == "X").filter(open);
    slices
        .max_by(|a, b| a["ts"].as_f64().unwrap().total_cmp(&b["ts"].as_f64().unwrap()))
        .expect("an arrow stands on a slice")
}

#[test]
fn a_trace_leads_from_the_call_to_the_signal() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    stdout(command.env("ROCRS_TRACE", folder.path().join("trace.json")));
    let events = events(folder.path().join("trace.json"));

    let processes: BTreeMap<u64, &str> = events
        .iter()
        .filter(|event| event["name"] == "process_name")
        .map(|event| (event["pid"].as_u64().unwrap(), event["args"]["name"].as_str().unwrap()))
        .collect();
    let mut arrow: Vec<_> = events.iter().filter(|event| event["cat"] == "launch").collect();
    arrow.sort_by(|a, b| a["ts"].as_f64().unwrap().total_cmp(&b["ts"].as_f64().unwrap()));
    assert_eq!(
        arrow.iter().map(|event| event["ph"].as_str().unwrap()).collect::<Vec<_>>(),
        ["s", "t", "t", "f"]
    );
    let steps: Vec<_> = arrow
        .iter()
        .map(|event| {
            let process = processes[&event["pid"].as_u64().unwrap()];
            (process.split(',').next().unwrap(), slice_of(&events, event)["name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("hip-rt · HIP runtime", "hipModuleLaunchKernel"),
            ("rocr-rs · HSA runtime", "packet 0: triple"),
            ("amdgpu-emu · gfx90a", "triple"),
            ("rocr-rs · HSA runtime", "completion signal"),
        ]
    );
    for name in ["CREATE_QUEUE", "hipMalloc", "copy", "codeobject.loaded"] {
        assert!(events.iter().any(|event| event["name"] == name), "no {name}");
    }
    let kernel = events.iter().find(|event| event["name"] == "triple").unwrap();
    assert_eq!(kernel["args"]["waves"], 1, "{kernel}");
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error_that_names_it_and_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    let output = output(command.env("ROCRS_TRACE", "/nonexistent/trace.json"));
    assert!(output.status.success(), "{}", output.status);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("/nonexistent/trace.json: No such file or directory"), "{said}");
}

#[test]
fn the_log_has_the_calls_with_what_they_returned() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    command.env("AMD_LOG_LEVEL", "3").env("AMD_LOG_LEVEL_FILE", folder.path().join("log.%p"));
    let output = output(&mut command);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("hipMalloc"), "the log went into the file");
    let file = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let file =
        file.into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == "log")).expect("a log");
    let log = std::fs::read_to_string(file).unwrap();
    let line =
        |of: &str| log.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("no {of} in\n{log}"));
    assert!(line("hipMalloc(").contains("size: 4) -> hipSuccess (0) in "), "{log}");
    assert!(line("hipModuleGetFunction(").contains("name: \"triple\""), "{log}");
    assert!(log.lines().all(|line| line.starts_with(":3:")), "{log}");
}

#[test]
fn level_zero_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let probe = c_program("hip/probe.c", folder.path());
    let mut command = on_our_libraries(&probe, "emu:gfx1");
    assert!(!output(command.arg("count")).stderr.is_empty());
    let said = output(command.env("AMD_LOG_LEVEL", "0")).stderr;
    assert!(said.is_empty(), "{}", String::from_utf8_lossy(&said));
}
