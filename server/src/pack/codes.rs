//! The codes of findings that occur only in packs.
//! A finding that also occurs in methods has the same code in packs as in methods.

/// A file of a pack that cannot be installed: a link, a folder, or a file of another kind than its folder.
pub(crate) const PACK_FILE: &str = "pack-file";
/// A method of a pack that no scenario of the pack starts.
pub(crate) const UNTESTED_METHOD: &str = "pack-untested-method";
/// A call of a tool of a domain that the pack does not list.
pub(crate) const OTHER_DOMAIN: &str = "pack-other-domain";
