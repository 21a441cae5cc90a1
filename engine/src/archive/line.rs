//! The lines of the files of archives.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::base::{ArchiveId, Digest, Value, text};
use crate::store::{ArchiveCutoffs, ArchivedRows, Param};

/// The version of the format of the files.
pub const FORMAT_VERSION: i64 = 1;

/// The first line of a file: what the file contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveHeader {
    /// The version of the format.
    pub version: i64,
    /// The id of the archive.
    pub archive: ArchiveId,
    /// The tenant that owns the rows.
    pub tenant: String,
    /// What was archived.
    pub before: ArchiveCutoffs,
    /// When the archive was begun (RFC 3339).
    pub created_at: String,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ArchiveLine {
    /// The first line.
    Header {
        /// The header.
        archive: ArchiveHeader,
    },
    /// A row of a table, with ids and bytes in hexadecimal.
    Row {
        /// The name of the table.
        table: String,
        /// The values, by column.
        row: Map<String, Value>,
    },
    /// The last line.
    Seal {
        /// The seal.
        seal: FileSeal,
    },
}

/// The last line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeal {
    /// Number of lines before the seal.
    pub lines: i64,
    /// The digest of the chain of these lines.
    #[serde(with = "hex_digest")]
    pub digest: Digest,
}

impl ArchiveLine {
    /// Reads a line; `None` if it is none.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl ArchiveHeader {
    /// Returns the first line of a file, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        text::json(&json!({ "archive": self }))
    }
}

/// Returns the line of one row, without its end. `values` are those of the table's columns.
#[must_use]
pub fn row_line(archived: &ArchivedRows, values: &[Param]) -> String {
    let columns = archived.table.columns.iter().zip(values);
    let row: Map<String, Value> =
        columns.map(|((name, _), value)| ((*name).to_owned(), shown(value))).collect();
    text::json(&json!({ "table": archived.table.name, "row": row }))
}

/// Returns the last line of a file, without its end.
#[must_use]
pub fn seal_line(lines: i64, digest: Digest) -> String {
    text::json(&json!({ "seal": { "lines": lines, "digest": digest.to_string() } }))
}

fn shown(value: &Param) -> Value {
    match value {
        Param::Int(Some(number)) => json!(number),
        Param::Text(Some(text)) => json!(text),
        Param::Id(Some(id)) => json!(id.simple().to_string()),
        Param::Bytes(Some(bytes)) => {
            json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Param::Int(None) | Param::Text(None) | Param::Id(None) | Param::Bytes(None) => Value::Null,
    }
}

mod hex_digest {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::base::Digest;

    pub(super) fn serialize<S: Serializer>(digest: &Digest, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(digest)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Digest, D::Error> {
        let text = String::deserialize(d)?;
        Digest::parse(&text).ok_or_else(|| D::Error::custom("not a digest"))
    }
}
