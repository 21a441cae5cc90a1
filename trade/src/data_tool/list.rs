//! The action `list`: returns a page of rows, the newest first.

use abide_engine::base::{Problem, Value};
use abide_engine::contract::OneOf;
use abide_engine::store::Tx;
use abide_engine::verb::{Effects, VerbOutcome};
use serde_json::Map;

use super::target::{COLLECTION, Field};
use super::{DataCall, shown};
use crate::cell::{Cell, Misfit};
use crate::data::{self, Filter, ListQuery, Period};
use crate::table::Column;
use crate::{page, refusal};

/// Returns the page of rows that the input selects, and where the next page begins.
pub(super) async fn run(tx: &mut Tx, call: &DataCall<'_>) -> Result<VerbOutcome, Problem> {
    let limit = page::limit(given(call, "limit"))?;
    let query = ListQuery {
        table: call.target.table,
        tenant: call.tenant,
        filters: filters(call)?,
        period: period(call)?,
        after: after(call)?,
        limit: limit + 1, // one row more shows whether there is another page
    };
    let mut rows = data::list(tx, &query).await?;
    let next = page::cut(&mut rows, limit);
    let mut result = Map::new();
    result.insert("count".to_owned(), rows.len().into());
    if let Some(next) = next {
        result.insert("next".to_owned(), next.into());
    }
    let shown: Result<Vec<Value>, Problem> = rows.iter().map(|row| shown::row(call, row)).collect();
    result.insert(call.tool.record.clone().unwrap_or_default(), shown?.into());
    Ok(VerbOutcome::done(Value::Object(result), Effects::default()))
}

/// Returns a member of the input; `None` if it is left out or null.
fn given<'a>(call: &DataCall<'a>, member: &str) -> Option<&'a Value> {
    call.args.get(member).filter(|value| !value.is_null())
}

fn after<'a>(call: &DataCall<'a>) -> Result<Option<&'a str>, Problem> {
    let Some(value) = given(call, "after") else { return Ok(None) };
    match value.as_str().filter(|id| call.target.table.has_id(id)) {
        Some(id) => Ok(Some(id)),
        None => Err(page::wrong_after()),
    }
}

/// Returns the conditions of the collection, the contract and the input.
fn filters(call: &DataCall<'_>) -> Result<Vec<Filter>, Problem> {
    let mut filters = Vec::new();
    if let Some(collection) = call.target.collection {
        let column = call.target.table.column(COLLECTION).map_err(refusal::unknown)?;
        filters.push(Filter::Column { column, values: vec![Cell::Text(collection.to_owned())] });
    }
    for (name, OneOf(values)) in &call.tool.conditions {
        let constant =
            |column: &Column, value: &Value| column.constant(value, call.now, call.region);
        filters.push(filter(call, FilterSource { member: name, name, values }, constant)?);
    }
    for member in call.tool.column_members(call.contract) {
        if let Some(value) = given(call, member) {
            let name = call.tool.column_of(member);
            let source = FilterSource { member, name, values: std::slice::from_ref(value) };
            filters.push(filter(call, source, |column, value| column.stored(value, call.region))?);
        }
    }
    Ok(filters)
}

/// Where a condition of a list comes from.
struct FilterSource<'a> {
    /// The member of the input that gives the values, or the column of a constant.
    member: &'a str,
    /// The name of the column, or of the member of a record.
    name: &'a str,
    values: &'a [Value],
}

/// Returns the condition that a column, or a member of a record, has one of the values.
/// `stored` converts a value to the stored form of the column.
fn filter(
    call: &DataCall<'_>,
    source: FilterSource<'_>,
    stored: impl Fn(&Column, &Value) -> Result<Cell, Misfit>,
) -> Result<Filter, Problem> {
    let FilterSource { member, name, values } = source;
    match call.target.readable(name).map_err(refusal::unknown)? {
        Field::Column(column) => {
            let cells = values.iter().map(|value| match value {
                Value::Null => Ok(Cell::Null),
                value => stored(column, value).map_err(|misfit| refusal::misfit(member, &misfit)),
            });
            Ok(Filter::Column { column, values: cells.collect::<Result<_, Problem>>()? })
        }
        Field::Member(member) => {
            Ok(Filter::Member { name: member.to_owned(), values: values.to_vec() })
        }
    }
}

/// Returns the period that the input selects, of the column that the contract names.
fn period(call: &DataCall<'_>) -> Result<Period, Problem> {
    let name = call.tool.period.as_deref().unwrap_or("created_at");
    let column = call.target.table.any_column(name).map_err(refusal::unknown)?;
    let bound = |member: &str| match given(call, member) {
        None => Ok(Cell::Null),
        Some(value) => {
            let stored = column.stored(value, call.region);
            stored.map_err(|misfit| refusal::misfit(member, &misfit))
        }
    };
    Ok(Period { column, since: bound("since")?, until: bound("until")? })
}
