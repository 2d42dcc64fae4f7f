//! What is odd or wrong about bundles that can be read: each finding, and none for what clang-19 makes.

mod common;

use common::host::object;
use common::{Built, bundler, code_object, raw, run};
use offload_bundle::{Bundle, Container, Fault, Image, Level};

const HOST: &str = "host-x86_64-unknown-linux--";
const GFX942: &str = "hipv4-amdgcn-amd-amdhsa--gfx942";

fn findings(bytes: &[u8]) -> Vec<String> {
    Bundle::parse(bytes).unwrap().check().map(|finding| finding.to_string()).collect()
}

#[test]
fn nothing_is_wrong_with_what_the_compiler_makes() {
    let archs = ["--offload-arch=gfx90a:xnack-", "--offload-arch=gfx90a:xnack+", "--offload-arch=gfx1100"];
    let file = object("k", &archs).bytes();
    let mut images = 0;
    for located in Container::parse(&file).unwrap().images() {
        let Image::Raw(bundle) = located.unwrap().image else { panic!() };
        assert_eq!(bundle.check().collect::<Vec<_>>(), []);
        images += 1;
    }
    assert_eq!(images, 1);
    let code = code_object("gfx942", 5);
    assert_eq!(findings(&bundler(&[(HOST, b""), (GFX942, &code)], &["-bundle-align=4096"])), [""; 0]);
}

