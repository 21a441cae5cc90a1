//! Reads a text file of limited size, without trusting the size that the file system reports.

use std::fs::File;
use std::io::{Error, Read as _};
use std::path::Path;

/// The reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TextFileError {
    /// The file system returned an error.
    #[error("{0}")]
    Io(#[from] Error),
    /// The file has more bytes than this limit.
    #[error("it has more than {0} bytes")]
    TooLarge(usize),
    /// The file is not valid UTF-8.
    #[error("line {line} is not UTF-8")]
    NotUtf8 {
        /// Line of the first invalid byte, from 1.
        line: usize,
    },
}

/// Reads a text file of at most `bytes_max` bytes. Never reads more than one byte beyond that limit.
///
/// # Errors
/// Fails if the file cannot be read, has more than `bytes_max` bytes, or is not UTF-8.
pub fn read_text(path: &Path, bytes_max: usize) -> Result<String, TextFileError> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        return Err(TextFileError::TooLarge(bytes_max));
    }
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        TextFileError::NotUtf8 { line: 1 + good.iter().filter(|byte| **byte == b'\n').count() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_at_the_limit_is_read_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("a file");
            read_text(&path, 10).map_err(|e| e.to_string())
        };
        assert_eq!(read(b"0123456789"), Ok("0123456789".to_owned()));
        assert_eq!(read(b"0123456789a"), Err("it has more than 10 bytes".to_owned()));
        assert_eq!(read(b"a\nb\n\xff\n"), Err("line 3 is not UTF-8".to_owned()));
        assert!(matches!(read_text(Path::new("/dev/zero"), 10), Err(TextFileError::TooLarge(10))));
        assert!(matches!(read_text(folder.path(), 10), Err(TextFileError::Io(_))));
        assert!(matches!(read_text(&folder.path().join("none"), 10), Err(TextFileError::Io(_))));
    }
}
