//! Guards the states that somebody has ordered to avoid, wakes the runs whose states a call has touched, and settles
//! orders whose runs have ended.

use abide_agent::obligations::ObligationType;
use abide_engine::base::{Problem, RowId, RunId, Span, Timestamp, Value};
use abide_engine::contract::Contract;
use abide_engine::domain::{DomainContext, RunEnd, StartRun};
use abide_engine::planted::PlantedFault;
use abide_engine::run::{Control, RunOutcome};
use abide_engine::store::{SignalKind, StoreError, Tx};
use serde_json::json;

use super::method::TOUCHED;
use crate::data::asked::{self, ObligationStatus};
use crate::data::standing::{self, StandingRow};

/// How long the process that stores an order has to start its run, before a sweep starts it.
pub(super) const START_GRACE: Span = Span::from_secs(30);
/// Maximum number of orders that one sweep takes up.
const ORDERS_MAX: i64 = 20;

/// Returns what starts the run of an order. A second start for the same order is the same run.
pub(super) fn start_of(row: &StandingRow) -> StartRun {
    StartRun {
        goal: row.goal.clone(),
        key: Some(format!("standing:{}", row.id)),
        outside_plan: Some(row.method.clone()),
        ..StartRun::default()
    }
}

/// Returns why a call may not be made: somebody has ordered to avoid what it can bring about.
///
/// # Errors
/// Errors from the store.
pub(crate) async fn refusal(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    contract: &Contract,
) -> Result<Option<Problem>, StoreError> {
    for state in contract.brings_about() {
        let orders = standing::about(tx, cx.tenant, state, cx.now).await?;
        let avoid = orders.iter().find(|order| order.kind == ObligationType::Avoid);
        if let Some(order) = avoid {
            let until = order.until.in_zone(&cx.settings.zone());
            let why = format!(
                "`{}` can bring about `{state}`, which is to be avoided until {until}",
                contract.name
            );
            let thing = state.split_once('.').map_or(state, |(thing, _)| thing);
            let hint = format!(
                "wait until then, or let the user who ordered it say \"stop avoiding the {}\"",
                thing.replace('_', " ")
            );
            return Ok(Some(Problem::caller("avoided", why).with_hint(hint)));
        }
    }
    Ok(None)
}

/// Refuses a call that can bring about a state that is to be avoided.
pub(crate) async fn before_call(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    contract: &Contract,
) -> Result<(), Problem> {
    refusal(tx, cx, contract).await?.map_or(Ok(()), Err)
}

/// Wakes the runs that watch a state which a call of `run` has touched.
pub(crate) async fn after_call(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    contract: &Contract,
    run: RunId,
) -> Result<(), Problem> {
    for state in contract.touched() {
        for order in standing::about(tx, cx.tenant, state, cx.now).await? {
            let Some(watching) = order.run.filter(|watching| *watching != run) else { continue };
            if tx.first_named(watching, &[TOUCHED]).await?.is_none() {
                let named = SignalKind::Named(TOUCHED);
                tx.signal(watching, named, None, &json!({ "tool": contract.name })).await?;
            }
        }
    }
    Ok(())
}

/// Settles an order whose run has ended. `goal` is the goal of the run. Returns whether it is the run of an order.
pub(crate) async fn run_ended(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    end: &RunEnd<'_>,
    goal: &Value,
) -> Result<bool, Problem> {
    let id = goal.get("obligation_id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let Some(id) = id else { return Ok(false) };
    let id: RowId = id;
    let is_achieve = goal["type"] == ObligationType::Achieve.as_str();
    if !PlantedFault::OrderNotSettled.is_active() {
        asked::settle(tx, id, settled(is_achieve, end), cx.now).await?;
    }
    standing::end(tx, id, cx.now).await?;
    Ok(true)
}

/// Returns what has become of an order whose run has ended.
fn settled(is_achieve: bool, end: &RunEnd<'_>) -> ObligationStatus {
    match end.outcome {
        _ if end.cancelled => ObligationStatus::Cancelled,
        Some(RunOutcome::Succeeded) => ObligationStatus::Resolved,
        Some(RunOutcome::FellShort) if is_achieve => ObligationStatus::Expired,
        Some(RunOutcome::FellShort) | None => ObligationStatus::Failed,
    }
}

/// Takes up orders whose run the process that stored them has not started. Returns the runs to start, and the number of
/// orders.
pub(crate) async fn take_up(tx: &mut Tx, tenant: &str, by: Timestamp) -> Result<TakenUp, Problem> {
    let mut taken = TakenUp::default();
    for row in standing::due(tx, tenant, by, ORDERS_MAX).await? {
        let start = start_of(&row);
        match tx.run_by_key(tenant, start.key.as_deref()).await? {
            Some(run) => link(tx, row.id, run).await?,
            None => taken.starts.push(start),
        }
        taken.orders += 1;
    }
    Ok(taken)
}

/// Records the run of an order. The run of an order that was ended before its run began is cancelled.
pub(super) async fn link(tx: &mut Tx, order: RowId, run: RunId) -> Result<(), Problem> {
    if standing::link(tx, order, run).await? {
        return Ok(());
    }
    if tx.run(run).await?.is_some_and(|run| !run.status.is_terminal()) {
        cancel(tx, run).await?;
    }
    Ok(())
}

/// Cancels the run of an order, which settles the order.
pub(crate) async fn cancel(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    let order = SignalKind::Order(Control::Cancel.as_str());
    tx.signal(run, order, None, &json!({})).await.map(drop)
}

/// What a sweep has taken up.
#[derive(Debug, Default)]
pub(crate) struct TakenUp {
    /// The runs to start.
    pub(crate) starts: Vec<StartRun>,
    /// The number of orders.
    pub(crate) orders: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_settled_as_its_run_ends() {
        let end = |outcome, cancelled| RunEnd {
            run: "run_0199a5a1c2807b3e8f4d2c6b5a493827".parse().expect("an id"),
            method: "standing",
            request: None,
            outcome,
            cancelled,
            failure: None,
        };
        let cases = [
            (true, Some(RunOutcome::Succeeded), false, ObligationStatus::Resolved),
            (true, Some(RunOutcome::FellShort), false, ObligationStatus::Expired),
            (false, Some(RunOutcome::FellShort), false, ObligationStatus::Failed),
            (false, None, false, ObligationStatus::Failed),
            (false, None, true, ObligationStatus::Cancelled),
        ];
        for (is_achieve, outcome, cancelled, wanted) in cases {
            assert_eq!(settled(is_achieve, &end(outcome, cancelled)), wanted);
        }
    }
}
