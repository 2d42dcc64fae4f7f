//! Where things are: the root of the workspace, the target folder, and small helpers on files.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The root of the workspace: the parent of the folder that cargo names when it runs this program, or the nearest
/// folder above the current one that holds `Cargo.lock`.
pub fn root() -> PathBuf {
    if let Some(manifest) = env::var_os("CARGO_MANIFEST_DIR")
        && let Some(parent) = Path::new(&manifest).parent()
    {
        return parent.to_path_buf();
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors().find(|dir| dir.join("Cargo.lock").exists()).unwrap_or(&here).to_path_buf()
}

/// The target folder.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The cargo that runs us.
pub fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// Makes a folder with its parents.
pub fn make_dir(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::at(path))
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::at(path))
}

/// Writes a file, unless it holds just that already.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(Error::at(path))
}

/// Makes `link` point at `to`, replacing a link that points elsewhere.
pub fn link(to: &Path, link: &Path) -> Result<(), Error> {
    if fs::read_link(link).is_ok_and(|old| old == to) {
        return Ok(());
    }
    let _ = fs::remove_file(link);
    match symlink(to, link) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map_err(Error::at(link)),
    }
}

/// The files of a folder with one of the extensions, sorted.
pub fn files(dir: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::at(dir))? {
        let path = entry.map_err(Error::at(dir))?.path();
        if extension(&path).is_some_and(|e| extensions.contains(&e)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A path's extension.
pub fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|e| e.to_str())
}

/// A path's name without extension, for messages and for names of outputs.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// A path as seen from the root of the workspace, for messages.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A short key for the contents of all parts together.
pub fn key<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    format!("{:016x}", hasher.finish())
}
