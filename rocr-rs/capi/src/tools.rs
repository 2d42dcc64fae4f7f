//! Tools: shared libraries that `HSA_TOOLS_LIB` names, which may put functions of their own into the tables
//! (`hsa_api_trace.h`).
//!
//! `hsa_init` loads each and calls its `OnLoad` with the tables, the major version of the root and the names of the tools
//! whose `OnLoad` returned `false` so far; `hsa_shut_down` calls each `OnUnload`, last loaded first, takes the tables back,
//! and closes the libraries when the runtime is gone. The entry points for tools that subclass the vendor's C++ objects
//! (`WrapAgent`, `AddAgent`) are not called.

use std::ffi::CString;

use crate::api_table::MAJOR;
use crate::ffi::Library;
use crate::state::{state, tell};

/// Loads the tools that a list names; says of what cannot be loaded when `report` is set.
pub fn load(list: &str, report: bool) -> Vec<Library> {
    let mut loaded = Vec::new();
    let mut failed = Vec::new();
    for name in names(list) {
        // No file has such a name.
        let Ok(path) = CString::new(name.clone()) else { continue };
        match Library::open(&path) {
            Ok(library) => {
                if library.on_load(&state().tables.root, MAJOR.into(), &failed) {
                    loaded.push(library);
                } else {
                    if report {
                        tell(format_args!(
                            "the tool {name} of HSA_TOOLS_LIB does not want to run: OnLoad returned false"
                        ));
                    }
                    library.close();
                    failed.push(path);
                }
            }
            Err(why) if report => tell(format_args!("a tool of HSA_TOOLS_LIB cannot be loaded: {why}")),
            Err(_) => {}
        }
    }
    loaded
}

/// Tells the tools that they end. Their code stays until [`close`], since handlers of theirs may still run.
pub fn unload(tools: &[Library]) {
    for library in tools.iter().rev() {
        library.on_unload();
    }
}

/// Lets their code go, unless it is to stay for who looks at the process later.
pub fn close(tools: Vec<Library>, stay: bool) {
    for library in tools.into_iter().filter(|_| !stay) {
        library.close();
    }
}

/// The names in a list: spaces stand between them, double quotes keep spaces in a name, and a backslash the character
/// after it.
fn names(list: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut quoted = false;
    let mut characters = list.chars();
    while let Some(character) = characters.next() {
        let name = names.len() - 1;
        match character {
            '\\' => names[name].extend(characters.next()),
            '"' => quoted = !quoted,
            ' ' if !quoted => names.push(String::new()),
            other => names[name].push(other),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn lists_are_split_at_spaces_outside_of_quotes() {
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names("a.so  /b/c.so "), ["a.so", "/b/c.so"]);
        assert_eq!(names(r#""/with space/a.so" b\ c.so \"d"#), ["/with space/a.so", "b c.so", "\"d"]);
        assert_eq!(names("\\"), [""; 0]);
    }
}
