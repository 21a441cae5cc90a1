//! Formatting what has left the database for an archive.

use std::collections::BTreeMap;

use serde_json::Value;

use super::members::text;
use super::{counted, table};

/// Formats what has left: the rows by table, and the files.
#[must_use]
pub(crate) fn page(report: &Value) -> String {
    let archives = report["archives"].as_array().map_or(&[][..], Vec::as_slice);
    if archives.is_empty() {
        return "nothing is old enough to archive".to_owned();
    }
    let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
    for archive in archives {
        for (table, count) in archive["rows"].as_object().into_iter().flatten() {
            *rows.entry(table).or_default() += count.as_u64().unwrap_or_default();
        }
    }
    let all = counted(rows.values().sum::<u64>(), "row");
    let rows = rows.iter().map(|(table, count)| [(*table).to_owned(), count.to_string()]);
    let mut lines = vec![table(["table", "rows"], rows)];
    for archive in archives {
        lines.push(format!("{} ({} bytes)", text(archive, "path"), archive["bytes"]));
    }
    lines.push(format!("archived {all}"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rows_are_summed_by_table_and_each_file_is_named() {
        let none = json!({"rows": 0, "archives": []});
        assert_eq!(page(&none), "nothing is old enough to archive");
        let two = json!({"rows": 5, "archives": [
            {"path": "a/x-001.jsonl", "bytes": 900, "rows": {"run": 1, "var": 2}},
            {"path": "a/x-002.jsonl", "bytes": 90, "rows": {"run": 2}},
        ]});
        let expected = "TABLE  ROWS\nrun    3\nvar    2\na/x-001.jsonl (900 bytes)\na/x-002.jsonl (90 bytes)\n\
            archived 5 rows";
        assert_eq!(page(&two), expected);
    }
}
