//! A locked draft: the only state in which the lines of a document can change.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::Effects;

use super::DocumentKind;
use super::amounts::LineAmounts;
use crate::cell::Cell;
use crate::data::{self, LineSums, Lines, StoredRow};
use crate::refusal::{self, NamedRow};
use crate::tool::input::{Input, known, shown};
use crate::tool::state;

/// A document that is a draft and that the transaction has locked.
pub(in crate::tool) struct Draft<'a> {
    pub(super) kind: &'static DocumentKind,
    pub(super) input: Input<'a>,
    pub(super) row: StoredRow,
}

/// A line of a locked draft.
pub(in crate::tool) struct DraftLine<'a> {
    pub(super) draft: Draft<'a>,
    pub(super) row: StoredRow,
}

impl<'a> Draft<'a> {
    /// Locks a document, and checks that it is a draft.
    pub(super) async fn lock(
        tx: &mut Tx,
        kind: &'static DocumentKind,
        input: Input<'a>,
        named: NamedRow<'_>,
    ) -> Result<Self, Problem> {
        let row = input.lock(tx, known(kind.table)?, named).await?;
        state::check(&row, "status", &["draft"])?;
        Ok(Self { kind, input, row })
    }

    /// Returns what selects the lines.
    pub(super) fn lines(&self) -> Result<Lines<'_>, Problem> {
        self.kind.lines_of(self.input.tenant, self.row.id())
    }

    /// Counts the lines and adds them up.
    pub(super) async fn sums(&self, tx: &mut Tx) -> Result<LineSums, Problem> {
        Ok(data::sums(tx, &self.lines()?).await?)
    }

    /// Sets the sums of the document to those of its lines, and writes them with the other columns that the
    /// caller has changed.
    pub(super) async fn add_up(
        &mut self,
        tx: &mut Tx,
        changed: &[&str],
        effects: &mut Effects,
    ) -> Result<(), Problem> {
        let sums = self.sums(tx).await?;
        self.row.set("subtotal", Cell::Int(sums.net));
        self.row.set("tax", Cell::Int(sums.tax));
        self.row.set("total", Cell::Int(sums.net + sums.tax));
        let changed = [changed, &["subtotal", "tax", "total"]].concat();
        self.input.update(tx, &mut self.row, &changed, effects).await
    }
}

impl<'a> DraftLine<'a> {
    /// Locks the document of the line that the input names, and then the line.
    pub(super) async fn lock(
        tx: &mut Tx,
        kind: &'static DocumentKind,
        input: Input<'a>,
    ) -> Result<Self, Problem> {
        let (lines, named) = (known(kind.lines)?, input.row("line_item_id")?);
        let seen = input.find(tx, lines, named).await?;
        let document = NamedRow { member: kind.id, id: seen.text(kind.id) };
        let draft = Draft::lock(tx, kind, input, document).await?;
        // Until the document was locked, another call could move or remove the line.
        let row = input.lock(tx, lines, named).await?;
        Ok(Self { draft, row })
    }

    /// Sets what the input says about the line, and computes its amounts again.
    pub(super) async fn describe(&mut self, tx: &mut Tx) -> Result<(), Problem> {
        let input = self.draft.input;
        input.assign(tx, &mut self.row, &["description", "quantity", "unit_price"]).await?;
        let (quantity, unit_price) = (self.row.text("quantity"), self.row.int("unit_price"));
        let amounts = LineAmounts::of(quantity, unit_price, input.settings.region);
        let amounts = amounts.map_err(|what| refusal::invalid("quantity", &what))?;
        self.row.set("net", Cell::Int(amounts.net));
        self.row.set("tax", Cell::Int(amounts.tax));
        Ok(())
    }

    /// Returns the line and its document as the result of a call.
    pub(super) fn shown(&self) -> Result<Value, Problem> {
        let mut result = serde_json::json!({
            "line_item_id": self.row.id(),
            "line_item": shown(&self.row)?,
        });
        result[self.draft.kind.name] = shown(&self.draft.row)?;
        Ok(result)
    }
}
