//! Quotes and invoices: documents with lines. The same code serves both.
//!
//! A call that changes a document or its lines locks the document before it reads or changes a line, so
//! that concurrent calls change it one after the other. The lines have the positions 1, 2, 3 and so on, and
//! the sums of the document are those of its lines.

mod add_line;
mod amounts;
mod calculate;
mod draft;
mod finalize;
mod get;
mod place;
mod remove_line;
mod update_line;

use abide_engine::base::Problem;

pub(super) use add_line::{AddLine, add_line};
pub(super) use calculate::Calculate;
pub(super) use finalize::{Finalize, finalize};
pub(super) use get::Get;
pub(super) use remove_line::RemoveLine;
pub(super) use update_line::UpdateLine;

use super::input::known;
use super::invoice::outstanding;
use crate::data::{Lines, StoredRow};

/// Maximum number of lines of a document: the tools `get` return all of them, without pages.
const LINES_MAX: i64 = 200;

/// A kind of documents.
pub(super) struct DocumentKind {
    /// The member of results that shows the document.
    pub(in crate::tool) name: &'static str,
    /// The member of inputs that names the document, which is also the column of its lines.
    pub(in crate::tool) id: &'static str,
    /// The table of the documents.
    pub(in crate::tool) table: &'static str,
    /// The table of the lines.
    pub(in crate::tool) lines: &'static str,
    /// The date that can be set when the document is finalized.
    pub(in crate::tool) date: &'static str,
    /// Returns what is still to be paid, if the documents are paid.
    pub(in crate::tool) outstanding: Option<fn(&StoredRow) -> i64>,
}

/// The quotes.
pub(super) static QUOTE: DocumentKind = DocumentKind {
    name: "quote",
    id: "quote_id",
    table: "quotes",
    lines: "quote_line_items",
    date: "valid_until_date",
    outstanding: None,
};

/// The invoices.
pub(super) static INVOICE: DocumentKind = DocumentKind {
    name: "invoice",
    id: "invoice_id",
    table: "invoices",
    lines: "invoice_line_items",
    date: "due_date",
    outstanding: Some(outstanding),
};

impl DocumentKind {
    /// Returns what selects the lines of a document.
    pub(in crate::tool) fn lines_of<'a>(
        &self,
        tenant: &'a str,
        id: &'a str,
    ) -> Result<Lines<'a>, Problem> {
        Ok(Lines { table: known(self.lines)?, document: self.id, tenant, id })
    }
}
