//! Environment variables make of our library what they make of the vendor's.

mod common;

use common::{Library, build, command, dist, lines};

/// Settings, and a line that each brings about.
const SETTINGS: &[(&[(&str, &str)], &str)] = &[
    (&[], "value pointer 0x1001"),
    (&[("ROCR_VISIBLE_DEVICES", "1,0")], "2 GPUs"),
    (&[("ROCR_VISIBLE_DEVICES", "1")], "gfx906 node 2, 128 queues"),
    (&[("ROCR_VISIBLE_DEVICES", "0,7,1")], "1 GPUs"),
    (&[("ROCR_VISIBLE_DEVICES", "")], "0 GPUs"),
    (&[("HSA_OVERRIDE_GFX_VERSION", "9.0.8")], "gfx908 node 1, 128 queues"),
    (&[("HSA_OVERRIDE_GFX_VERSION", "9.0")], "init 0"),
    (&[("HSA_XNACK", "1")], "isa amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+"),
    (&[("HSA_XNACK", "0")], "isa amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
    (&[("HSA_XNACK", "yes")], "init 1"),
    (&[("HSA_ENABLE_INTERRUPT", "0")], "value pointer 0"),
    (&[("HSA_MAX_QUEUES", "5")], "gfx90a node 1, 5 queues"),
    (&[("HSA_MAX_QUEUES", "500")], "gfx90a node 1, 128 queues"),
    (&[("HSA_CU_MASK", "0:0-7,33")], "mask 0: ff 2 0 0"),
    (&[("HSA_CU_MASK", "0-1 : 0x0f0f ; 5:1")], "set 32: 0x2c, mask 0: f00 0 0 0"),
    (&[("HSA_CU_MASK", "1:1"), ("ROCR_VISIBLE_DEVICES", "1,0")], "mask 0: 2 0 0 0"),
    (&[("HSA_CU_MASK", "0:0-3"), ("HSA_CU_MASK_SKIP_INIT", "1")], "set 0: 0x2c, mask 0: f 0 0 0"),
    (&[("HSA_CU_MASK", "0:x;1:1")], "init 1"),
];

#[test]
fn variables_do_what_they_do_to_the_vendors_library() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("environment.c", "hsa-environment", &[]) else { return };
    for (variables, wanted) in SETTINGS {
        // gfx906 cannot change the mode of retry, and so the driver does not for a machine that has one.
        let machine = if wanted.contains("xnack+") { "gfx90a" } else { "gfx90a,gfx906" };
        let [vendors, ours] = [Library::Vendors, Library::Ours]
            .map(|library| lines(command(&program, &dist, machine, library).envs(variables.iter().copied())));
        assert_eq!(ours, vendors, "{variables:?}");
        assert!(ours.iter().any(|line| line == wanted), "{variables:?}: no `{wanted}` in {ours:#?}");
    }
}
