//! Reads the type of a file from its bytes. What a caller says about the type is never trusted.

/// The type of a text in UTF-8.
const TEXT: &str = "text/plain";
/// The type of a file about which nothing else is known.
const BYTES: &str = "application/octet-stream";

/// The types whose files can be texts. The other types begin with few letters, as a text can by chance:
/// a text that begins with `BM` is not a bitmap.
const TEXTUAL: [&str; 6] = [
    "application/pdf",
    "application/postscript",
    "application/rtf",
    "text/html",
    "text/x-shellscript",
    "text/xml",
];

/// Returns the type that the bytes of a file show.
pub(super) fn content_type(bytes: &[u8]) -> &'static str {
    let known = infer::get(bytes).map(|kind| kind.mime_type());
    if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
        known.filter(|kind| TEXTUAL.contains(kind)).unwrap_or(TEXT)
    } else {
        known.unwrap_or(BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_decide_the_type() {
        let cases: [(&[u8], &str); 9] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
            (b"%PDF-1.7\n", "application/pdf"),
            (b"<!DOCTYPE html><script>", "text/html"),
            (b"Ridge capping, 12 m", TEXT),
            ("屋根 <script>".as_bytes(), TEXT),
            (b"BM is not a bitmap", TEXT),
            (b"a\0b", BYTES),
            (b"\xc3\x28 is not UTF-8", BYTES),
        ];
        for (bytes, expected) in cases {
            assert_eq!(content_type(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