#[test]
fn each_fault_of_an_id() {
    let (gfx942, gfx90a) = (code_object("gfx942", 5), code_object("gfx90a:xnack-", 5));
    let bytes = raw(
        &[
            ("host-x86_64-unknown-linux", b""),
            (GFX942, &gfx942),
            ("hipv4-amdgcn-amd-amdhsa-gfx942", &gfx942),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a", &gfx90a),
            ("cuda-amdgcn-amd-amdhsa--gfx942", &gfx942),
            ("hipv4-amdgcn-amd-amdhsa--gfx906", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx908", b"not an ELF file"),
        ],
        4096,
    );
    let records: Vec<_> =
        Bundle::parse(&bytes).unwrap().table().records().map(|it| it.record_offset).collect();
    let at = |index: usize| format!("offset {:#x}", records[index]);
    assert_eq!(
        findings(&bytes),
        [
            format!(
                "note: entry 0 (host-x86_64-unknown-linux) at {}: its ID is usually written host-x86_64-unknown-linux--",
                at(0)
            ),
            format!(
                "note: entry 2 (hipv4-amdgcn-amd-amdhsa-gfx942) at {}: its ID is usually written \
                 hipv4-amdgcn-amd-amdhsa--gfx942",
                at(2)
            ),
            format!(
                "warning: entry 2 (hipv4-amdgcn-amd-amdhsa-gfx942) at {}: entry 1 has the same ID and is taken instead",
                at(2)
            ),
            format!(
                "error: entry 3 (hipv4-amdgcn-amd-amdhsa--gfx90a) at {}: its ID says gfx90a, but its code object is for \
                 gfx90a:xnack-",
                at(3)
            ),
            format!(
                "warning: entry 4 (cuda-amdgcn-amd-amdhsa--gfx942) at {}: its ID is not understood: its kind \"cuda\" is \
                 none of host, hip, hipv4, hcc, openmp",
                at(4)
            ),
            format!(
                "warning: entry 5 (hipv4-amdgcn-amd-amdhsa--gfx906) at {}: it is for a GPU and has no bytes",
                at(5)
            ),
            format!(
                "error: entry 6 (hipv4-amdgcn-amd-amdhsa--gfx908) at {}: it is no readable code object: not an ELF file: \
                 it starts with [6e, 6f, 74, 20] at offset 0, not with 7f 45 4c 46",
                at(6)
            ),
        ]
    );
}

#[test]
fn each_fault_of_a_place() {
    let code = code_object("gfx942", 5);
    let id = |target: &str| format!("openmp-amdgcn-amd-amdhsa--{target}");
    let ids = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"].map(id);
    let entries: Vec<_> = ids.iter().map(|id| (id.as_str(), &code[..])).collect();
    let good = raw(&entries, 4096);
    let bundle = Bundle::parse(&good).unwrap();
    let records: Vec<_> = bundle.table().records().collect();
    let mut bytes = good.clone();
    let mut place = |index: usize, offset: u64, size: u64| {
        let at = records[index].record_offset as usize;
        bytes[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&size.to_le_bytes());
    };
    let (second, table_end) = (records[1].offset, bundle.table().size());
    place(0, 40, 8);
    place(2, second, records[1].size);
    place(3, second + 100, 8);
    place(4, 0, 0);
    let faults: Vec<_> =
        Bundle::parse(&bytes).unwrap().check().map(|finding| (finding.index, finding.fault)).collect();
    assert_eq!(
        faults,
        [
            (0, Fault::InTable { start: 40, table_end }),
            (2, Fault::Shared { other: 1 }),
            (3, Fault::Overlaps { other: 1 }),
        ]
    );
    let levels: Vec<_> = faults.iter().map(|(_, fault)| fault.level()).collect();
    assert_eq!(levels, [Level::Error, Level::Note, Level::Warning]);
    let bytes = raw(&[(GFX942, &code)], 8);
    let start = Bundle::parse(&bytes).unwrap().entries().next().unwrap().offset;
    let found: Vec<_> = Bundle::parse(&bytes).unwrap().check().map(|finding| finding.fault).collect();
    assert_eq!(found, [Fault::Misaligned { start }]);
}

/// LLVM's bundler takes entries by offset too: those that share bytes give the same bytes.
#[test]
fn the_other_tool_reads_entries_that_share_bytes() {
    let other = "hipv4-amdgcn-amd-amdhsa--gfx90a";
    let mut bytes = raw(&[(GFX942, b"first"), (other, b"second")], 8);
    let records: Vec<_> =
        Bundle::parse(&bytes).unwrap().table().records().map(|it| it.record_offset as usize).collect();
    let first: Vec<u8> = bytes[records[0]..records[0] + 16].to_vec();
    bytes[records[1]..records[1] + 16].copy_from_slice(&first);
    let (file, output) = (Built::with("shared", &bytes), Built::new("unbundled"));
    let (input, output_flag) = (format!("-input={}", file.path()), format!("-output={}", output.path()));
    let targets = format!("-targets={other}");
    run("clang-offload-bundler-19", &["-unbundle", "-type=o", &targets, &input, &output_flag]);
    assert_eq!(output.bytes(), b"first");
    let bundle = Bundle::parse(&bytes).unwrap();
    assert!(bundle.entries().all(|entry| entry.data == b"first"));
    assert!(bundle.check().any(|finding| finding.fault == Fault::Shared { other: 0 }));
}

/// Code objects v3 have features on or off; their IDs, which clang-15 writes with `hip`, may leave them open.
#[test]
fn old_code_may_say_more_than_its_id() {
    let mut code = code_object("gfx906", 4);
    code[8] = 1;
    let flags = 0x12fu32 | 0x200;
    code[48..52].copy_from_slice(&flags.to_le_bytes());
    let findings = |id: &str| {
        let bytes = raw(&[(id, &code)], 4096);
        Bundle::parse(&bytes).unwrap().check().map(|finding| finding.fault).collect::<Vec<_>>()
    };
    assert_eq!(findings("hip-amdgcn-amd-amdhsa--gfx906"), []);
    assert_eq!(findings("hip-amdgcn-amd-amdhsa--gfx906:sramecc+"), []);
    for (id, said) in [
        ("hip-amdgcn-amd-amdhsa--gfx906:xnack-", "gfx906:xnack-"),
        ("hip-amdgcn-amd-amdhsa--gfx900", "gfx900"),
        ("hipv4-amdgcn-amd-amdhsa--gfx906", "gfx906"),
    ] {
        let found = "gfx906:sramecc+:xnack+".parse().unwrap();
        assert_eq!(findings(id), [Fault::WrongTarget { said: said.parse().unwrap(), found }], "{id}");
    }
}
