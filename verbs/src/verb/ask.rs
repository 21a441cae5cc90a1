//! The verb `ask`: asks one person a question, without waiting for the answer.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::template::Template;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::ask::Ask;
use crate::data;
use crate::operations::asks::{self, ASK_SPAN};
use crate::operations::send_plan::SendPlan;
use crate::operations::sender::SenderProfile;
use crate::operations::{OperationContext, budget};
use crate::request::targets::checked_role;

pub(super) struct AskVerb;

#[async_trait]
impl WriteVerb for AskVerb {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let vars = args.get("vars").unwrap_or(&Value::Null);
        let template = question(cx, args::text(args, "question_template")?)?;
        let gives = gives(template, vars)?;
        let request = args::request(tx, cx, None).await?;
        args::check_live(&request)?;
        let person = args::person(tx, cx, args).await?;
        data::person::lock(tx, &[person]).await?;
        if let Some(reason) =
            data::person::unreachable(tx, cx.tenant, &[person]).await?.get(&person)
        {
            let result =
                json!({"person": person, "asked": false, "reason": reason, "answer": null});
            return Ok(VerbOutcome::done(result, Effects::default()));
        }
        let context = OperationContext::of_call(cx);
        budget::check(tx, &context, 1).await?;
        let profile = SenderProfile::load(tx, &context).await?;
        let known = data::person::by_ids(tx, cx.tenant, &[person]).await?;
        let mut send_plan = SendPlan::load(tx, &context, &[person]).await?;
        let planned_at =
            known.first().map_or(cx.now, |known| send_plan.reserve(&context, &profile, known));
        let ask = Ask {
            id: tx.mint(),
            request: request.id,
            person,
            template: template.name().to_owned(),
            about: gives.clone().unwrap_or_else(|| template.question().unwrap_or("").to_owned()),
            gives,
            ordinal: data::ask::times(tx, request.id, person, template.name()).await? + 1,
            run: cx.answer_to.run,
            signal: cx.answer_to.signal.clone().into_owned(),
            planned_at,
            expires_at: planned_at + ASK_SPAN,
        };
        let sent = asks::open(tx, &context, &ask, vars).await?;
        let mut effects = Effects::default();
        effects.wrote("ask", "insert", ask.id);
        args::record_messages(&mut effects, &sent);
        let result = json!({
            "person": person, "asked": true, "ask": ask.id,
            "expires_at": ask.expires_at.to_string(), "answer": null,
        });
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Returns the template with this name.
///
/// # Errors
/// `not_a_question` if there is no such template, or it asks no question.
fn question<'a>(cx: &CallContext<'a>, name: &str) -> Result<&'a Template, Problem> {
    let template = cx.templates.get(name).filter(|template| template.question().is_some());
    template.ok_or_else(|| {
        Problem::author("not_a_question", format!("template `{name}` asks no question"))
            .with_hint("give its front matter a `question`, and what `yes` and `no` do")
    })
}

/// Returns the role in which a person gets a place by answering yes; `None` if a yes gives no place.
/// The template states the role as `assign: children`, or as `assign: "{{role}}"` if a variable names it.
fn gives(template: &Template, vars: &Value) -> Result<Option<String>, Problem> {
    let Some(role) = template.yes().and_then(|yes| yes.get("assign")) else { return Ok(None) };
    let text = role.as_str().unwrap_or_default();
    let named = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let role = named.map_or(Some(text), |name| vars.get(name.trim()).and_then(Value::as_str));
    checked_role(role.unwrap_or_default()).map(Some)
}
