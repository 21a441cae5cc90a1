//! The verb `update_record`: changes a request or a person's directory entry.

use abide_engine::base::{PersonId, Problem, RequestId, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::operations::amend::{self, Amendment, PersonAmendment};
use crate::operations::{OperationContext, requests};
use crate::request::targets::checked_role;
use crate::request::{RequestStatus, Targets};

pub(super) struct UpdateRecord;

/// The members that the argument `patch` may have if it changes a request.
const REQUEST_FIELDS: &[&str] = &["targets", "service_time", "status", "version"];
/// The members that the argument `patch` may have if it changes a person.
const PERSON_FIELDS: &[&str] = &["roles", "campus", "active", "email"];

#[async_trait]
impl WriteVerb for UpdateRecord {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let entity = args::text(args, "entity_id")?;
        let patch = args.get("patch").unwrap_or(&Value::Null);
        if let Ok(id) = entity.parse() {
            check_members(patch, "request", REQUEST_FIELDS)?;
            return change_request(tx, cx, id, patch).await;
        }
        if let Ok(id) = entity.parse() {
            check_members(patch, "person", PERSON_FIELDS)?;
            return change_person(tx, cx, id, patch).await;
        }
        Err(not_found(entity))
    }
}

/// Checks that the patch has no members other than those in `own`. The contract cannot check this,
/// because it allows the members of a request and those of a person.
fn check_members(patch: &Value, noun: &str, own: &[&str]) -> Result<(), Problem> {
    let given = patch.as_object().into_iter().flat_map(serde_json::Map::keys);
    match given.into_iter().find(|name| !own.contains(&name.as_str())) {
        None => Ok(()),
        Some(other) => Err(args::invalid(format!("a patch of a {noun} has no member `{other}`"))
            .with_hint(format!("use any of `{}`", own.join("`, `")))),
    }
}

async fn change_request(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    id: RequestId,
    patch: &Value,
) -> Result<VerbOutcome, Problem> {
    if let Some(own) = cx.request.filter(|own| *own != id) {
        return Err(args::invalid(format!("`{id}` is not the request of this run, `{own}`"))
            .with_hint("use `{{req.id}}`, or start a run for that request"));
    }
    let wanted = Amendment {
        targets: patch.get("targets").map(Targets::from_value).transpose()?,
        service_time: patch
            .get("service_time")
            .map(|_| args::instant(patch, "service_time"))
            .transpose()?,
        status: patch.get("status").and_then(Value::as_str).and_then(RequestStatus::parse),
        // The patch states the version number that the request will have after the change.
        // The number before the change is one less.
        expected: patch.get("version").and_then(Value::as_i64).map(|version| version - 1),
    };
    let locked = requests::lock(tx, cx.tenant, id).await;
    let mut request = locked.map_err(|problem| match &*problem.code {
        "request_unknown" => not_found(id),
        _ => problem,
    })?;
    let cancellation =
        amend::request(tx, &OperationContext::of_call(cx), &mut request, &wanted).await?;
    let mut effects = Effects::default();
    effects.wrote("request", "update", id);
    let mut result = json!({
        "id": id,
        "kind": "request",
        "version": request.version,
        "status": request.status.as_str(),
    });
    if let Some(cancellation) = cancellation {
        result["released"] = json!(cancellation.released);
        result["withdrawn"] = cancellation.withdrawn.into();
    }
    Ok(VerbOutcome::done(result, effects))
}

async fn change_person(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    id: PersonId,
    patch: &Value,
) -> Result<VerbOutcome, Problem> {
    let optional = |name| patch.get(name).map(|value| value.as_str().map(ToOwned::to_owned));
    let wanted = PersonAmendment {
        roles: patch.get("roles").map(roles).transpose()?,
        campus: optional("campus"),
        active: patch.get("active").and_then(Value::as_bool),
        email: optional("email"),
    };
    if amend::person(tx, &OperationContext::of_call(cx), id, wanted).await?.is_none() {
        return Err(not_found(id));
    }
    let mut effects = Effects::default();
    effects.wrote("person", "update", id);
    Ok(VerbOutcome::done(json!({"id": id, "kind": "person"}), effects))
}

/// Reads a list of roles. Returns the roles in their stored form, sorted and without duplicates.
fn roles(value: &Value) -> Result<Vec<String>, Problem> {
    let given = value.as_array().map_or(&[][..], Vec::as_slice);
    let mut roles = given
        .iter()
        .map(|role| checked_role(role.as_str().unwrap_or_default()))
        .collect::<Result<Vec<_>, _>>()?;
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}

fn not_found(entity: impl std::fmt::Display) -> Problem {
    Problem::caller("not_found", format!("there is no request or person `{entity}`"))
        .with_hint("give an id such as `{{req.id}}` or `{{person}}`")
}
