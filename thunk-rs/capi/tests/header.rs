//! Our structs and values against the installed `<hsakmt.h>`, as clang reads it. Needs libclang and the header
//! (Debian: `apt-get install libclang1-19 libhsakmt-dev`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hsakmt::abi::{STRUCTS, status::STATUSES};

const HEADER: &str = "/usr/include/hsakmt.h";

/// Fields that C spells in a way that has no counterpart: struct, our field, field of the header, reason.
const RESPELT: &[(&str, &str, &str, &str)] = &[
    ("HsaNodeProperties", "integrated", "Reserved2", "a reserved byte before 6.0"),
    ("HsaNodeProperties", "num_xcc", "Reserved", "reserved bytes before 5.6"),
    ("HsaNodeProperties", "kfd_gpu_id", "", "reserved bytes before 5.7"),
    ("HsaNodeProperties", "family_id", "", "reserved bytes before 6.0"),
    ("HsaMemoryProperties", "size_in_bytes", "", "an unnamed union in C, which bindgen does not assert"),
    ("HsaPointerInfo", "mem_flags", "MemFlags", "a struct of one union in C"),
    ("HsaQueueResource", "queue_door_bell", "", "an unnamed union in C, which bindgen does not assert"),
    ("HsaQueueResource", "queue_wptr_value", "", "an unnamed union in C, which bindgen does not assert"),
    ("HsaQueueResource", "queue_rptr_value", "", "an unnamed union in C, which bindgen does not assert"),
    ("HsaAccessAttributeFailure", "bits", "", "a bit field"),
];

/// Structs of the header that no call of this library takes.
const LEFT_OUT: &[&str] = &[
    "HsaCComputeProperties",
    "HsaDeviceStateChange",
    "HsaNodeChange",
    "HsaQueueReport",
    "HsaDbgWaveMsgAMDGen2",
    "HsaCacheType",
    "HsaDbgWaveMessageAMD",
    "HsaMemFlags",
    "HsaMemMapFlags",
    "HsaCounterFlags",
    "HSA_UUID",
];

struct Header {
    sizes: BTreeMap<String, usize>,
    fields: BTreeMap<String, BTreeMap<String, usize>>,
}

fn header() -> Option<&'static Header> {
    static READ: OnceLock<Option<Header>> = OnceLock::new();
    READ.get_or_init(|| {
        if !Path::new(HEADER).exists() {
            eprintln!("SKIPPED: no {HEADER}: apt-get install libhsakmt-dev");
            return None;
        }
        Some(read())
    })
    .as_ref()
}

fn clang() -> bindgen::Builder {
    find_libclang();
    bindgen::Builder::default()
}

fn read() -> Header {
    let code =
        clang().header(HEADER).formatter(bindgen::Formatter::None).generate().expect("bindgen").to_string();
    // Typedefs of structs: the header calls the struct by another name.
    let mut names = BTreeMap::new();
    for part in code.split("pub type ").skip(1) {
        if let Some((name, rest)) = part.split_once(" = ")
            && let Some((of, _)) = rest.split_once(';')
        {
            names.insert(of.trim().to_owned(), name.trim().to_owned());
        }
    }
    let name_of = |raw: &str| names.get(raw).cloned().unwrap_or_else(|| raw.to_owned());
    let mut header = Header { sizes: BTreeMap::new(), fields: BTreeMap::new() };
    for (what, value) in assertions(&code) {
        if let Some(name) = what.strip_prefix("Size of ") {
            header.sizes.insert(name_of(name), value);
        } else if let Some((name, field)) =
            what.strip_prefix("Offset of field: ").and_then(|field| field.split_once("::"))
        {
            header.fields.entry(name_of(name)).or_default().insert(field.to_owned(), value);
        }
    }
    assert!(header.sizes.len() > 20, "bindgen's output is not as expected");
    header
}

