//! What a conversation works toward, for those who read its next message: the goals of its agenda, and those of the other
//! minds. The latter are views: they follow from the plans and questions each time, and are never goals of the agenda.

use abide_agent::obligations::{Obligation, ObligationType};
use abide_agent::phone;
use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::facade::PlanRunView;
use abide_engine::store::Tx;
use serde_json::json;

use crate::agenda::{GoalCache, stack};
use crate::data::agenda::{self as agenda_data, SessionKey};
use crate::data::{asked, operator as plans};
use crate::operator::plan_in_words;

/// Number of messages that are shown of a conversation.
const TURNS: i64 = 6;
/// Of a session that several users share, the goals are nobody else's business.
const USERS: i64 = 2;
/// What is shown instead of a phone number.
const NUMBER: &str = "(number)";

/// Returns what a conversation works toward: at most three goals of the agenda, the best first, then a plan that waits
/// for an approval, and a question that was asked back.
///
/// # Errors
/// Errors from the store.
pub async fn goals(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    cache: &GoalCache,
    now: Timestamp,
) -> Result<Vec<String>, Problem> {
    let agenda = stack(tx, tenant, key, cache, now).await?;
    let mut goals: Vec<String> = agenda.into_iter().map(|goal| goal.description).collect();
    goals.extend(awaited_plan(tx, tenant, &key.session).await?);
    goals.extend(open_question(tx, tenant, key).await?);
    Ok(goals)
}

/// Returns the session frame of a message to the operator, which names a session but no user.
///
/// # Errors
/// Errors from the store.
pub(crate) async fn frame(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
    cache: &GoalCache,
    now: Timestamp,
) -> Result<Value, Problem> {
    let users = agenda_data::users_of(tx, tenant, session, USERS).await?;
    let goals = match users.as_slice() {
        [only] => goals(tx, tenant, only, cache, now).await?,
        _ => awaited_plan(tx, tenant, session).await?.into_iter().collect(),
    };
    let messages = plans::messages_of_session(tx, tenant, session, TURNS).await?;
    let turns: Vec<String> = messages.iter().map(|text| phone::replaced(text, NUMBER)).collect();
    Ok(json!({ "goals": goals, "turns": turns }))
}

/// Returns the latest plan of a session, if it waits for an approval.
async fn awaited_plan(tx: &mut Tx, tenant: &str, session: &str) -> Result<Option<String>, Problem> {
    let Some(latest) = plans::latest_of_session(tx, tenant, session).await? else {
        return Ok(None);
    };
    let Some(planned) = plans::plan_of(tx, latest.id).await? else { return Ok(None) };
    let run = PlanRunView::by_key(tx, tenant, &planned.plan.plan_id.to_string()).await?;
    let waits = run.is_some_and(|run| run.approval.is_some());
    Ok(waits.then(|| format!("get an approval to {}", plan_in_words(&planned.plan))))
}

/// Returns what the latest text of a session left to be answered, if it did.
async fn open_question(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
) -> Result<Option<String>, Problem> {
    let latest = asked::latest_ask(tx, tenant, &key.user, &key.session, None).await?;
    let is_open = |it: &&Obligation| it.is(ObligationType::Clarify);
    let open = latest.as_ref().and_then(|it| it.dialogue.iter().find(is_open));
    Ok(open.map(|it| format!("learn the {}", it.text("slot").unwrap_or("request"))))
}
