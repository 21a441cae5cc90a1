//! Renders quotes and invoices as texts and emails. These functions are pure: the templates give the words,
//! and the document gives the figures.

use abide_engine::base::{Problem, Value};
use abide_engine::policy::{Region, Settings};
use abide_engine::template::{Rendered, StandardValues, Templates};
use jiff::civil::Date;
use serde_json::Map;

use crate::cell::money;
use crate::data::StoredRow;
use crate::tool::document::DocumentKind;

/// An email as its recipient reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) subject: String,
    pub(super) body: String,
}

/// A quote or an invoice with its recipient, as a template shows it.
pub(super) struct ShownDocument<'a> {
    pub(super) kind: &'static DocumentKind,
    pub(super) row: &'a StoredRow,
    /// The lines of the document, for a template that lists them.
    pub(super) lines: &'a [StoredRow],
    /// The name of the recipient; empty if it is not known.
    pub(super) name: &'a str,
    pub(super) settings: &'a Settings,
}

impl ShownDocument<'_> {
    /// Renders the document with a template; with the usual template of the channel if none is given.
    pub(super) fn text(
        &self,
        templates: &Templates,
        template: Option<&str>,
    ) -> Result<Rendered, Problem> {
        let usual = format!("{}_sms", self.kind.name);
        templates.render(template.unwrap_or(&usual), &self.variables())
    }

    /// Renders the document as an email. The first line of the template is the subject. The words of the
    /// sender come before the figures, and the comment of the document after them.
    pub(super) fn letter(
        &self,
        templates: &Templates,
        template: Option<&str>,
        words: Option<&str>,
    ) -> Result<Letter, Problem> {
        let usual = format!("{}_email", self.kind.name);
        let rendered = templates.render(template.unwrap_or(&usual), &self.variables())?;
        let (subject, figures) = match rendered.body().split_once('\n') {
            Some((subject, figures)) => (subject.to_owned(), figures),
            None => (self.row.text("title").to_owned(), rendered.body()),
        };
        let comment = Some(self.row.text("comment")).filter(|comment| !comment.is_empty());
        let parts: Vec<&str> = words.into_iter().chain([figures]).chain(comment).collect();
        Ok(Letter { subject, body: parts.join("\n\n") })
    }

    /// Returns the values of the variables. A template can use any of them.
    fn variables(&self) -> Value {
        let mut vars = Map::new();
        vars.insert("id".to_owned(), self.row.id().into());
        vars.insert("title".to_owned(), self.row.text("title").into());
        let lines: Vec<String> = self.lines.iter().map(line).collect();
        vars.insert("lines".to_owned(), lines.into());
        let outstanding = self.kind.outstanding.map(|outstanding| outstanding(self.row));
        let amounts = [
            ("subtotal", Some(self.row.int("subtotal"))),
            ("tax", Some(self.row.int("tax")).filter(|tax| *tax != 0)),
            ("total", Some(self.row.int("total"))),
            ("paid", Some(self.row.int("paid")).filter(|paid| *paid != 0)),
            ("outstanding", outstanding),
        ];
        for (name, cents) in amounts {
            if let Some(cents) = cents {
                vars.insert(name.to_owned(), dollars(cents).into());
            }
        }
        if let Some(date) = written(self.row.text(self.kind.date), self.settings.region) {
            vars.insert("date".to_owned(), date.into());
        }
        let first = self.name.split_whitespace().next().unwrap_or("there");
        let standard = StandardValues {
            church: self.settings.name.as_deref().unwrap_or_default(),
            name: first,
            zone: &self.settings.time_zone,
        };
        standard.with(&Value::Object(vars))
    }
}

/// Writes a line of a document: the quantity unless it is one, what it is, and its amount without tax.
fn line(row: &StoredRow) -> String {
    let (quantity, what) = (row.text("quantity"), row.text("description"));
    let amount = dollars(row.int("net"));
    if quantity == "1" {
        format!("{what}: {amount}")
    } else {
        format!("{quantity} x {what}: {amount}")
    }
}

/// Writes an amount of money, with the sign before the currency.
fn dollars(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}${}", money(cents.abs()))
}