/// bindgen's layout tests are `["what is asserted"][expression - 8usize];`.
fn assertions(code: &str) -> Vec<(&str, usize)> {
    code.split("[\"")
        .skip(1)
        .filter_map(|part| {
            let (what, rest) = part.split_once('"')?;
            let (expression, _) = rest.split_once("usize]")?;
            let digits = expression.rsplit(['-', ' ']).next()?;
            Some((what, digits.trim().parse().ok()?))
        })
        .collect()
}

/// bindgen finds libclang by `LIBCLANG_PATH`; Debian puts it where nobody looks by default.
fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return;
    }
    let has_libclang = |dir: &PathBuf| {
        std::fs::read_dir(dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name == "libclang.so" || (name.starts_with("libclang-") && name.contains(".so"))
            })
        })
    };
    let newest_first = (14..40).rev().map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/lib")));
    let elsewhere = ["/usr/lib64".into(), "/usr/lib/x86_64-linux-gnu".into()];
    match newest_first.chain(elsewhere).find(has_libclang) {
        Some(dir) => name_libclang(&dir),
        None => panic!("no libclang: apt-get install libclang1-19, or set LIBCLANG_PATH"),
    }
}

#[allow(unsafe_code, reason = "sets an environment variable, before libclang is loaded")]
fn name_libclang(dir: &Path) {
    // SAFETY: called under the `OnceLock` before bindgen runs; the tests of this file read no environment.
    unsafe { std::env::set_var("LIBCLANG_PATH", dir) };
}

/// One spelling for both: no case, no underscores, no `r#`.
fn plain(name: &str) -> String {
    name.trim_start_matches("r#").replace('_', "").to_lowercase()
}

#[test]
fn structs_are_laid_out_as_in_the_header() {
    let Some(header) = header() else { return };
    for layout in STRUCTS {
        let name = layout.c_name;
        let size = header.sizes.get(name).unwrap_or_else(|| panic!("{name} is not in the header"));
        assert_eq!(*size, layout.size, "size of {name}");
        let none = BTreeMap::new();
        let theirs = header.fields.get(name).unwrap_or(&none);
        let respelt = |ours: &str| {
            RESPELT
                .iter()
                .find(|(n, field, _, _)| *n == name && *field == ours)
                .map(|(_, _, theirs, _)| *theirs)
        };
        let mut seen = Vec::new();
        for field in layout.fields {
            let same = theirs.iter().find(|(their, _)| plain(their) == plain(field.name));
            match same.or_else(|| respelt(field.name).and_then(|their| theirs.get_key_value(their))) {
                Some((their, offset)) => {
                    assert_eq!(*offset, field.offset, "offset of {name}::{}", field.name);
                    seen.push(their.as_str());
                }
                None => {
                    assert_eq!(respelt(field.name), Some(""), "{name}::{} is not in the header", field.name)
                }
            }
        }
        for their in theirs.keys() {
            let bindgens = their.starts_with("_bitfield") || their.starts_with("__bindgen");
            assert!(bindgens || seen.contains(&their.as_str()), "{name}::{their} is missing here");
        }
    }
}

#[test]
fn every_struct_of_the_header_is_here() {
    let Some(header) = header() else { return };
    let structs = header.sizes.keys().filter(|name| name.starts_with("Hsa") && !name.contains("__bindgen"));
    for name in structs {
        let here = STRUCTS.iter().any(|layout| layout.c_name == name) || LEFT_OUT.contains(&name.as_str());
        assert!(here, "{name} is in the header, but not here");
    }
}

#[test]
fn statuses_are_those_of_the_header() {
    if header().is_none() {
        return;
    }
    let mut source = format!("#include \"{HEADER}\"\n");
    for (name, status) in STATUSES {
        source += &format!("_Static_assert(HSAKMT_STATUS_{name} == {}, \"{name}\");\n", status.0);
    }
    let checked = clang().header_contents("statuses.h", &source).generate();
    assert!(checked.is_ok(), "{:?}", checked.err());
}
