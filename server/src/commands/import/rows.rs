//! The rows of a file of people, each with its line.

use std::fs::File;
use std::io::{BufRead, BufReader, Chain};
use std::path::Path;

use abide_verbs::api::people::MEMBERS;
use csv::{ByteRecord, ReaderBuilder, Terminator};
use serde_json::{Map, Value};

use crate::problem::ProblemDocument;

/// What spreadsheets put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Somebody, as `POST /v1/people` takes them.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    line: u64,
    pub(super) person: Value,
}

/// A row that was left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) line: u64,
    pub(super) reason: String,
}

impl Row {
    /// What the API said of it; which place it had in the request is nobody's concern.
    pub(super) fn refused(self, problem: &ProblemDocument) -> Bad {
        let said = problem.detail.strip_prefix("person 0: ").unwrap_or(&problem.detail);
        Bad { line: self.line, reason: said.to_owned() }
    }
}

/// A file that is being read.
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
        let named =
            |e: std::io::Error| unreadable(format!("cannot read `{}`: {e}", path.display()));
        let file = File::open(path).map_err(named)?;
        let bytes = file.metadata().map_err(named)?.len();
        let mut file = BufReader::new(file);
        if file.fill_buf().map_err(named)?.starts_with(BYTE_ORDER_MARK) {
            file.consume(BYTE_ORDER_MARK.len());
        }
        Self::read(file, bytes)
    }
}

impl<R: BufRead> Rows<R> {
    fn read(text: R, bytes: u64) -> Result<Self, ProblemDocument> {
        // Every row ends in a line feed, so that its line follows from where it ends; what stands
        // before the feed, if anything, is white space.
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
        rows.columns = header.iter().map(|name| column(name)).collect::<Result<_, _>>()?;
        for needed in ["name", "phone"] {
            if !rows.columns.contains(&needed) {
                let detail = format!("the file has no column `{needed}`");
                return Err(ProblemDocument::new(422, "missing_column", detail).with_hint(
                    format!("its first line names its columns: {}", MEMBERS.join(",")),
                ));
            }
        }
        Ok(rows)
    }

    /// The length of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How much of it is read.
    pub(super) fn at(&self) -> u64 {
        self.reader.position().byte()
    }

    /// The next rows; none when the file is at its end.
    ///
    /// # Errors
    /// `unreadable_file`.
    pub(super) fn next(&mut self, most: usize) -> Result<(Vec<Row>, Vec<Bad>), ProblemDocument> {
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        while good.len() + bad.len() < most {
            let Some((line, cells)) = self.record()? else { break };
            match cells.and_then(|cells| person(&self.columns, &cells)) {
                Ok(person) => good.push(Row { line, person }),
                Err(reason) => bad.push(Bad { line, reason }),
            }
        }
        Ok((good, bad))
    }

    /// The next row that is not blank: its line and its cells.
    fn record(&mut self) -> Result<Option<(u64, Cells)>, ProblemDocument> {
        let mut record = ByteRecord::new();
        loop {
            let more = self.reader.read_byte_record(&mut record);
            if !more.map_err(|e| unreadable(format!("cannot read on: {e}")))? {
                return Ok(None);
            }
            if !record.iter().all(|cell| cell.trim_ascii().is_empty()) {
                break;
            }
        }
        let feeds = record.as_slice().iter().filter(|byte| **byte == b'\n').count();
        let line = self.reader.position().line().saturating_sub(1 + feeds as u64);
        let cells = record.iter().map(|cell| String::from_utf8(cell.trim_ascii().to_vec()));
        let cells = cells.collect::<Result<_, _>>().map_err(|_| "it is not UTF-8".to_owned());
        Ok(Some((line, cells)))
    }
}

/// The cells of a row, or why it has none.
type Cells = Result<Vec<String>, String>;

fn unreadable(detail: impl Into<String>) -> ProblemDocument {
    ProblemDocument::new(422, "unreadable_file", detail)
        .with_hint("name a file of comma-separated values, in UTF-8")
}

fn column(name: &str) -> Result<&'static str, ProblemDocument> {
    let known = name.trim().to_lowercase().replace([' ', '-'], "_");
    MEMBERS.into_iter().find(|column| *column == known).ok_or_else(|| {
        ProblemDocument::new(422, "unknown_column", format!("`{name}` is no column of people"))
            .with_hint(format!("the columns are, in any order: {}", MEMBERS.join(",")))
    })
}

/// The cells as members; an empty one is left out, so that what is known stays.
fn person(columns: &[&'static str], cells: &[String]) -> Result<Value, String> {
    if cells.len() != columns.len() {
        return Err(format!("it has {} cells, the header {}", cells.len(), columns.len()));
    }
    let mut person = Map::new();
    for (column, cell) in columns.iter().zip(cells) {
        let value = match *column {
            "name" | "phone" => cell.as_str().into(),
            _ if cell.is_empty() => continue,
            "roles" => cell.split(';').map(str::trim).filter(|role| !role.is_empty()).collect(),
            "active" => yes_or_no(cell)?.into(),
            _ => cell.as_str().into(),
        };
        person.insert((*column).to_owned(), value);
    }
    Ok(person.into())
}

fn yes_or_no(cell: &str) -> Result<bool, String> {
    match cell.to_lowercase().as_str() {
        "true" | "yes" | "y" | "1" => Ok(true),
        "false" | "no" | "n" | "0" => Ok(false),
        _ => Err(format!("`active` is `{cell}`: write true or false")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> (Vec<Row>, Vec<Bad>) {
        Rows::read(text.as_bytes(), 0).expect("a header").next(100).expect("rows")
    }

    #[test]
    fn columns_come_in_any_order_and_empty_cells_are_left_out() {
        let text =
            "Phone,Roles,name,Time zone,active\r\n512 555 0101,nursery; Greeters;,Ana,,no\r\n";
        let (good, bad) = read(text);
        assert_eq!(bad, []);
        let ana = json!({"phone": "512 555 0101", "roles": ["nursery", "Greeters"], "name": "Ana", "active": false});
        assert_eq!(good, [Row { line: 2, person: ana }]);
    }

    #[test]
    fn cells_may_hold_commas_and_line_ends() {
        let text = "\r\nname,phone,household\r\n\r\n\"Ana, the elder\",1,\"a\nb\"\r\nBen,2,";
        let (good, bad) = read(text);
        assert_eq!(bad, []);
        assert_eq!(good[0].person["name"], "Ana, the elder");
        assert_eq!(good[0].person["household"], "a\nb");
        assert_eq!((good[0].line, good[1].line), (4, 6));
    }

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        let (good, bad) = read("name,phone,active\nAna,1\nBen,2,maybe\n\nCarla,3,yes\n");
        assert_eq!((good.len(), good[0].line), (1, 5));
        let bad: Vec<_> = bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
        assert_eq!(
            bad,
            [(2, "it has 2 cells, the header 3"), (3, "`active` is `maybe`: write true or false")]
        );
    }

    #[test]
    fn a_header_without_what_is_needed_is_refused() {
        let code = |text: &str| Rows::read(text.as_bytes(), 0).err().map(|problem| problem.code);
        assert_eq!(code("name,roles\n").as_deref(), Some("missing_column"));
        assert_eq!(code("name,phone,shoe size\n").as_deref(), Some("unknown_column"));
        assert_eq!(code("").as_deref(), Some("missing_column"));
    }
}
