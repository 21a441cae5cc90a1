//! Finds the method for a start that names only a goal, and checks the plan that follows from it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::json;

use super::super::core::Core;
use crate::base::{Problem, Value, limits, text};
use crate::domain::StartRun;
use crate::library::Bundle;
use crate::planning::{self, Plan, PlanRegistry};
use crate::policy::Settings;
use crate::run::PlanOrigin;
use crate::store::Tx;

/// The code of the problem if several methods serve a goal, and the tenant has no default for it.
pub(in crate::driver) const METHOD_AMBIGUOUS: &str = "method_ambiguous";

/// Returns the start with a method. A start whose caller named the method is returned as it is. Otherwise the methods
/// that say that they serve the goal are looked at: the only one is taken, or the tenant's default for this kind of
/// goal. A start that names one of them after a question gets its plan.
///
/// # Errors
/// `no_method` if no method serves the goal; `method_ambiguous` if several do and none is the default. The detail
/// names them, separated by commas.
pub(crate) async fn with_method<'s>(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &'s StartRun,
) -> Result<Cow<'s, StartRun>, Problem> {
    let named = &wanted.method;
    if wanted.outside_plan.is_some() {
        return Ok(Cow::Borrowed(wanted));
    }
    if !named.is_empty() && wanted.plan_origin.is_named() {
        return Ok(Cow::Borrowed(wanted));
    }
    let settings = core.settings(tx, tenant).await?;
    let ctx = json!({
        "tenant": tenant,
        "campus": wanted.goal.get("campus"),
        "time_zone": settings.time_zone,
        "region": settings.region,
    });
    let now = tx.now();
    let mut bundles = bundles(core, tx, tenant).await?;
    bundles.retain(|bundle| {
        let chosen = named.is_empty() || bundle.graph.method == *named;
        chosen && planning::applies(&bundle.graph, &wanted.goal, &ctx, now)
    });
    let bundle = choose(&bundles, &settings, &wanted.goal)?;
    let methods = bundle.pins.methods.keys().map(String::as_str);
    let methods = methods.chain([bundle.graph.method.as_str()]).collect();
    let registry = PlanRegistry { contracts: &bundle.contracts, methods };
    let plan = Plan::of(&bundle.graph, &wanted.goal);
    plan.check(&registry)?;
    let plan_origin = if plan.is_complex() { PlanOrigin::Complex } else { PlanOrigin::Proposed };
    Ok(Cow::Owned(StartRun { method: plan.method, plan_origin, ..wanted.clone() }))
}

/// Returns what a new run of each method of the tenant would start with.
async fn bundles(core: &Core, tx: &mut Tx, tenant: &str) -> Result<Vec<Arc<Bundle>>, Problem> {
    let active = tx.active_methods(tenant).await?;
    let library = core.library();
    let own = library.methods.iter();
    let own = own.filter(|(name, _)| active.iter().all(|method| method.name != **name));
    let mut bundles: Vec<Arc<Bundle>> = own.map(|(_, bundle)| Arc::clone(bundle)).collect();
    for method in &active {
        bundles.push(core.bundles.load(tx, method.bundle).await?);
    }
    Ok(bundles)
}

/// Chooses among the methods that serve a goal.
fn choose<'b>(
    bundles: &'b [Arc<Bundle>],
    settings: &Settings,
    goal: &Value,
) -> Result<&'b Bundle, Problem> {
    let kind = goal.get("kind").and_then(Value::as_str).unwrap_or_default();
    let default = settings.default_methods.get(kind);
    let is_default = |bundle: &&Arc<Bundle>| Some(&bundle.graph.method) == default;
    match bundles {
        [only] => Ok(only),
        [] => {
            let kind = text::shortened(kind, limits::FAULT_CHARS_MAX);
            let message = format!("no method serves a goal of the kind `{kind}`");
            Err(Problem::caller("no_method", message).with_hint(
                "name a method, or publish one whose `applicable_if` holds for the goal",
            ))
        }
        several => several.iter().find(is_default).map(AsRef::as_ref).ok_or_else(|| {
            let names: Vec<&str> = several.iter().map(|it| it.graph.method.as_str()).collect();
            Problem::caller(METHOD_AMBIGUOUS, format!("{} methods serve this goal", names.len()))
                .with_detail(names.join(","))
                .with_hint(format!("name one of {}, or set `default_methods`", names.join(", ")))
        }),
    }
}
