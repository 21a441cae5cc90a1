//! The rule about promised times: a call that moves a promised period, or that adds one which overlaps the
//! promised period of another row for the same people, needs an approval.

use std::collections::BTreeSet;

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::contract::{DataAction, OneOf, PromisedPeriod, Risk};
use abide_engine::policy::GateRule;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Proposal};
use serde_json::json;

use super::DataCall;
use super::assignment::Assignments;
use crate::cell::Cell;
use crate::data::{self, OverlapQuery, StoredRow};
use crate::refusal;
use crate::table::Column;

/// Returns what to ask a person, if the call would override what is promised.
pub(super) async fn proposal(
    tx: &mut Tx,
    call: &DataCall<'_>,
    cx: &CallContext<'_>,
) -> Result<Option<Proposal>, Problem> {
    let Some(promised) = &call.tool.promised else { return Ok(None) };
    let table = call.target.table;
    let before = match call.tool.action {
        DataAction::Update => data::find(tx, table, call.tenant, call.named_row()?.id).await?,
        _ => Some(StoredRow::new(table, String::new(), call.now)),
    };
    let Some(before) = before else { return Ok(None) }; // the call itself says that the row is missing
    let mut after = before.clone();
    Assignments::of(call)?.apply(&mut after)?;
    let (old, new) = (Period::of(&before, promised), Period::of(&after, promised));
    let Some(new) = new.filter(|new| Some(*new) != old) else { return Ok(None) };
    let zone = cx.settings.zone();
    let shown = |period: Period| {
        format!("{} to {}", period.from.in_zone(&zone), period.until.in_zone(&zone))
    };
    let is_promised = holds(call, &before, promised)?;
    let (reason, what) = match old.filter(|_| is_promised) {
        Some(old) => (
            format!("{} is promised for {}", before.id(), shown(old)),
            format!("move {} to {}", before.id(), shown(new)),
        ),
        None => {
            let Some(other) = overlapped(tx, call, promised, &after, new).await? else {
                return Ok(None);
            };
            let taken = Period::of(&other, promised).map(shown).unwrap_or_default();
            (
                format!("{} is promised for {taken}", other.id()),
                format!("plan {} beside {}", shown(new), other.id()),
            )
        }
    };
    let shows = json!({ "what": what });
    let args = call.args.clone();
    Ok(Some(Proposal { rule: GateRule::Promise, reason, risk: Risk::T3, args, shows }))
}

/// The period that a row promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    from: Timestamp,
    until: Timestamp,
}

impl Period {
    /// Returns the period of a row; `None` if the row has none.
    fn of(row: &StoredRow, promised: &PromisedPeriod) -> Option<Self> {
        let at = |column: &str| match row.cell(column) {
            Cell::Int(micros) => Some(Timestamp::from_micros(*micros)),
            Cell::Null | Cell::Text(_) => None,
        };
        Some(Self { from: at(&promised.from)?, until: at(&promised.until)? })
    }
}

/// Whether a row is in a state in which its period is promised.
fn holds(call: &DataCall<'_>, row: &StoredRow, promised: &PromisedPeriod) -> Result<bool, Problem> {
    for (name, cells) in held_cells(call, promised)? {
        if !cells.contains(row.cell(name.name)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the values that the columns of a row hold while its period is promised.
fn held_cells(
    call: &DataCall<'_>,
    promised: &PromisedPeriod,
) -> Result<Vec<(&'static Column, Vec<Cell>)>, Problem> {
    let mut all = Vec::new();
    for (name, OneOf(values)) in &promised.holds {
        let column = call.target.table.any_column(name).map_err(refusal::unknown)?;
        let cells = values.iter().map(|value| column.constant(value, call.now, call.region));
        let cells: Result<Vec<Cell>, _> = cells.collect();
        all.push((column, cells.map_err(|misfit| refusal::misfit(name, &misfit))?));
    }
    Ok(all)
}

/// Returns the earliest row whose promised period overlaps `period`, for one of the people of `row`.
async fn overlapped(
    tx: &mut Tx,
    call: &DataCall<'_>,
    promised: &PromisedPeriod,
    row: &StoredRow,
    period: Period,
) -> Result<Option<StoredRow>, Problem> {
    let column = |name: &str| call.target.table.any_column(name).map_err(refusal::unknown);
    let wanted = promised.whose.as_ref().map(|name| people(row.text(name)));
    if wanted.as_ref().is_some_and(BTreeSet::is_empty) {
        return Ok(None);
    }
    let query = OverlapQuery {
        table: call.target.table,
        tenant: call.tenant,
        from: column(&promised.from)?,
        until: column(&promised.until)?,
        since: period.from,
        before: period.until,
        holds: held_cells(call, promised)?,
    };
    let found = data::overlapping(tx, &query).await?;
    let shares = |other: &StoredRow| match (&promised.whose, &wanted) {
        (Some(name), Some(wanted)) => !people(other.text(name)).is_disjoint(wanted),
        _ => true,
    };
    Ok(found.into_iter().find(|other| other.id() != row.id() && shares(other)))
}

/// Returns the people that a column names: one, or a JSON list of several.
fn people(text: &str) -> BTreeSet<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        }
        _ if text.is_empty() => BTreeSet::new(),
        _ => BTreeSet::from([text.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_names_one_person_or_a_list() {
        let named = |text| people(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(named("Mel"), "Mel");
        assert_eq!(named(r#"["Tom","Mel"]"#), "Mel Tom");
        assert_eq!(named(""), "");
        assert_eq!(named("[]"), "");
    }
}
