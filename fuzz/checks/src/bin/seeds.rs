//! Writes the seeds into a folder: `seeds FOLDER` makes `FOLDER/TARGET/NAME`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("seeds: say where: seeds FOLDER");
        return ExitCode::from(2);
    };
    for (target, name, data) in parser_checks::seeds::all() {
        let path = folder.join(target).join(name);
        let written = std::fs::create_dir_all(folder.join(target)).and_then(|()| std::fs::write(&path, data));
        if let Err(error) = written {
            eprintln!("seeds: {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
