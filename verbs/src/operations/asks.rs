//! Opens and ends the questions that runs ask people.

use abide_engine::base::{AskId, PersonId, Problem, Span, TypedId};
use abide_engine::store::{Cause, Tx};
use serde_json::{Value, json};

use super::OperationContext;
use super::messages::{self, MessageDraft, QueuedMessage};
use crate::ask::{Ask, AskState};
use crate::data;
use crate::event::ChurchEventKind;

/// How long a person has to answer a question, from the time at which its message may be sent.
pub const ASK_SPAN: Span = Span::from_secs(24 * 3600);

/// Stores a question, queues its message, and returns the message. First withdraws the open question,
/// if there is one, that the person was asked with the same template in the same request.
/// So an answer never fits two such questions.
///
/// # Errors
/// Returns errors from rendering and from the store.
pub async fn open(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    ask: &Ask,
    vars: &Value,
) -> Result<Vec<QueuedMessage>, Problem> {
    let mut earlier = data::ask::open_of_people(tx, &[ask.person]).await?;
    earlier.retain(|known| known.request == ask.request && known.template == ask.template);
    end(tx, context, &earlier, AskState::Withdrawn).await?;
    data::ask::insert(tx, context.tenant, ask).await?;
    note(tx, context, ask, AskState::Open)?;
    let draft = MessageDraft {
        cause: Cause { kind: messages::cause::ASK, id: Some(ask.id.uuid()) },
        not_before: Some(ask.planned_at),
        not_after: Some(ask.expires_at),
        unasked: true,
        ..MessageDraft::about_offer(ask.person, ask.request, ask.ordinal)
    };
    messages::send(tx, context, &ask.template, &[draft], vars).await
}

/// Ends questions by giving them this final state. For each question, records an event
/// in the ledger of the question's request.
///
/// # Errors
/// Returns errors from the store.
pub async fn end(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    asks: &[Ask],
    state: AskState,
) -> Result<(), Problem> {
    let ids: Vec<AskId> = asks.iter().map(|ask| ask.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    data::ask::end(tx, &ids, state, context.now).await?;
    asks.iter().try_for_each(|ask| note(tx, context, ask, state))
}

/// Withdraws each open question to these people for which `selects` returns true.
///
/// # Errors
/// Returns errors from the store.
pub async fn withdraw(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    people: &[PersonId],
    selects: impl Fn(&Ask) -> bool,
) -> Result<(), Problem> {
    let mut open = data::ask::open_of_people(tx, people).await?;
    open.retain(selects);
    end(tx, context, &open, AskState::Withdrawn).await
}

fn note(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    ask: &Ask,
    became: AskState,
) -> Result<(), Problem> {
    let body = json!({
        "ask": ask.id, "person": ask.person, "template": ask.template, "became": became.as_str(),
    });
    Ok(tx.log(ask.request, ChurchEventKind::Ask, context.about, body)?)
}
