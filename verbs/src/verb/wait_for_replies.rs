//! The verb `wait_for_replies`: waits until enough people hold a place,
//! until no open offer is left, or until the wait times out.

use abide_engine::base::{Problem, RequestId, Span, Timestamp, Value, limits};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WaitEnd, WaitSpec, WaitVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::assignment::{self, Assignment};
use crate::data;
use crate::offer::{Offer, OfferCause, wave_cell};
use crate::operations::offers::Notice;
use crate::operations::{OperationContext, offers, requests};

pub(super) struct WaitForReplies;

#[async_trait]
impl WaitVerb for WaitForReplies {
    async fn arm(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<WaitSpec, Problem> {
        let offers = args.get("offers").unwrap_or(&Value::Null);
        let request: RequestId = args::text(offers, "request")?
            .parse()
            .map_err(|e: abide_engine::base::BadId| args::invalid(e.to_string()))?;
        if cx.request != Some(request) {
            return Err(args::invalid("`offers` belong to another request"));
        }
        let role = args::role(offers, "role")?;
        let wave = offers.get("wave").and_then(Value::as_i64).unwrap_or(0);
        let waves = match wave {
            0 => 1..=data::offer::last_wave(tx, request, &role).await?,
            wave => wave..=wave,
        };
        let asked = offers.get("count").and_then(Value::as_i64).unwrap_or(0);
        let longest = cx.settings.run_max_duration;
        let timeout = parsed(args, "timeout")?.map_or(longest, |span: Span| span.max(Span::ZERO));
        let at_most = parsed(args, "at_most")?.unwrap_or(longest);
        Ok(WaitSpec {
            request,
            yes_cell: role.clone(),
            open_cells: waves.map(|wave| wave_cell(&role, wave)).collect(),
            need: args.get("count").and_then(Value::as_i64).unwrap_or(asked),
            span: Span::min(timeout, at_most),
            until: parsed(args, "until")?,
            target: Some(requests::load(tx, cx.tenant, request).await?.targets.of(&role)),
            role,
        })
    }

    /// If staff have raised the number of people wanted since the wait began, lets the wait need as many more.
    /// Then returns a number that the engine compares with the number of people needed. Normally, this is
    /// the number of people who hold a place. If the role's target was lowered below the number needed,
    /// and the target is met, the number needed is returned, so that the wait ends. But if more people
    /// hold places than the target allows, and a run is still deciding who keeps a place,
    /// less than the number needed is returned, so that the wait continues.
    ///
    /// If `before` is given, counts only the people whose yes was received before that time.
    async fn count(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &mut WaitSpec,
        before: Option<Timestamp>,
    ) -> Result<i64, Problem> {
        let held = accepted(tx, spec, before).await?;
        let have = i64::try_from(held.len()).unwrap_or(i64::MAX);
        let target = requests::load(tx, cx.tenant, spec.request).await?.targets.of(&spec.role);
        if let Some(known) = spec.target.filter(|known| target > *known) {
            spec.need += target - known;
            spec.target = Some(target);
        }
        let met = target > 0 && target < spec.need && have >= target;
        if !met {
            return Ok(have);
        }
        let unsettled =
            have > target && data::rebalance::is_run_rebalancing(tx, spec.request).await?;
        Ok(if unsettled { have.min(spec.need - 1) } else { spec.need })
    }

    async fn finish(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &WaitSpec,
        end: WaitEnd,
    ) -> Result<VerbOutcome, Problem> {
        let before = match end {
            WaitEnd::Timeout { at } => Some(at),
            WaitEnd::Enough | WaitEnd::Exhausted => None,
        };
        let mut effects = Effects::default();
        let open = pending(tx, spec).await?;
        if end == WaitEnd::Enough {
            withdraw(tx, cx, spec, &open, &mut effects).await?;
        }
        let held = accepted(tx, spec, before).await?;
        let declined = data::assignment::in_state(
            tx,
            spec.request,
            &spec.role,
            assignment::AssignmentState::Declined,
        )
        .await?;
        let people = |list: &[Assignment]| list.iter().map(|a| a.person).collect::<Vec<_>>();
        let result = json!({
            "accepted": people(&held),
            "reason": match end {
                WaitEnd::Enough => "enough",
                WaitEnd::Exhausted => "exhausted",
                WaitEnd::Timeout { .. } => "timeout",
            },
            "declined": people(&declined),
            "silent": open.iter().map(|offer| offer.person).collect::<Vec<_>>(),
        });
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Reads an instant or a duration from the arguments; `None` if it is left out.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    args: &Value,
    name: &str,
) -> Result<Option<T>, Problem> {
    let text = args.get(name).and_then(Value::as_str);
    text.map(str::parse).transpose().map_err(|e| args::invalid(format!("`{name}`: {e}")))
}

/// Returns the assignments of the people who hold a place. The person who was accepted first comes first.
/// If `before` is given, leaves out people whose yes was not received before that time.
async fn accepted(
    tx: &mut Tx,
    spec: &WaitSpec,
    before: Option<Timestamp>,
) -> Result<Vec<Assignment>, Problem> {
    let state = assignment::AssignmentState::Accepted;
    let held = data::assignment::in_state(tx, spec.request, &spec.role, state).await?;
    let in_time =
        |a: &Assignment| before.is_none_or(|end| a.accepted_at.is_some_and(|at| at < end));
    Ok(held.into_iter().filter(in_time).collect())
}

/// Returns the open offers that the run waits for.
async fn pending(tx: &mut Tx, spec: &WaitSpec) -> Result<Vec<Offer>, Problem> {
    let open = data::offer::pending_in(tx, spec.request, &spec.role, 0).await?;
    Ok(open
        .into_iter()
        .filter(|offer| spec.open_cells.contains(&wave_cell(&offer.role, offer.wave)))
        .collect())
}

/// Withdraws all remaining offers in one commit, and notifies the first chunk of their recipients.
/// The other recipients are notified in later commits, so that ten thousand messages
/// do not keep other transactions waiting.
async fn withdraw(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    spec: &WaitSpec,
    open: &[Offer],
    effects: &mut Effects,
) -> Result<(), Problem> {
    let context = OperationContext::of_call(cx);
    offers::end(tx, &context, open, OfferCause::Filled, Notice::Owed).await?;
    for offer in open.iter().take(limits::RECEIPT_LIST_MAX) {
        effects.wrote("offer", "update", offer.id);
    }
    let request = requests::load(tx, cx.tenant, spec.request).await?;
    let sent = offers::notify_withdrawn(tx, &context, &request, limits::CHUNK_PEOPLE_MAX).await?;
    args::record_messages(effects, &sent);
    // Messages that will be queued in later commits count towards the run's limit already now.
    effects.messages_to_come = open.len().saturating_sub(sent.len()) as u64;
    Ok(())
}
