//! The places of the lines in a document. The positions stay 1, 2, 3 and so on.

use abide_engine::base::Problem;
use abide_engine::store::Tx;
use abide_engine::verb::Effects;

use super::LINES_MAX;
use super::draft::{Draft, DraftLine};
use crate::cell::Cell;
use crate::data::{self, LineShift};
use crate::refusal;

/// Makes place for a new line. Returns its position: the one that the input gives, or the last.
pub(super) async fn open(
    tx: &mut Tx,
    draft: &Draft<'_>,
    effects: &mut Effects,
) -> Result<i64, Problem> {
    let count = draft.sums(tx).await?.count;
    if count >= LINES_MAX {
        let (name, id) = (draft.kind.name, draft.row.id());
        let message = format!("the {name} `{id}` has {count} lines, and cannot have more");
        return Err(Problem::caller("too_many_lines", message)
            .with_hint("remove a line, join several lines into one, or write a second document"));
    }
    let position = wanted(draft, count + 1)?.unwrap_or(count + 1);
    let later = LineShift { first: position, last: count, by: 1 };
    shift(tx, draft, later, effects).await?;
    Ok(position)
}

/// Closes the gap that a removed line leaves.
pub(super) async fn close(
    tx: &mut Tx,
    line: &DraftLine<'_>,
    effects: &mut Effects,
) -> Result<(), Problem> {
    let later = LineShift { first: line.row.int("position") + 1, last: LINES_MAX, by: -1 };
    shift(tx, &line.draft, later, effects).await
}

/// Moves a line to the position that the input gives, if it gives one. The lines between its old and its
/// new place move by one. The caller writes the new position of the line itself.
pub(super) async fn change(
    tx: &mut Tx,
    line: &mut DraftLine<'_>,
    effects: &mut Effects,
) -> Result<(), Problem> {
    let draft = &line.draft;
    let count = draft.sums(tx).await?.count;
    let Some(to) = wanted(draft, count)? else { return Ok(()) };
    let between = between(line.row.int("position"), to);
    shift(tx, draft, between, effects).await?;
    line.row.set("position", Cell::Int(to));
    Ok(())
}

/// Moves lines, and records each as written.
async fn shift(
    tx: &mut Tx,
    draft: &Draft<'_>,
    shift: LineShift,
    effects: &mut Effects,
) -> Result<(), Problem> {
    let moved = data::shift(tx, &draft.lines()?, shift, draft.input.now).await?;
    moved.iter().for_each(|id| effects.wrote(draft.kind.lines, "update", id));
    Ok(())
}

/// Returns how the other lines move if one moves. Selects no line if the line stays where it is.
fn between(from: i64, to: i64) -> LineShift {
    if from < to {
        LineShift { first: from + 1, last: to, by: -1 }
    } else {
        LineShift { first: to, last: from - 1, by: 1 }
    }
}

/// Returns the position that the input gives, which can be at most `last`.
fn wanted(draft: &Draft<'_>, last: i64) -> Result<Option<i64>, Problem> {
    match draft.input.whole("position")? {
        Some(position) if !(1..=last).contains(&position) => {
            let (name, id) = (draft.kind.name, draft.row.id());
            let what = format!("is {position}, and must be from 1 to {last} in the {name} `{id}`");
            Err(refusal::invalid("position", &what)
                .with_hint("leave it out, or give a smaller one"))
        }
        position => Ok(position),
    }
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn positions_stay_dense_when_a_line_moves() {
        for (from, to) in (1..=5).flat_map(|from| (1..=5).map(move |to| (from, to))) {
            let shift = between(from, to);
            let moved = |position| {
                let others = (shift.first..=shift.last).contains(&position);
                if position == from {
                    to
                } else if others {
                    position + shift.by
                } else {
                    position
                }
            };
            let mut positions: Vec<i64> = (1..=5).map(moved).collect();
            positions.sort_unstable();
            assert_eq!(positions, [1, 2, 3, 4, 5], "{from} to {to}");
        }
    }
}