/// Writes a date as people of the region do; `None` if it is none.
fn written(date: &str, region: Region) -> Option<String> {
    let date: Date = date.parse().ok()?;
    let form = match region {
        Region::Us => "%B %-d, %Y",
        Region::Au => "%-d %B %Y",
    };
    Some(date.strftime(form).to_string())
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::cell::Cell;
    use crate::table::table;
    use crate::tool::document::{INVOICE, QUOTE};

    fn templates() -> Templates {
        let files = [
            ("quote_sms.hbs", include_str!("../../../../templates/quote_sms.hbs")),
            ("quote_email.hbs", include_str!("../../../../templates/quote_email.hbs")),
            ("invoice_sms.hbs", include_str!("../../../../templates/invoice_sms.hbs")),
            ("invoice_email.hbs", include_str!("../../../../templates/invoice_email.hbs")),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let (templates, findings) = Templates::load(files);
        assert_eq!(findings, []);
        templates
    }

    fn row(kind: &DocumentKind, texts: &[(&str, &str)], amounts: &[(&str, i64)]) -> StoredRow {
        let now = Timestamp::from_micros(0);
        let mut row = StoredRow::new(table(kind.table).expect("a table"), "doc_1".to_owned(), now);
        for (column, text) in texts {
            row.set(column, Cell::Text((*text).to_owned()));
        }
        for (column, cents) in amounts {
            row.set(column, Cell::Int(*cents));
        }
        row
    }

    fn line_row(of: &str, quantity: &str, what: &str, net: i64) -> StoredRow {
        let now = Timestamp::from_micros(0);
        let mut row = StoredRow::new(table(of).expect("a table"), "line_1".to_owned(), now);
        row.set("quantity", Cell::Text(quantity.to_owned()));
        row.set("description", Cell::Text(what.to_owned()));
        row.set("net", Cell::Int(net));
        row
    }

    fn settings(region: &str) -> Settings {
        Settings::default().overridden(&json!({ "region": region })).expect("settings")
    }

    #[test]
    fn a_quote_tells_its_total_and_its_last_day() {
        let amounts = [("subtotal", 100_000), ("tax", 10_000), ("total", 110_000)];
        let texts = [
            ("title", "New roof\nand gutter"),
            ("valid_until_date", "2025-11-01"),
            ("comment", "Soon."),
        ];
        let (row, settings) = (row(&QUOTE, &texts, &amounts), settings("AU"));
        let lines = [
            line_row("quote_line_items", "36.5", "Steel sheets", 102_005),
            line_row("quote_line_items", "1", "Discount", -2_005),
        ];
        let shown = ShownDocument {
            kind: &QUOTE,
            row: &row,
            lines: &lines,
            name: "Ana Diaz",
            settings: &settings,
        };
        let text = shown.text(&templates(), None).expect("a text");
        assert_eq!(
            text.body(),
            "Hi Ana, your quote for New roof and gutter comes to $1100.00. \
             It is valid until 1 November 2025. Do you have any questions?"
        );
        let letter = shown.letter(&templates(), None, Some("As we said:")).expect("a letter");
        assert_eq!(letter.subject, "Your quote: New roof and gutter");
        let body = "As we said:\n\nHi Ana,\nhere is our quote for New roof and gutter.\n\
                    36.5 x Steel sheets: $1020.05\nDiscount: -$20.05\n\
                    Without tax: $1000.00\nTax: $100.00\nTotal: $1100.00\n\
                    It is valid until 1 November 2025.\nNumber of the quote: doc_1\n\nSoon.";
        assert_eq!(letter.body, body);
    }

    #[test]
    fn an_invoice_tells_what_is_still_to_be_paid() {
        let amounts = [("subtotal", 50_000), ("total", 50_000), ("paid", 12_550)];
        let texts = [("title", "Roof"), ("due_date", "2025-11-01"), ("status", "sent")];
        let (row, settings) = (row(&INVOICE, &texts, &amounts), settings("US"));
        let shown =
            ShownDocument { kind: &INVOICE, row: &row, lines: &[], name: "", settings: &settings };
        let text = shown.text(&templates(), None).expect("a text");
        assert_eq!(
            text.body(),
            "Hi there, $374.50 is to be paid for Roof by November 1, 2025. \
             Please give the number doc_1 with your payment."
        );
        let letter = shown.letter(&templates(), None, None).expect("a letter");
        let body = "Hi there,\nhere is our invoice for Roof.\nTotal: $500.00\n\
                    Paid so far: $125.50\nTo pay: $374.50 by November 1, 2025\n\
                    Number of the invoice: doc_1";
        assert_eq!((letter.subject.as_str(), letter.body.as_str()), ("Your invoice: Roof", body));
    }
}
