//! Adds a line to a draft.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use super::DocumentKind;
use super::draft::{Draft, DraftLine};
use super::place;
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::tool::input::{Input, known};

/// The quantity of a line whose quantity is left out.
const ONE: &str = "1";

/// Adds a line to a draft, and adds up the document again.
pub(in crate::tool) struct AddLine(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl WriteVerb for AddLine {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (line, effects) = add_line(tx, self.0, Input::of(cx, args)).await?;
        Ok(VerbOutcome::done(line.shown()?, effects))
    }
}

/// Adds the line that the input describes to the draft that it names.
pub(in crate::tool) async fn add_line<'a>(
    tx: &mut Tx,
    kind: &'static DocumentKind,
    input: Input<'a>,
) -> Result<(DraftLine<'a>, Effects), Problem> {
    let draft = Draft::lock(tx, kind, input, input.row(kind.id)?).await?;
    let (lines, mut effects) = (known(kind.lines)?, Effects::default());
    let mut row = StoredRow::new(lines, data::new_id(tx, lines), input.now);
    row.set(kind.id, Cell::Text(draft.row.id().to_owned()));
    row.set("quantity", Cell::Text(ONE.to_owned()));
    row.set("position", Cell::Int(place::open(tx, &draft, &mut effects).await?));
    let mut line = DraftLine { draft, row };
    line.describe(tx).await?;
    input.insert(tx, &line.row, &mut effects).await?;
    line.draft.add_up(tx, &[], &mut effects).await?;
    Ok((line, effects))
}
