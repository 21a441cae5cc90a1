//! A file that is to be stored.

use abide_engine::base::{Digest, Problem};

use super::content_type::content_type;
use super::problem;

/// Maximum size of a file in bytes: a photo of a phone has 3 to 8 MB, and a scanned contract less than 20.
/// A file is held in memory while it is stored or returned.
pub const FILE_BYTES_MAX: usize = 20 << 20;

/// A file that is to be stored, with what its bytes say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The digest of the bytes, under which the file is stored.
    pub(super) digest: Digest,
    /// The type that the bytes show.
    pub(super) content_type: &'static str,
    /// The bytes.
    pub(super) bytes: Vec<u8>,
}

impl NewFile {
    /// Reads the digest and the type of a file from its bytes.
    ///
    /// # Errors
    /// `file_empty` and `too_large`.
    pub fn of(bytes: Vec<u8>) -> Result<Self, Problem> {
        match bytes.len() {
            0 => Err(problem::empty()),
            size if size > FILE_BYTES_MAX => Err(problem::too_large(size)),
            _ => {
                let (digest, content_type) = (Digest::of(&bytes), content_type(&bytes));
                Ok(Self { digest, content_type, bytes })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_at_least_one_byte_and_at_most_the_limit() {
        let code = |size| NewFile::of(vec![0; size]).map(|_| ()).map_err(|problem| problem.code);
        assert_eq!(code(0), Err("file_empty".into()));
        assert_eq!(code(1), Ok(()));
        assert_eq!(code(FILE_BYTES_MAX), Ok(()));
        assert_eq!(code(FILE_BYTES_MAX + 1), Err("too_large".into()));
    }
}
