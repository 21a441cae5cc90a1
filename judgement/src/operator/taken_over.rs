//! What a new job or invoice takes over from the quote that it is made from: its title, its people and its lines.

use abide_agent::operator::{OperatorReading, ValueOf, WantedCall};
use abide_engine::base::Value;
use abide_engine::contract::{Contract, Contracts};
use abide_engine::store::Tx;
use serde_json::Map;

use super::named::Finder;
use super::plan::CALLS_MAX;

/// The member that names the quote.
const QUOTE: &str = "quote_id";
/// The members that a new record has from its quote.
const SHARED: [&str; 3] = ["title", "customer_id", "lead_id"];
/// The members that a new line has from the line of a quote.
const OF_LINE: [&str; 3] = ["description", "quantity", "unit_price"];

/// Fills the calls that make something from a quote, and adds the lines of the quote to a new document with lines.
pub(super) async fn take_over(tx: &mut Tx, finder: &Finder<'_>, reading: &mut OperatorReading) {
    let mut at = 0;
    while at < reading.calls.len() {
        let added = take_over_one(tx, finder, reading, at).await;
        at += 1 + added;
    }
}

/// Fills one call. Returns the number of calls that were added after it.
async fn take_over_one(
    tx: &mut Tx,
    finder: &Finder<'_>,
    reading: &mut OperatorReading,
    at: usize,
) -> usize {
    let call = &reading.calls[at];
    let made = finder.contracts.get(&call.tool).filter(|it| it.name.ends_with(".create"));
    let quote = call.input.get(QUOTE).and_then(Value::as_str).map(str::to_owned);
    let (Some(contract), Some(quote)) = (made, quote) else { return 0 };
    let Some((quote, lines)) = finder.quote(tx, &quote).await else { return 0 };
    let call = &mut reading.calls[at];
    let members = contract.input.value().get("properties").and_then(Value::as_object);
    for member in SHARED {
        let known = members.is_some_and(|all| all.contains_key(member));
        if let Some(value) = quote.get(member).filter(|_| known && !call.provides(member)) {
            call.input.insert(member.to_owned(), value.clone());
        }
    }
    add_lines(finder.contracts, reading, NewLines { at, contract, lines: &lines })
}

/// The lines of a quote, which a new document is to have.
struct NewLines<'l> {
    /// The place of the call that makes the document.
    at: usize,
    contract: &'l Contract,
    lines: &'l [Value],
}

/// Adds the calls that add the lines, unless the text says lines itself. Returns their number.
fn add_lines(contracts: &Contracts, reading: &mut OperatorReading, new: NewLines<'_>) -> usize {
    let NewLines { at, contract, lines } = new;
    let Some(adder) = contract.domain().map(|domain| format!("{domain}.add_line_item")) else {
        return 0;
    };
    let says_lines = reading.calls.iter().any(|call| call.tool == adder);
    let fits = reading.calls.len() + lines.len() <= CALLS_MAX;
    let id = contract.produces.iter().find(|it| it.ends_with("_id"));
    let Some(id) = id.filter(|_| contracts.get(&adder).is_some() && fits && !says_lines) else {
        return 0;
    };
    for call in &mut reading.calls {
        for from in call.refs.values_mut().filter(|from| from.call > at) {
            from.call += lines.len();
        }
    }
    let calls = lines.iter().map(|line| {
        let of_line = |member: &str| Some((member.to_owned(), line.get(member)?.clone()));
        let from = ValueOf { call: at, member: id.clone() };
        WantedCall {
            tool: adder.clone(),
            input: OF_LINE.into_iter().filter_map(of_line).collect::<Map<String, Value>>(),
            refs: [(id.clone(), from)].into(),
            ..WantedCall::default()
        }
    });
    reading.calls.splice(at + 1..at + 1, calls.collect::<Vec<_>>());
    lines.len()
}
