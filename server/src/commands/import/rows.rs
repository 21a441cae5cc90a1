//! Reading a CSV file of people, row by row, with line numbers.

use std::fs::File;
use std::io::{BufRead, BufReader, Chain};
use std::path::Path;

use abide_verbs::api::people::PERSON_FIELDS;
use csv::{ByteRecord, ReaderBuilder, Terminator};
use serde_json::{Map, Value};

use crate::problem::ProblemDocument;

/// Byte order mark of UTF-8, which spreadsheets write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A person in the form that `POST /v1/people` accepts, with the number of its line in the file.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    line: u64,
    pub(super) person: Value,
}

/// An invalid row, which is skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidRow {
    pub(super) line: u64,
    pub(super) reason: String,
}

/// Rows that are read together and sent in one request.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) valid: Vec<Row>,
    pub(super) invalid: Vec<InvalidRow>,
}

impl Row {
    /// Turns the row into an [`InvalidRow`]. Its reason is the problem that the API reported, without the
    /// index of the row in the request.
    pub(super) fn into_invalid(self, problem: &ProblemDocument) -> InvalidRow {
        let reason = problem.detail.strip_prefix("person 0: ").unwrap_or(&problem.detail);
        InvalidRow { line: self.line, reason: reason.to_owned() }
    }
}

/// A reader of a CSV file, with the columns of the file and the length of the file in bytes.
pub(super) struct Rows<R> {
    reader: csv::Reader<Chain<R, &'static [u8]>>,
    columns: Vec<&'static str>,
    bytes: u64,
}

impl Rows<BufReader<File>> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// `unreadable_file`, `unknown_column`, `missing_column`.
    pub(super) fn open(path: &Path) -> Result<Self, ProblemDocument> {
        let unreadable_path =
            |e: std::io::Error| unreadable(format!("cannot read `{}`: {e}", path.display()));
        let file = File::open(path).map_err(unreadable_path)?;
        let bytes = file.metadata().map_err(unreadable_path)?.len();
        let mut file = BufReader::new(file);
        if file.fill_buf().map_err(unreadable_path)?.starts_with(BYTE_ORDER_MARK) {
            file.consume(BYTE_ORDER_MARK.len());
        }
        Self::read(file, bytes)
    }
}

impl<R: BufRead> Rows<R> {
    fn read(text: R, bytes: u64) -> Result<Self, ProblemDocument> {
        // Only a line feed ends a row. So the position of the reader, which counts lines, gives the line
        // number of a row.
        // A carriage return before the line feed is trimmed as white space.
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .from_reader(text.chain(b"\n".as_slice()));
        let mut rows = Self { reader, columns: Vec::new(), bytes };
        let header = match rows.record()? {
            Some((_, cells)) => cells.map_err(unreadable)?,
            None => Vec::new(),
        };
        rows.columns = header.iter().map(|name| parse_column(name)).collect::<Result<_, _>>()?;
        for needed in ["name", "phone"] {
            if !rows.columns.contains(&needed) {
                let detail = format!("the file has no column `{needed}`");
                return Err(ProblemDocument::new(422, "missing_column", detail).with_hint(
                    format!(
                        "name the columns in the first line, such as: {}",
                        PERSON_FIELDS.join(",")
                    ),
                ));
            }
        }
        Ok(rows)
    }

    /// Returns the length of the file in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes of the file that have been read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.position().byte()
    }

    /// Reads the next rows of the file; `most` is their maximum number. At the end of the file, the batch
    /// is empty.
    ///
    /// # Errors
    /// `unreadable_file`.
    pub(super) fn next(&mut self, most: usize) -> Result<Batch, ProblemDocument> {
        let mut batch = Batch::default();
        while batch.valid.len() + batch.invalid.len() < most {
            let Some((line, cells)) = self.record()? else { break };
            match cells.and_then(|cells| to_person(&self.columns, &cells)) {
                Ok(person) => batch.valid.push(Row { line, person }),
                Err(reason) => batch.invalid.push(InvalidRow { line, reason }),
            }
        }
        Ok(batch)
    }

    /// Reads the next row that is not blank, and returns its line number and its cells.
    /// Returns `None` at the end of the file.
    fn record(&mut self) -> Result<Option<(u64, Cells)>, ProblemDocument> {
        let mut record = ByteRecord::new();
        loop {
            let more = self.reader.read_byte_record(&mut record);
            if !more.map_err(|e| unreadable(format!("cannot read the file: {e}")))? {
                return Ok(None);
            }
            if !record.iter().all(|cell| cell.trim_ascii().is_empty()) {
                break;
            }
        }
        let feeds = record.as_slice().iter().filter(|byte| **byte == b'\n').count();
        let line = self.reader.position().line().saturating_sub(1 + feeds as u64);
        let cells = record.iter().map(|cell| String::from_utf8(cell.trim_ascii().to_vec()));
        let cells = cells.collect::<Result<_, _>>().map_err(|_| "the row is not UTF-8".to_owned());
        Ok(Some((line, cells)))
    }
}

