//! Files of the topology tree: one number, or lines of a name and a number. A missing name means 0, an unknown one is
//! of a newer kernel and passed over; anything else is an error that says file and line.

use kfd_sys::Kfd;

use crate::{Error, Result};

/// Lines are quoted in errors up to this many characters.
const QUOTED: usize = 60;

/// The one number that a file holds.
pub(crate) fn parse_number(path: &str, text: &str) -> Result<u32> {
    text.trim().parse().map_err(|_| at(path, 1, text.lines().next().unwrap_or(""), "no 32-bit number"))
}

/// A struct whose fields are named in a `properties` file.
pub(crate) trait Properties: Default {
    /// Puts a value to its field. False: the value does not fit. Unknown names are fine.
    fn set(&mut self, name: &str, value: u64) -> bool;

    /// Puts a comma-separated list to its field. None: the name is not one of a list.
    fn set_list(&mut self, name: &str, list: Vec<u64>) -> Option<()> {
        let _ = (name, list);
        None
    }

    /// Reads a file.
    fn read(kfd: &dyn Kfd, path: &str) -> Result<Self> {
        Self::parse(path, &super::read_file(kfd, path)?)
    }

    /// Reads the text of a file; `path` is for errors.
    fn parse(path: &str, text: &str) -> Result<Self> {
        let mut properties = Self::default();
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim();
            if trimmed.is_empty() {
                continue;
            }
            let error = |problem| at(path, index + 1, line, problem);
            let (name, value) = trimmed.split_once(char::is_whitespace).ok_or_else(|| error("no value"))?;
            let value = value.trim_start();
            if let Ok(number) = value.parse::<u64>()
                && properties.set_list(name, vec![number]).is_none()
            {
                if !properties.set(name, number) {
                    return Err(error("a value that is too large"));
                }
            } else if value.contains(',') {
                let list = value
                    .split(',')
                    .filter(|item| !item.is_empty())
                    .map(str::parse)
                    .collect::<std::result::Result<Vec<u64>, _>>()
                    .map_err(|_| error("no list of numbers"))?;
                // A list under a name that has none here is of a newer kernel, too.
                let _ = properties.set_list(name, list);
            } else if value.parse::<u64>().is_err() {
                return Err(error("no number"));
            }
        }
        Ok(properties)
    }
}

fn at(path: &str, line: usize, text: &str, problem: &'static str) -> Error {
    let text = text.trim().chars().take(QUOTED).collect();
    Error::TopologyLine { path: path.to_owned(), line, text, problem }
}

/// Declares a struct of properties: a field of the same name for each.
macro_rules! properties {
    (
        $(#[$meta:meta])*
        pub struct $struct:ident {
            $( $field:ident : $type:ty = $doc:literal; )*
        }
        $( list $list:ident = $list_doc:literal; )?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $struct {
            $( #[doc = $doc] pub $field: $type, )*
            $( #[doc = $list_doc] pub $list: Vec<u64>, )?
        }

        impl $crate::topology::parse::Properties for $struct {
            fn set(&mut self, name: &str, value: u64) -> bool {
                $( if name == stringify!($field).trim_start_matches("r#") {
                    return <$type>::try_from(value).map(|value| self.$field = value).is_ok();
                } )*
                true
            }

            $( fn set_list(&mut self, name: &str, list: Vec<u64>) -> Option<()> {
                (name == stringify!($list)).then(|| self.$list = list)
            } )?
        }
    };
}
pub(crate) use properties;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Cache, NodeProperties};
    use super::*;

    fn node(text: &str) -> Result<NodeProperties> {
        NodeProperties::parse("nodes/1/properties", text)
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = node("simd_count 440\ngfx_target_version gfx90a\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "topology/nodes/1/properties, line 2: no number in `gfx_target_version gfx90a`"
        );
        let error = node("simd_count 4294967296").unwrap_err();
        assert_eq!(
            error.to_string(),
            "topology/nodes/1/properties, line 1: a value that is too large in `simd_count 4294967296`"
        );
        assert!(node("\n\nsimd_count").unwrap_err().to_string().contains("line 3: no value"));
        assert!(node("simd_count -1").unwrap_err().to_string().contains("no number"));
        assert_eq!(
            parse_number("nodes/0/gpu_id", "").unwrap_err().to_string(),
            "topology/nodes/0/gpu_id, line 1: no 32-bit number in ``"
        );
    }

    #[test]
    fn newer_kernels_may_say_more_and_older_ones_less() {
        let node = node("wave_front_size 64\nfrom_the_future 18446744073709551615\nlist 1,2\n").unwrap();
        assert_eq!((node.wave_front_size, node.simd_count), (64, 0));
    }

    #[test]
    fn a_cache_has_a_list() {
        let cache = Cache::parse("c", "level 1\ntype 9\nsibling_map 1,0,1\n").unwrap();
        assert_eq!((cache.level, cache.r#type, cache.sibling_map), (1, 9, vec![1, 0, 1]));
        assert_eq!(Cache::parse("c", "sibling_map 1\n").unwrap().sibling_map, [1]);
        assert!(Cache::parse("c", "sibling_map 1,x\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_gives_a_value_or_an_error(text in ".*") {
            let _ = node(&text);
            let _ = Cache::parse("c", &text);
            let _ = parse_number("n", &text);
        }

        #[test]
        fn any_lines_of_the_grammar_are_read_back(
            lines in proptest::collection::vec(("[a-z_]{1,20}", any::<u64>()), 0..40),
            simds: u32,
            unique: u64,
        ) {
            let mut text: String = lines
                .iter()
                .filter(|(name, _)| name.len() > 2)
                .map(|(name, value)| format!("x_{name} {value}\n"))
                .collect();
            text += &format!("simd_count {simds}\nunique_id {unique}\n");
            let node = node(&text).unwrap();
            prop_assert_eq!((node.simd_count, node.unique_id), (simds, unique));
        }

        #[test]
        fn an_error_names_the_line_that_is_wrong(before in 0usize..30, after in 0usize..30) {
            let text = format!("{}!?\n{}", "simd_count 4\n".repeat(before), "simd_count 4\n".repeat(after));
            match node(&text) {
                Err(Error::TopologyLine { line, .. }) => prop_assert_eq!(line, before + 1),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
