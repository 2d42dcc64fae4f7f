//! A client in another language: hip-python, AMD's bindings of HIP 6 and 7 for Python, on our libraries.

use std::env;
use std::process::Command;
use system_tests::{device_code, dist, root, stdout};

#[test]
#[ignore = "set ROCRS_HIP_PYTHON to virtual environments, with `:` between them, that have the wheel hip-python 6 or later"]
fn hip_python_runs_on_our_libraries() {
    let environments = env::var_os("ROCRS_HIP_PYTHON").expect("ROCRS_HIP_PYTHON names a virtual environment");
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join("scale.co");
    device_code("hip/scale.hip", &["gfx90a"], &["--no-gpu-bundle-output"], &code);
    for environment in env::split_paths(&environments) {
        let python = environment.join("bin/python");
        let version = "from hip import HIP_VERSION_TUPLE; print(HIP_VERSION_TUPLE[0])";
        let major = stdout(Command::new(&python).args(["-c", version]));
        // The wheel opens the name without a version.
        let libraries = dist().join("..").join(format!("hip{}", major.trim()));
        let mut client = Command::new(&python);
        client.arg(root().join("tests/hip/client.py")).arg(major.trim()).arg(&code);
        client.env("LD_LIBRARY_PATH", &libraries).env("ROCRS_DEVICE", "emu:gfx90a");
        let said = stdout(client.env("ROCRS_HIPRTC_CACHE", folder.path().join("cache")));
        assert_eq!(said, "hip-python: all as it should be\n", "{}", environment.display());
    }
}