/// The cells of a row, or the reason why they cannot be read.
type Cells = Result<Vec<String>, String>;

fn unreadable(detail: impl Into<String>) -> ProblemDocument {
    ProblemDocument::new(422, "unreadable_file", detail)
        .with_hint("use a file of comma-separated values, encoded in UTF-8")
}

fn parse_column(name: &str) -> Result<&'static str, ProblemDocument> {
    let known = name.trim().to_lowercase().replace([' ', '-'], "_");
    PERSON_FIELDS.into_iter().find(|column| *column == known).ok_or_else(|| {
        ProblemDocument::new(422, "unknown_column", format!("unknown column: `{name}`"))
            .with_hint(format!("use these columns, in any order: {}", PERSON_FIELDS.join(",")))
    })
}

/// Converts the cells of a row to a person. An empty cell is omitted, so that the stored value
/// remains. The required fields `name` and `phone` are present even if their cells are empty.
fn to_person(columns: &[&'static str], cells: &[String]) -> Result<Value, String> {
    if cells.len() != columns.len() {
        return Err(format!("the row has {} cells, the header {}", cells.len(), columns.len()));
    }
    let mut person = Map::new();
    for (column, cell) in columns.iter().zip(cells) {
        let value = match *column {
            "name" | "phone" => cell.as_str().into(),
            _ if cell.is_empty() => continue,
            "roles" => cell.split(';').map(str::trim).filter(|role| !role.is_empty()).collect(),
            "active" => parse_bool(cell)?.into(),
            _ => cell.as_str().into(),
        };
        person.insert((*column).to_owned(), value);
    }
    Ok(person.into())
}

fn parse_bool(cell: &str) -> Result<bool, String> {
    match cell.to_lowercase().as_str() {
        "true" | "yes" | "y" | "1" => Ok(true),
        "false" | "no" | "n" | "0" => Ok(false),
        _ => Err(format!("`active` must be true or false: `{cell}`")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Batch {
        Rows::read(text.as_bytes(), 0).expect("a header").next(100).expect("rows")
    }

    #[test]
    fn columns_come_in_any_order_and_empty_cells_are_left_out() {
        let text =
            "Phone,Roles,name,Time zone,active\r\n512 555 0101,nursery; Greeters;,Ana,,no\r\n";
        let Batch { valid, invalid } = read(text);
        assert_eq!(invalid, []);
        let ana = json!({"phone": "512 555 0101", "roles": ["nursery", "Greeters"], "name": "Ana", "active": false});
        assert_eq!(valid, [Row { line: 2, person: ana }]);
    }

    #[test]
    fn cells_may_hold_commas_and_line_ends() {
        let text = "\r\nname,phone,household\r\n\r\n\"Ana, the elder\",1,\"a\nb\"\r\nBen,2,";
        let Batch { valid, invalid } = read(text);
        assert_eq!(invalid, []);
        assert_eq!(valid[0].person["name"], "Ana, the elder");
        assert_eq!(valid[0].person["household"], "a\nb");
        assert_eq!((valid[0].line, valid[1].line), (4, 6));
    }

    #[test]
    fn an_invalid_row_is_reported_with_its_line() {
        let Batch { valid, invalid } =
            read("name,phone,active\nAna,1\nBen,2,maybe\n\nCarla,3,yes\n");
        assert_eq!((valid.len(), valid[0].line), (1, 5));
        let invalid: Vec<_> = invalid.iter().map(|row| (row.line, row.reason.as_str())).collect();
        assert_eq!(
            invalid,
            [
                (2, "the row has 2 cells, the header 3"),
                (3, "`active` must be true or false: `maybe`")
            ]
        );
    }

    #[test]
    fn a_header_without_the_needed_columns_is_refused() {
        let code = |text: &str| Rows::read(text.as_bytes(), 0).err().map(|problem| problem.code);
        assert_eq!(code("name,roles\n").as_deref(), Some("missing_column"));
        assert_eq!(code("name,phone,shoe size\n").as_deref(), Some("unknown_column"));
        assert_eq!(code("").as_deref(), Some("missing_column"));
    }
}
