//! The tool `amd-codeobj`, as people and scripts call it: each subcommand on each kind of file, the shapes of its JSON, its
//! errors and exit statuses.

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{FILES, codeobj, folder, good, llvm};
use serde_json::{Value, json};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read_json(words: &[&str]) -> Vec<Value> {
    match serde_json::from_str(&good(words)).unwrap() {
        Value::Array(items) => items,
        other => panic!("{other} is no array"),
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn inspect_describes_a_code_object() {
    let code = text(&FILES.code);
    let page = good(&["inspect", code, "--hidden"]);
    assert!(page.starts_with(&format!("{code}\n  code object v5 for gfx90a, shared, ")), "{page}");
    for line in [
        "ADDRESS",
        "  saxpy(float, float const*, float*, int)\n    name      _Z5saxpyfPKfPfi\n    registers ",
        "    memory    1024 bytes of LDS a work-group, 0 bytes of scratch a work-item\n",
        "    launch    waves of 64 lanes, work-groups of at most 256 work-items\n",
        "    occupancy 8 of 8 waves on a SIMD\n",
        "    arguments 28 bytes aligned to 8\n              OFFSET  SIZE  KIND                    TYPE  NAME\n",
        "                   8     8  global_buffer (global)\n",
        "hidden_group_size_x",
    ] {
        assert!(page.contains(line), "{line:?} is not in\n{page}");
    }
    let page = good(&["inspect", code]);
    assert!(!page.contains("hidden_group_size_x"), "{page}");
    assert!(page.contains(" hidden from offset 8 (--hidden lists them)\n"), "{page}");
    let page = good(&["inspect", code, "--kernel", "sum("]);
    assert!(page.contains("  sum(int*)\n") && !page.contains("saxpy"), "{page}");
}

#[test]
fn inspect_as_json() {
    let objects = read_json(&["inspect", "--json", text(&FILES.code)]);
    let [object] = &objects[..] else { panic!("{objects:?}") };
    assert_eq!(
        keys(object),
        [
            "bundle",
            "error",
            "file",
            "flags",
            "generic_version",
            "id",
            "kernels",
            "kind",
            "load_base",
            "load_size",
            "member",
            "section",
            "segments",
            "size",
            "target",
            "type",
            "version"
        ]
    );
    let expected = json!({
        "file": text(&FILES.code), "member": null, "section": null, "bundle": 0, "kind": "code object",
        "id": "hipv4-amdgcn-amd-amdhsa--gfx90a", "version": 5, "target": "gfx90a", "type": "shared", "flags": 0x53f,
        "generic_version": 0, "load_base": 0, "error": null,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&object[key], value, "{key}");
    }
    assert_eq!(
        keys(&object["segments"][0]),
        ["align", "file_offset", "file_size", "flags", "memory_size", "vaddr"]
    );
    let kernels = object["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 2);
    let kernel = &kernels[0];
    assert_eq!(
        keys(kernel),
        [
            "agpr_count",
            "allocated_agprs",
            "allocated_sgprs",
            "allocated_vgprs",
            "args",
            "demangled",
            "group_segment_fixed_size",
            "kernarg_segment_align",
            "kernarg_segment_size",
            "language",
            "max_flat_workgroup_size",
            "max_occupancy",
            "name",
            "occupancy",
            "occupancy_limit",
            "private_segment_fixed_size",
            "reqd_workgroup_size",
            "sgpr_count",
            "sgpr_spill_count",
            "symbol",
            "uses_dynamic_stack",
            "vgpr_count",
            "vgpr_spill_count",
            "wavefront_size",
            "workgroup_processor_mode"
        ]
    );
    assert_eq!(kernel["name"], "_Z5saxpyfPKfPfi");
    assert_eq!(kernel["demangled"], "saxpy(float, float const*, float*, int)");
    assert_eq!((&kernel["kernarg_segment_size"], &kernel["wavefront_size"]), (&json!(28), &json!(64)));
    let args: Vec<_> =
        kernel["args"].as_array().unwrap().iter().map(|arg| (&arg["offset"], &arg["size"])).collect();
    assert_eq!(
        args,
        [(&json!(0), &json!(4)), (&json!(8), &json!(8)), (&json!(16), &json!(8)), (&json!(24), &json!(4))]
    );
    assert_eq!(
        kernel["args"][1],
        json!({
            "name": null, "type_name": null, "offset": 8, "size": 8, "value_kind": "global_buffer", "hidden": false,
            "address_space": "global", "access": null
        })
    );
}

#[test]
fn kernels_of_every_entry_stand_in_one_table() {
    let table = good(&["kernels", text(&FILES.object)]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 7, "{table}");
    let name = lines[0].find("KERNEL").unwrap();
    for (line, target) in
        lines[1..].iter().zip(["gfx1100", "gfx1100", "gfx90a:xnack+", "gfx90a:xnack+", "gfx90a:xnack-"])
    {
        assert!(line[8..].starts_with(target), "{table}");
        assert!(line[name..].starts_with("saxpy(float, ") || &line[name..] == "sum(int*)", "{table}");
        assert_eq!(&line[name - 2..name], "  ");
    }
    assert!(good(&["kernels", "--mangled", text(&FILES.object)]).contains("  _Z3sumPi\n"));
    assert_eq!(good(&["kernels", text(&FILES.compressed)]), table);
    // Both members of the archive.
    let both = good(&["kernels", text(&FILES.archive)]);
    assert_eq!(both.lines().count(), 13, "{both}");
    assert!(both.lines().last().unwrap().starts_with("     1  gfx90a:xnack-"), "{both}");
    // Several files stand under their names.
    let two = good(&["kernels", text(&FILES.code), text(&FILES.object)]);
    let heads: Vec<&str> = two.lines().filter(|line| line.ends_with(':')).collect();
    assert_eq!(heads, [format!("{}:", text(&FILES.code)), format!("{}:", text(&FILES.object))]);
}

#[test]
fn kernels_as_json() {
    let kernels = read_json(&["kernels", "--json", text(&FILES.object)]);
    assert_eq!(kernels.len(), 6);
    assert_eq!(
        keys(&kernels[0]),
        [
            "agpr_count",
            "bundle",
            "demangled",
            "file",
            "group_segment_fixed_size",
            "id",
            "kernarg_segment_size",
            "max_flat_workgroup_size",
            "max_occupancy",
            "name",
            "occupancy",
            "occupancy_limit",
            "private_segment_fixed_size",
            "sgpr_count",
            "sgpr_spill_count",
            "target",
            "vgpr_count",
            "vgpr_spill_count",
            "wavefront_size"
        ]
    );
    assert_eq!(kernels[0]["id"], "hipv4-amdgcn-amd-amdhsa--gfx1100");
    assert_eq!(kernels[5]["group_segment_fixed_size"], 1024);
}

#[test]
fn an_entry_is_chosen_by_its_id_or_for_an_agent() {
    let object = text(&FILES.object);
    let target_of = |words: &[&str]| {
        let kernels = read_json(&[&["kernels", "--json", object], words].concat());
        assert_eq!(kernels.len(), 2, "{words:?}");
        kernels[0]["target"].as_str().unwrap().to_owned()
    };
    assert_eq!(target_of(&["--entry", "gfx90a:xnack-"]), "gfx90a:xnack-");
    assert_eq!(target_of(&["--entry", "hipv4-amdgcn-amd-amdhsa--gfx1100"]), "gfx1100");
    assert_eq!(target_of(&["--agent", "gfx90a:sramecc+:xnack+"]), "gfx90a:xnack+");
    // Features that are left open are what the driver sets.
    assert_eq!(target_of(&["--agent", "gfx90a"]), "gfx90a:xnack-");
    assert_eq!(target_of(&["--agent", "gfx1100"]), "gfx1100");
    let ran = codeobj(&["kernels", object, "--agent", "gfx803"]);
    assert_eq!(
        (ran.code, ran.stderr),
        (
            1,
            format!(
                "amd-codeobj: {object}: no code for gfx803; there is gfx1100, gfx90a:xnack+, gfx90a:xnack-\n"
            )
        )
    );
    let ran = codeobj(&["kernels", object, "--entry", "gfx90a"]);
    assert_eq!(
        ran.stderr,
        format!(
            "amd-codeobj: {object}: no entry gfx90a with code; there is gfx1100, gfx90a:xnack+, gfx90a:xnack-\n"
        )
    );
    let ran = codeobj(&["kernels", object, "--bundle", "7"]);
    assert_eq!(
        ran.stderr,
        format!("amd-codeobj: {object}: there is no bundle 7: they are counted from 0 to 0\n")
    );
    assert_eq!(read_json(&["kernels", "--json", "--bundle", "1", text(&FILES.archive)]).len(), 6);
}

#[test]
fn metadata_is_what_readelf_prints() {
    let code = text(&FILES.code);
    let theirs = llvm("llvm-readelf-19", &["--notes", code]);
    let ours = good(&["metadata", code]);
    assert!(
        ours.starts_with("---\namdhsa.kernels:\n  - .agpr_count:") && ours.ends_with("\n...\n"),
        "{ours}"
    );
    assert!(theirs.contains(&ours), "{ours}\nis not in\n{theirs}");
    assert_eq!(good(&["metadata", text(&FILES.object)]).matches("---\n").count(), 3);
}

#[test]
fn symbols_of_the_loader_or_all() {
    let code = text(&FILES.code);
    let table = good(&["symbols", code]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with(&format!("{code}: ")) && lines[0].ends_with(" symbols"), "{table}");
    assert_eq!(lines[1].split_whitespace().next(), Some("NUM"));
    assert!(table.contains("saxpy(float, float const*, float*, int).kd\n"), "{table}");
    assert!(good(&["symbols", "--mangled", code]).contains("  _Z3sumPi.kd\n"));
    let symbols = read_json(&["symbols", "--json", code]);
    assert_eq!(
        keys(&symbols[0]),
        [
            "binding",
            "bundle",
            "demangled",
            "file",
            "id",
            "index",
            "name",
            "section",
            "size",
            "target",
            "type",
            "value",
            "visibility"
        ]
    );
    let kernel = symbols.iter().find(|symbol| symbol["name"] == "_Z3sumPi.kd").unwrap();
    let fields = ["type", "binding", "visibility"].map(|key| kernel[key].as_str().unwrap());
    assert_eq!((fields, &kernel["size"]), (["OBJECT", "GLOBAL", "PROTECTED"], &json!(64)));
    let all = read_json(&["symbols", "--all", "--json", code]);
    assert!(all.iter().any(|symbol| symbol["type"] == "FILE" || symbol["name"] == "_DYNAMIC"), "{all:?}");
    assert!(all.len() > symbols.len());
}

#[test]
fn relocations_of_the_loader_or_the_linker() {
    let code = text(&FILES.code);
    let table = good(&["relocs", code]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], format!("{code}: 1 relocations"));
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["SECTION", "OFFSET", "TYPE", "VALUE"]);
    assert!(lines[2].starts_with("dynamic  0x") && lines[2].contains("  R_AMDGPU_RELATIVE64  0x"), "{table}");
    let relocations = read_json(&["relocs", "--json", code]);
    assert_eq!(
        keys(&relocations[0]),
        ["addend", "bundle", "file", "id", "offset", "section", "symbol", "target", "type"]
    );
    assert_eq!((&relocations[0]["section"], &relocations[0]["symbol"]), (&Value::Null, &Value::Null));
    let relocations = read_json(&["relocs", "--json", text(&FILES.relocatable)]);
    let has = |section: &str, kind: &str, symbol: &str| {
        relocations.iter().any(|r| r["section"] == section && r["type"] == kind && r["symbol"] == symbol)
    };
    assert!(has(".rela.data", "R_AMDGPU_ABS64", "counter"), "{relocations:?}");
    assert!(has(".rela.text", "R_AMDGPU_REL32_LO", "where"), "{relocations:?}");
}

#[test]
fn lines_of_the_source() {
    let code = text(&FILES.code);
    let page = good(&["lines", code, "_Z3sumPi+0", "_Z5saxpyfPKfPfi"]);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines[0], format!("{code}:"));
    assert!(lines[1].starts_with("0x") && lines[1].ends_with("  sum(int*) + 0x0"), "{page}");
    assert!(
        lines[2].starts_with("            sum(int*) at ") && lines[2].contains("/inputs/kernels.hip:"),
        "{page}"
    );
    let places = read_json(&["lines", "--json", code, "_Z3sumPi"]);
    assert_eq!(
        keys(&places[0]),
        ["address", "bundle", "file", "frames", "id", "symbol", "symbol_offset", "target"]
    );
    assert_eq!(keys(&places[0]["frames"][0]), ["column", "demangled", "file", "function", "line"]);
    assert_eq!((&places[0]["symbol"], &places[0]["symbol_offset"]), (&json!("_Z3sumPi"), &json!(0)));
    // The same by number.
    let address = format!("{:#x}", places[0]["address"].as_u64().unwrap());
    assert_eq!(good(&["lines", code, &address]).lines().nth(2), Some(lines[2]));

    let ran = codeobj(&["lines", code, "ffff0000"]);
    assert_eq!((ran.code, ran.stdout), (1, format!("{code}:\n0xffff0000  in no function\n            ??\n")));
    let ran = codeobj(&["lines", code, "none+4"]);
    let error = "no symbol \"none\" in the code object";
    assert_eq!((ran.code, ran.stderr), (1, format!("amd-codeobj: {code}: {error}\n")));
    let object = text(&FILES.object);
    let ran = codeobj(&["lines", object, "--entry", "gfx1100", "_Z3sumPi"]);
    let place = format!("{object}: bundle 0 (raw, .hip_fatbin), gfx1100");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stderr, format!("amd-codeobj: {place}: no line table: it was built without -g\n"));
    let ran = codeobj(&["lines", code, "+12"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("neither a hexadecimal number nor SYMBOL+NUMBER"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_printed() {
    let folder = folder();
    let path = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let missing = folder.path().join("missing").to_str().unwrap().to_owned();
    let ran = codeobj(&["kernels", &missing]);
    let error = format!("amd-codeobj: {missing}: No such file or directory (os error 2)\n");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr), (1, "", error));

    let words = path("words.txt", b"no code here");
    let ran = codeobj(&["kernels", &words]);
    let error = "not a fat binary: [6e, 6f, 20, 63, 6f, 64, 65, 20] at offset 0x0 starts no bundle, compressed bundle, \
                 ELF file or .kpack archive";
    assert_eq!((ran.code, ran.stderr), (1, format!("amd-codeobj: {words}: {error}\n")));

    // One entry of three is broken: the others are listed.
    let mut fat = std::fs::read(&FILES.object).unwrap();
    let start = fat.windows(4).rposition(|window| window == b"\x7fELF").unwrap();
    fat[start + 18] = 62;
    let broken = path("broken.o", &fat);
    let ran = codeobj(&["kernels", &broken]);
    let place = format!("{broken}: bundle 0 (raw, .hip_fatbin), gfx90a:xnack-");
    let error = "not an AMDGPU code object: machine at offset 0x12 is 62, expected 224";
    assert_eq!((ran.code, ran.stderr), (1, format!("amd-codeobj: {place}: {error}\n")));
    assert_eq!(ran.stdout.lines().count(), 5);

    // A file that is fine behind one that is not.
    let ran = codeobj(&["symbols", &missing, text(&FILES.code)]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains(".kd"));

    // Metadata that cannot be told does not keep the header back.
    let bare = folder.path().join("bare.co");
    llvm("llvm-objcopy-19", &["--remove-section=.note", text(&FILES.relocatable), bare.to_str().unwrap()]);
    let ran = codeobj(&["inspect", bare.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    let line = "  no kernels can be told: no AMDGPU metadata note (owner \"AMDGPU\", type 32) in this v5 code object\n";
    assert!(
        ran.stdout.contains("  code object v5 for gfx90a, relocatable, ") && ran.stdout.contains(line),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_bomb_is_refused() {
    let compressed = text(&FILES.compressed);
    let ran = codeobj(&["kernels", compressed, "--limit", "100"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(" bytes, more than the limit of 100"), "{}", ran.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let code = text(&FILES.code);
    // More than a pipe holds.
    let files = vec![code; 200];
    let mut child = Command::new(env!("CARGO_BIN_EXE_amd-codeobj"))
        .arg("inspect")
        .args(files)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn help_has_examples_and_wrong_usage_is_status_2() {
    let help = good(&["--help"]);
    for words in ["Examples:\n  amd-codeobj inspect kernels.co\n", "Exit status: 0 fine; 1 ", "--agent"] {
        assert!(help.contains(words), "{words:?} is not in\n{help}");
    }
    for command in ["inspect", "kernels", "metadata", "symbols", "relocs", "lines"] {
        let help = good(&[command, "--help"]);
        assert!(help.contains("\nExamples:\n  amd-codeobj "), "{help}");
        assert_eq!(codeobj(&[command]).code, 2, "{command}");
    }
    assert_eq!(codeobj(&["nonsense"]).code, 2);
    assert_eq!(codeobj(&["kernels", "--agent", "gfx90a:nonsense", text(&FILES.code)]).code, 2);
    assert_eq!(codeobj(&["kernels", "--agent", "gfx90a", "--entry", "gfx90a", text(&FILES.code)]).code, 2);
}
