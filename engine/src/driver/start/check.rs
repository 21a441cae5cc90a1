//! Checks the parameters of a new run against the limits of abide, and its goal against the method.

use std::sync::Arc;

use async_trait::async_trait;

use super::super::core::{Core, check_bundle};
use super::plan::with_method;
use crate::base::{Digest, Problem, Value, extent, limits, text};
use crate::domain::StartRun;
use crate::library::{Bundle, is_call_method};
use crate::store::{MethodRef, Tx};
use crate::verb::StartChecker;

/// Checks the size of the parameters of a new run, and that only a call from outside uses a method of such
/// calls. Needs no transaction.
pub(crate) fn check_limits(wanted: &StartRun) -> Result<(), Problem> {
    if wanted.outside_call.is_none() && is_call_method(&wanted.method) {
        let message = format!(
            "there is no method `{}`",
            text::shortened(&wanted.method, limits::FAULT_CHARS_MAX)
        );
        return Err(Problem::caller("unknown_method", message)
            .with_hint("call a tool with `abide tools call`"));
    }
    let keys = [&wanted.key, &wanted.outside_call.as_ref().and_then(|call| call.key.clone())];
    if keys.into_iter().flatten().any(|key| key.len() > limits::KEY_BYTES_MAX) {
        let message = format!("a key has at most {} bytes", limits::KEY_BYTES_MAX);
        return Err(Problem::caller("key_too_long", message));
    }
    check_extent(wanted)
}

/// Checks whether a run with these parameters could be started, without starting it. Returns the digest of the
/// version that it would start with.
pub(crate) async fn check_start(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Digest, Problem> {
    check_limits(wanted)?;
    let wanted = &*with_method(core, tx, tenant, wanted).await?;
    let (library, settings) = (core.library(), core.settings(tx, tenant).await?);
    let bundle = match tx.active_version(tenant, &wanted.method).await? {
        Some((_, bundle)) => core.bundles.load(tx, bundle).await?,
        None => Arc::clone(library.method(&wanted.method)?),
    };
    check_goal(&bundle, wanted)?;
    check_bundle(&library, &settings, &bundle)?;
    Ok(bundle.digest)
}

#[async_trait]
impl StartChecker for Core {
    async fn check(
        &self,
        tx: &mut Tx,
        method: MethodRef<'_>,
        goal: &Value,
    ) -> Result<Digest, Problem> {
        let MethodRef { tenant, method } = method;
        let wanted =
            StartRun { method: method.to_owned(), goal: goal.clone(), ..StartRun::default() };
        check_start(self, tx, tenant, &wanted).await
    }
}

/// Checks the goal of a new run against the schema `inputs` of its method.
pub(in crate::driver) fn check_goal(bundle: &Bundle, wanted: &StartRun) -> Result<(), Problem> {
    if let Some(schema) = &bundle.graph.inputs {
        let validator = jsonschema::validator_for(schema)
            .map_err(|e| Problem::author("inputs_invalid", e.to_string()))?;
        if let Some(error) = validator.iter_errors(&wanted.goal).next() {
            let place = text::shortened(error.instance_path().as_str(), limits::FAULT_CHARS_MAX);
            let place = if place.is_empty() {
                "the goal".to_owned()
            } else {
                format!("`goal{}`", place.replace('/', "."))
            };
            let what = text::shortened(&error.to_string(), limits::FAULT_CHARS_MAX);
            return Err(Problem::caller("goal_invalid", format!("{place}: {what}"))
                .with_hint(format!("see `inputs` of the method `{}`", wanted.method)));
        }
    }
    Ok(())
}

/// Checks that the goal and the variables of a new run are neither too large nor nested too deeply. Must
/// run before any other code reads these values, because that code recurses into nested values and could
/// overflow the stack.
fn check_extent(wanted: &StartRun) -> Result<(), Problem> {
    let hint = "pass the ids of long texts and lists instead of their contents";
    if let Some(why) = extent::excess(&wanted.goal, limits::GOAL_BYTES_MAX) {
        return Err(Problem::caller("goal_invalid", format!("the goal {why}")).with_hint(hint));
    }
    if wanted.vars.keys().any(|name| name.len() > limits::KEY_BYTES_MAX) {
        let message = format!("a variable's name has at most {} bytes", limits::KEY_BYTES_MAX);
        return Err(Problem::caller("vars_invalid", message));
    }
    let deep = wanted.vars.iter().find_map(|(name, value)| Some((name, extent::too_deep(value)?)));
    if let Some((name, why)) = deep {
        return Err(Problem::caller("vars_invalid", format!("`vars.{name}` {why}")));
    }
    match extent::too_long(&wanted.vars, limits::START_VARS_BYTES_MAX) {
        Some(why) => Err(Problem::caller("vars_invalid", format!("`vars` {why}")).with_hint(hint)),
        None => Ok(()),
    }
}
