//! Files and sections that hold fat binaries.

use offload_bundle::{Bundle, Container, Image, Located};

use crate::iter::drain;
use crate::{LIMIT, bundle, kpack};

/// A file of any kind, and the same bytes as a section.
pub fn container(data: &[u8]) {
    let mut end = 0;
    drain("fat binaries of a section", data.len(), Image::walk(data), |located| {
        assert!(located.offset >= end, "two fat binaries overlap");
        end = located.offset + located.size;
        image(&located, data);
    });
    let container = match Container::parse(data) {
        Ok(container) => container,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let _ = container.kind().to_string();
    drain("sections", data.len(), container.sections(), |section| {
        assert!(
            section.data.is_empty() || section.file_offset + section.data.len() as u64 <= data.len() as u64
        );
        let _ = (section.kind.to_string(), section.entry_id());
    });
    drain("fat binaries of a file", data.len(), container.images(), |located| image(&located, data));
}

fn image(located: &Located<'_>, data: &[u8]) {
    let (start, end) = (located.offset, located.offset.checked_add(located.size));
    let end = end.filter(|&end| end <= data.len() as u64).expect("a fat binary ends inside the file");
    let bytes = &data[start as usize..];
    let _ = located.image.kind().to_string();
    match &located.image {
        Image::Raw(bundle) => bundle::read(bundle, bytes),
        Image::Compressed(compressed) => {
            assert_eq!(compressed.total_size(), Ok(end - start));
            if compressed.uncompressed_size() <= LIMIT
                && let Ok(content) = compressed.decompress(LIMIT)
                && let Ok(bundle) = Bundle::parse(&content)
            {
                bundle::read(&bundle, &content);
            }
        }
        Image::CodeObject(object) => assert_eq!(object.file_size(), located.size),
        Image::Kpack(archive) => kpack::read(archive, data),
        _ => {}
    }
}
