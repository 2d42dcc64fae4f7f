//! What is read: files, all files of folders, all files of zip files and wheels.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rocm_binutils::File;

/// Files that are counted together.
pub struct Source {
    /// Its name in tables.
    pub name: String,
    pub paths: Vec<PathBuf>,
}

/// One source for each path.
pub fn named(paths: &[PathBuf]) -> Result<Vec<Source>, String> {
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut paths = Vec::new();
        collect(path, &mut paths)?;
        paths.sort();
        Ok(Source { name, paths })
    };
    paths.iter().map(source).collect()
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let error = |error| format!("{}: {error}", path.display());
    // Links to folders could go round in circles.
    let meta = fs::metadata(path).map_err(error)?;
    if !meta.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(error)? {
        let entry = entry.map_err(error)?;
        if entry.file_type().map_err(error)?.is_symlink() {
            continue;
        }
        collect(&entry.path(), found)?;
    }
    Ok(())
}

/// Calls `each` with the name and content of a file; of a zip file, of all that is in it.
pub fn open(path: &Path, mut each: impl FnMut(&str, &[u8])) -> Result<(), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    if !matches!(path.extension().and_then(OsStr::to_str), Some("whl" | "zip")) {
        each(&name, &file);
        return Ok(());
    }
    let error = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&file[..])).map_err(|e| error(&e))?;
    for index in 0..zip.len() {
        let mut member = zip.by_index(index).map_err(|e| error(&e))?;
        let member_name = member.name().map_err(|e| error(&e))?.into_owned();
        let mut content = Vec::new();
        member.read_to_end(&mut content).map_err(|e| error(&e))?;
        each(&format!("{name}/{member_name}"), &content);
    }
    Ok(())
}
