//! Truncated and damaged code objects and bundles, through `hipModuleLoad` and `hipModuleLoadData`.

use std::fs;
use std::path::{Path, PathBuf};

use system_tests::{c_program, device_code, on_our_libraries, output};

const GOOD: &str = "0 0";

/// A code object, a bundle and a compressed bundle, all good.
fn images(folder: &Path) -> Vec<PathBuf> {
    let object = folder.join("object.co");
    device_code("hip/module.hip", &["gfx90a"], &["--no-gpu-bundle-output"], &object);
    let bundle = folder.join("bundle.hipfb");
    device_code("hip/module.hip", &["gfx90a", "gfx942"], &["--gpu-bundle-output"], &bundle);
    let compressed = folder.join("compressed.hipfb");
    device_code(
        "hip/module.hip",
        &["gfx90a", "gfx942"],
        &["--gpu-bundle-output", "--offload-compress"],
        &compressed,
    );
    vec![object, bundle, compressed]
}

/// Runs the probe over files: one line a file, and an exit status of 0 however bad they were.
fn probe(how: &str, files: &[PathBuf], folder: &Path) -> Vec<String> {
    let program = c_program("hip/probe.c", folder);
    let output = output(on_our_libraries(&program, "emu:gfx90a").arg(how).args(files));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let stopped_at = files.get(lines.len()).map(|file| file.display().to_string());
    assert!(
        output.status.success(),
        "the process ended with {} at {stopped_at:?}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(lines.len(), files.len());
    lines
}

#[test]
fn good_images_load_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let images = images(folder.path());
    for how in ["load", "data"] {
        for (image, line) in images.iter().zip(probe(how, &images, folder.path())) {
            assert_eq!(line, GOOD, "{how} {}", image.display());
        }
    }
}

#[test]
fn truncated_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (k, image) in images(folder.path()).iter().enumerate() {
        let bytes = fs::read(image).unwrap();
        // What ends an ELF file are section headers, which a loader does without, and what ends the bundle is for
        // another GPU: up to the middle every cut is fatal.
        let most = bytes.len() / 2;
        let cuts: Vec<usize> = (0..64).chain((64..most).step_by(most / 48)).collect();
        let files: Vec<PathBuf> = cuts
            .iter()
            .map(|cut| {
                let file = folder.path().join(format!("cut-{k}-{cut}"));
                fs::write(&file, &bytes[..*cut]).unwrap();
                file
            })
            .collect();
        for (cut, line) in cuts.iter().zip(probe("load", &files, folder.path())) {
            assert!(!line.starts_with("0 "), "{} cut at {cut} was taken for good", image.display());
        }
    }
}

#[test]
fn damaged_images_do_not_kill_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut images = images(folder.path());
    // Compressed data fails its checksum; damage to the other two goes deeper.
    images.truncate(2);
    for (k, image) in images.iter().enumerate() {
        let bytes = fs::read(image).unwrap();
        let mut files = Vec::new();
        for (n, at) in (0..bytes.len().min(0x2000)).step_by(37).enumerate() {
            let mut damaged = bytes.clone();
            damaged[at] ^= [0xff, 0x80, 0x01][n % 3];
            let file = folder.path().join(format!("damaged-{k}-{at:x}"));
            fs::write(&file, damaged).unwrap();
            files.push(file);
        }
        // Last of all, the good one still loads and runs in the same process.
        files.push(image.clone());
        let lines = probe("data", &files, folder.path());
        assert_eq!(lines.last().map(String::as_str), Some(GOOD), "{} after damaged ones", image.display());
    }
}
