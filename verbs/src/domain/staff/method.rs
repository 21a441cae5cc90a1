//! Asks a member of staff which of several methods is to serve what they want.

use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::domain::{DomainContext, MethodChoice, StartRun};
use abide_engine::run::PlanOrigin;
use abide_engine::store::{InboundRow, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::data;
use crate::data::question::{ClarificationKind, ClarifyingQuestion};
use crate::domain::handler::QUESTION_SPAN;
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft};

/// What a member of staff was asked: which method serves a start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::domain) struct MethodQuestion {
    start: StartRun,
    /// The names of the methods, in the sequence of their numbers.
    pub(in crate::domain) methods: Vec<String>,
}

impl MethodQuestion {
    /// Returns the question that was kept; `None` for anything else.
    pub(in crate::domain) fn from_value(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }

    /// Returns the start with the method of this index.
    pub(in crate::domain) fn answered(self, nth: usize) -> Option<Box<StartRun>> {
        let method = self.methods.into_iter().nth(nth)?;
        let plan_origin = PlanOrigin::Proposed;
        Some(Box::new(StartRun { method, plan_origin, ..self.start }))
    }
}

/// Returns the member of staff who sent a message.
pub(super) async fn staff_sender(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
) -> Result<Option<PersonId>, Problem> {
    let acting = data::person::acting(tx, cx.tenant).await?;
    let senders = data::person::by_contacts(tx, cx.tenant, &[inbound.sender]).await?;
    Ok(senders.iter().find(|sender| acting.contains(&sender.id)).map(|sender| sender.id))
}

/// Asks the sender of a message which method they mean, and keeps the start for the answer.
pub(in crate::domain) async fn ask_method(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    choice: MethodChoice<'_>,
) -> Result<(), Problem> {
    let Some(staff) = staff_sender(tx, cx, inbound).await? else {
        return Err(Problem::bug("nobody can be asked which method is meant"));
    };
    let methods: Vec<String> = choice.methods.iter().map(ToString::to_string).collect();
    let numbered = methods.iter().zip(1..);
    let choices: Vec<String> =
        numbered.map(|(method, n)| format!("{n}: {}", method.replace('_', " "))).collect();
    let about = MethodQuestion { start: choice.wanted.clone(), methods };
    let question = ClarifyingQuestion {
        person: staff,
        kind: ClarificationKind::Method,
        about: serde_json::to_value(about).map_err(|error| Problem::bug(error.to_string()))?,
        expires_at: cx.now + QUESTION_SPAN,
    };
    data::question::put(tx, cx.tenant, &question, cx.now).await?;
    let context = OperationContext { inbound: Some(inbound.id), ..OperationContext::of_domain(cx) };
    let draft = MessageDraft::answer(staff, inbound.id);
    let vars = json!({ "choices": choices });
    messages::send(tx, &context, "which_method", &[draft], &vars).await.map(drop)
}
