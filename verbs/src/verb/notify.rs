//! The verb `notify`: sends a message to staff, to pastors or to other named people.

use std::collections::BTreeSet;

use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::store::{Cause, Tx};
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use super::broadcast::occasion;
use crate::data;
use crate::directory::NotifyTarget;
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft};

pub(super) struct Notify;

/// Maximum number of recipients of one call. A message to more people needs the verb `broadcast`.
const RECIPIENTS_MAX: i64 = 200;

#[async_trait]
impl WriteVerb for Notify {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let mut people: Vec<PersonId> = Vec::new();
        let mut seen = BTreeSet::new();
        for target in args.get("targets").and_then(Value::as_array).into_iter().flatten() {
            let found = resolve(tx, cx, target).await?;
            people.extend(found.into_iter().filter(|person| seen.insert(*person)));
        }
        if people.len() as u64 > RECIPIENTS_MAX.unsigned_abs() {
            return Err(Problem::author(
                "too_many_targets",
                format!("`targets` name more than {RECIPIENTS_MAX} people"),
            )
            .with_hint("use `broadcast` for many people: it has an approval gate"));
        }
        let unreachable = data::person::unreachable(tx, cx.tenant, &people).await?;
        let skipped: Vec<_> = people
            .iter()
            .filter_map(|id| unreachable.get(id).map(|reason| args::skipped(*id, *reason)))
            .collect();
        people.retain(|person| !unreachable.contains_key(person));
        let drafts: Vec<_> = people.iter().map(|person| notice(cx, *person)).collect();
        let vars = args.get("vars").unwrap_or(&Value::Null);
        let template = args::text(args, "template")?;
        let sent =
            messages::send(tx, &OperationContext::of_call(cx), template, &drafts, vars).await?;
        let mut effects = Effects::default();
        args::record_messages(&mut effects, &sent);
        Ok(VerbOutcome::done(json!({"sent": people, "skipped": skipped}), effects))
    }
}

/// Returns the people whom a target names. A target is a person's id, a role, or a filter for people.
async fn resolve(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    target: &Value,
) -> Result<Vec<PersonId>, Problem> {
    let Some(text) = target.as_str() else {
        let filter =
            data::person::PersonFilter { limit: RECIPIENTS_MAX + 1, ..args::filter(target)? };
        return Ok(data::person::candidates(tx, cx.tenant, &filter, None).await?);
    };
    match NotifyTarget::parse(text)? {
        NotifyTarget::Person(person) => Ok(vec![person]),
        NotifyTarget::Role { role, or_else } => holders(tx, cx.tenant, &role, or_else).await,
    }
}

async fn holders(
    tx: &mut Tx,
    tenant: &str,
    role: &str,
    or_else: Option<&'static str>,
) -> Result<Vec<PersonId>, Problem> {
    let found = data::person::holders(tx, tenant, role).await?;
    match or_else {
        Some(other) if found.is_empty() => Ok(data::person::holders(tx, tenant, other).await?),
        _ => Ok(found),
    }
}

fn notice(cx: &CallContext<'_>, person: PersonId) -> MessageDraft {
    MessageDraft {
        person,
        occasion: occasion(cx),
        request: cx.request,
        cause: Cause { kind: messages::cause::NOTICE, id: None },
        not_before: None,
        not_after: None,
        unasked: false,
    }
}
