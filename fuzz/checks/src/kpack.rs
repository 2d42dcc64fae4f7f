//! `.kpack` archives and references to them.

use amd_codeobj::Isa;
use offload_bundle::kpack::{Archive, Reference};

use crate::LIMIT;
use crate::iter::drain;

/// Both kinds of thing from the same bytes.
pub fn kpack(data: &[u8]) {
    let agent =
        amd_codeobj::TargetId::of_agent(Isa::by_name("gfx942").expect("gfx942 is known"), true, false);
    if let Ok(reference) = Reference::parse(data) {
        assert!(reference.size() <= data.len() as u64);
        assert!(reference.archive_key(7).starts_with(reference.kernel_name));
        assert!(reference.archives_for(&agent).len() >= reference.search_paths.len());
    }
    if let Ok(archive) = Archive::parse(data) {
        read(&archive, data);
        if let Ok(Some(kernel)) = archive.find("lib/libsample.so#0", &agent) {
            assert_eq!(kernel.binary, "lib/libsample.so#0");
        }
    }
}

/// Reads everything in an archive that is somewhere in the data.
pub fn read(archive: &Archive<'_>, data: &[u8]) {
    assert!(archive.total_size() <= data.len() as u64);
    let _ = (archive.group_name(), archive.family(), archive.targets().len(), archive.scheme().to_string());
    let (mut unpacked, mut good) = (0, 0);
    drain("kernels", data.len(), archive.kernels(), |kernel| {
        assert!(kernel.packed.len() <= data.len());
        // Many may name the same bytes, and each is unpacked for itself.
        if good < 64
            && let Ok(content) = kernel.extract(LIMIT)
        {
            unpacked += content.len() as u64;
            good += 1;
            assert!(content.len() as u64 <= LIMIT);
        }
    });
    assert!(unpacked <= good * LIMIT);
}
