//! Writes the rows of the demo.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Span, Value};
use abide_engine::store::Tx;
use abide_engine::verb::Effects;
use serde_json::json;
use uuid::Uuid;

use super::DemoContext;
use crate::cell::{Cell, money};
use crate::data::{self, StoredRow};
use crate::refusal::NamedRow;
use crate::tool::document::{DocumentKind, add_line, finalize};
use crate::tool::input::{Input, known};
use crate::tool::inspection::add_items;
use crate::tool::invoice::outstanding;
use crate::tool::payment::record;
use crate::tool::today::{Today, out_of_range};

/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// A row of the demo: its table, and its number in the demo, from 1. Its id follows from both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DemoRow(pub(super) &'static str, pub(super) u8);

/// The row that tells whether the demo is loaded.
const MARKER: DemoRow = DemoRow("customers", 1);

/// Writes the rows of the demo, each as if it had been written some days ago.
pub(super) struct Writer<'a> {
    tx: &'a mut Tx,
    cx: DemoContext<'a>,
    /// The ids of the rows that have another id than the demo gives them: somebody had inserted them before.
    known: BTreeMap<DemoRow, String>,
    /// Number of inserted rows by table.
    inserted: BTreeMap<String, u64>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(tx: &'a mut Tx, cx: DemoContext<'a>) -> Self {
        Self { tx, cx, known: BTreeMap::new(), inserted: BTreeMap::new() }
    }

    /// Whether the tenant has the demo already.
    pub(super) async fn is_loaded(&mut self) -> Result<bool, Problem> {
        let id = self.id(MARKER)?;
        Ok(data::exists(self.tx, known(MARKER.0)?, self.cx.tenant, &id).await?)
    }

    /// Returns the number of inserted rows by table.
    pub(super) fn inserted(self) -> BTreeMap<String, u64> {
        self.inserted
    }

    /// Returns the id of a row.
    pub(super) fn id(&self, row: DemoRow) -> Result<String, Problem> {
        let DemoRow(table, number) = row;
        Ok(match self.known.get(&row) {
            Some(id) => id.clone(),
            None => known(table)?.id(Uuid::from_u128(number.into())),
        })
    }

    /// Returns the day that is some days from today, or before today if `days` is negative.
    pub(super) fn day(&self, days: i64) -> Result<String, Problem> {
        Ok(self.today().plus(days)?.to_string())
    }

    /// Returns the instant of a full hour on the day that is some days from today.
    pub(super) fn at(&self, days: i64, hour: i8) -> Result<String, Problem> {
        let time = self.today().plus(days)?.at(hour, 0, 0, 0);
        let zone = self.input(0, &Value::Null).zone();
        Ok(time.to_zoned(zone).map_err(out_of_range)?.timestamp().to_string())
    }

    fn today(&self) -> Today {
        Today::at(self.cx.now, self.input(0, &Value::Null).zone())
    }

    fn input<'v>(&self, days_ago: i64, args: &'v Value) -> Input<'v>
    where
        'a: 'v,
    {
        let now = self.cx.now - Span::from_secs(days_ago * DAY_SECONDS);
        Input::new(self.cx.tenant, now, self.cx.settings, args)
    }

    /// Inserts a row with these values, unless a row with its unique value is there.
    pub(super) async fn insert(
        &mut self,
        row: DemoRow,
        days_ago: i64,
        values: Value,
    ) -> Result<(), Problem> {
        let table = known(row.0)?;
        let input = self.input(days_ago, &values);
        let mut stored = StoredRow::new(table, self.id(row)?, input.now);
        input.assign(self.tx, &mut stored, &input.members()).await?;
        if data::insert_unless_known(self.tx, self.cx.tenant, &stored).await? {
            self.count(table.name, 1);
            return Ok(());
        }
        let unique = table.unique_column().map_or(&Cell::Null, |column| stored.cell(column.name));
        let found = data::find_by_unique_value(self.tx, table, self.cx.tenant, unique).await?;
        let found = found.ok_or_else(|| Problem::bug("a row is there and cannot be found"))?;
        self.known.insert(row, found.id().to_owned());
        Ok(())
    }

    /// Changes values of a row.
    pub(super) async fn change(
        &mut self,
        row: DemoRow,
        days_ago: i64,
        values: Value,
    ) -> Result<(), Problem> {
        let (input, id) = (self.input(days_ago, &values), self.id(row)?);
        let named = NamedRow { member: "id", id: &id };
        let mut stored = input.lock(self.tx, known(row.0)?, named).await?;
        let changed = input.assign(self.tx, &mut stored, &input.members()).await?;
        input.update(self.tx, &mut stored, &changed, &mut Effects::default()).await
    }

    /// Adds lines to a draft: each a description, a quantity and the price of one.
    pub(super) async fn add_lines<const N: usize>(
        &mut self,
        kind: &'static DocumentKind,
        document: Document,
        lines: [[&str; 3]; N],
    ) -> Result<(), Problem> {
        let id = self.id(DemoRow(kind.table, document.number))?;
        for [description, quantity, unit_price] in lines {
            let values = json!({
                kind.id: id,
                "description": description,
                "quantity": quantity,
                "unit_price": unit_price,
            });
            let input = self.input(document.days_ago, &values);
            add_line(self.tx, kind, input).await?;
            self.count(kind.lines, 1);
        }
        Ok(())
    }

    /// Finalizes a draft, and sets its date: the last day of a quote, or the day when an invoice is due.
    pub(super) async fn finalize(
        &mut self,
        kind: &'static DocumentKind,
        document: Document,
        date: &str,
    ) -> Result<(), Problem> {
        let id = self.id(DemoRow(kind.table, document.number))?;
        let values = json!({ kind.id: id, kind.date: date });
        let input = self.input(document.days_ago, &values);
        finalize(self.tx, kind, input).await.map(drop)
    }

    /// Records a payment of an invoice.
    pub(super) async fn pay(&mut self, invoice: Document, amount: &str) -> Result<(), Problem> {
        let id = self.id(DemoRow("invoices", invoice.number))?;
        let values = json!({ "invoice_id": id, "amount": amount, "method": "bank transfer" });
        let input = self.input(invoice.days_ago, &values);
        record(self.tx, &input).await?;
        self.count("payments", 1);
        Ok(())
    }

    /// Returns what is still to be paid on an invoice. The region decides the tax in it.
    pub(super) async fn owed(&mut self, invoice: DemoRow) -> Result<String, Problem> {
        let (input, id) = (self.input(0, &Value::Null), self.id(invoice)?);
        let named = NamedRow { member: "id", id: &id };
        let row = input.find(self.tx, known(invoice.0)?, named).await?;
        Ok(money(outstanding(&row)))
    }

    /// Adds what was seen to an inspection.
    pub(super) async fn add_items(
        &mut self,
        inspection: Document,
        items: &[Value],
    ) -> Result<(), Problem> {
        let id = self.id(DemoRow("inspections", inspection.number))?;
        let values = json!({ "inspection_id": id, "items": items });
        let input = self.input(inspection.days_ago, &values);
        add_items(self.tx, &input).await?;
        self.count("inspection_items", items.len() as u64);
        Ok(())
    }

    fn count(&mut self, table: &str, rows: u64) {
        *self.inserted.entry(table.to_owned()).or_default() += rows;
    }
}

/// A document of the demo by its number, with the number of days since it is changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document {
    pub(super) number: u8,
    pub(super) days_ago: i64,
}
