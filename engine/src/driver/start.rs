//! The start of a run: pinned, keyed, bound to its request, all in one transaction.

use std::sync::Arc;

use async_trait::async_trait;

use super::bundles::Chosen;
use super::core::Core;
use super::live::Live;
use super::runs;
use crate::base::{Problem, RunId, Value, extent, limits, text};
use crate::domain::{Opened, Rival, StartRun};
use crate::library::Bundle;
use crate::policy::Settings;
use crate::run::{Control, Lineage, RunState, STATE_V};
use crate::store::{ChildOf, Dialect, Inserted, NewRun, StoreError, Tx};
use crate::verb::Starts;

/// What a start came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The run.
    pub run: RunId,
    /// False if an earlier start with the same key stands for this one.
    pub new: bool,
    /// What it began with.
    chosen: Option<Chosen>,
}

impl Started {
    /// An earlier start with the same key.
    pub(super) const fn earlier(run: RunId) -> Self {
        Self { run, new: false, chosen: None }
    }

    /// A run that was not there before.
    pub(super) const fn fresh(run: RunId, chosen: Option<Chosen>) -> Self {
        Self { run, new: true, chosen }
    }
}

/// What makes a run a child.
pub(super) struct Child {
    /// Its place below its parent.
    pub(super) of: ChildOf,
    /// What its state knows of that.
    pub(super) lineage: Lineage,
}

/// Holds a wanted start against its bounds, outside any transaction.
pub(crate) fn check(wanted: &StartRun) -> Result<(), Problem> {
    if wanted.dry_run {
        return Err(Problem::caller(
            "not_configured",
            "shadow mode is not available in this build",
        ));
    }
    if wanted.key.as_ref().is_some_and(|key| key.len() > limits::KEY_BYTES_MAX) {
        let message = format!("a key has at most {} bytes", limits::KEY_BYTES_MAX);
        return Err(Problem::caller("key_too_long", message));
    }
    check_extent(wanted)
}

/// What a new run of a method begins with: the version that was made active, else what the files say.
async fn choose(
    core: &Core,
    tx: &mut Tx,
    (tenant, method): (&str, &str),
) -> Result<(Arc<Bundle>, Chosen), Problem> {
    if let Some((version, bundle)) = tx.active_version(tenant, method).await? {
        let chosen = Chosen { bundle, version, active: version };
        return Ok((core.bundles.load(tx, bundle).await?, chosen));
    }
    let library = core.library();
    let bundle = Arc::clone(library.method(method)?);
    let definitions = library.definitions(&bundle);
    let version = tx.keep_bundle(tenant, (method, bundle.digest), &definitions).await?;
    let chosen = Chosen { bundle: bundle.digest, version, active: 0 };
    Ok((bundle, chosen))
}

/// Judges a start without starting anything.
pub(crate) async fn judge(
    core: &Core,
    tx: &mut Tx,
    (tenant, wanted): (&str, &StartRun),
) -> Result<(), Problem> {
    check(wanted)?;
    match tx.active_version(tenant, &wanted.method).await? {
        Some((_, bundle)) => check_goal(&*core.bundles.load(tx, bundle).await?, wanted),
        None => check_goal(core.library().method(&wanted.method)?, wanted),
    }
}

#[async_trait]
impl Starts for Core {
    async fn check(
        &self,
        tx: &mut Tx,
        tenant: &str,
        (method, goal): (&str, &Value),
    ) -> Result<(), Problem> {
        let wanted =
            StartRun { method: method.to_owned(), goal: goal.clone(), ..StartRun::default() };
        judge(self, tx, (tenant, &wanted)).await
    }
}

pub(super) fn check_goal(bundle: &Bundle, wanted: &StartRun) -> Result<(), Problem> {
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

/// Refuses what is larger than any start need be, before anything reads it.
fn check_extent(wanted: &StartRun) -> Result<(), Problem> {
    let hint = "keep long texts and lists where they are, and name them by their ids";
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

/// Starts a run inside a transaction.
pub(crate) async fn start(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Started, Problem> {
    check(wanted)?;
    if let Some(run) = tx.run_by_key(tenant, wanted.key.as_deref()).await? {
        return Ok(Started::earlier(run));
    }
    let (bundle, chosen) = choose(core, tx, (tenant, &wanted.method)).await?;
    check_goal(&bundle, wanted)?;
    let library = core.library();
    let settings = core.settings(tx, tenant).await?;
    let cx = core.domain_context(tenant, &settings, &library);
    let mut opened = match core.domain.open_run(tx, &cx, wanted).await {
        Ok(opened) => opened,
        // The same start may have been committed while this one waited for the request's lock.
        Err(refusal) => {
            return match tx.run_by_key(tenant, wanted.key.as_deref()).await? {
                Some(run) => Ok(Started::earlier(run)),
                None => Err(refusal),
            };
        }
    };
    if let Some(Rival::Joined(run)) = opened.rival {
        return Ok(Started { run, new: false, chosen: None });
    }
    if let Some(scheduled) = wanted.scheduled {
        opened.ctx["scheduled_at"] = scheduled.at.to_string().into();
    }
    let campaign = match opened.request {
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            tx.next_campaign(request)?
        }
        None => 1,
    };
    let own = (tx.mint(), None);
    let new = new_run((tenant, wanted), (&bundle, chosen.version), (&opened, campaign), own);
    let run = new.id;
    if tx.insert_runs(std::slice::from_ref(&new)).await? == [Inserted::LeftOut] {
        let earlier = tx.run_by_key(tenant, wanted.key.as_deref()).await?;
        return match earlier {
            Some(run) => Ok(Started::earlier(run)),
            None => Err(Problem::bug("a run could not be inserted")),
        };
    }
    core.domain.run_opened(tx, &cx, run, &opened).await?;
    if let Some(Rival::Replaced(rival)) = opened.rival {
        let why = serde_json::json!({ "why": "replaced", "by": run });
        tx.signal(rival, Control::Cancel.as_str(), (None, Some(&run.to_string())), &why).await?;
    }
    Ok(Started::fresh(run, Some(chosen)))
}

/// Starts a method for a run that waits for it, in that run's transaction and from its texts.
pub(super) async fn start_child(
    core: &Core,
    tx: &mut Tx,
    (tenant, wanted): (&str, &StartRun),
    (bundle, child): (Arc<Bundle>, Child),
    settings: &Settings,
) -> Result<(), Problem> {
    check_goal(&bundle, wanted)?;
    let version = tx.keep_bundle(tenant, (&wanted.method, bundle.digest), &[]).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, settings, &library);
    let opened = core.domain.open_run(tx, &cx, wanted).await?;
    let campaign = match opened.request {
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            tx.next_campaign(request)?
        }
        None => 1,
    };
    let own = (tx.mint(), Some(child));
    let new = new_run((tenant, wanted), (&bundle, version), (&opened, campaign), own);
    tx.insert_runs(std::slice::from_ref(&new)).await?;
    core.domain.run_opened(tx, &cx, new.id, &opened).await
}

/// The rows of a start.
fn new_run(
    (tenant, wanted): (&str, &StartRun),
    (bundle, version): (&Bundle, i64),
    (opened, campaign): (&Opened, i64),
    (id, child): (RunId, Option<Child>),
) -> NewRun {
    let child_of = child.as_ref().map(|child| child.of);
    let lineage = child.map(|child| child.lineage);
    let replaces = match opened.rival {
        Some(Rival::Replaced(rival)) => Some(rival),
        _ => None,
    };
    let scheduled = wanted.scheduled;
    let state = RunState { lineage, scheduled, replaces, ..RunState::default() };
    NewRun {
        id,
        tenant: tenant.to_owned(),
        request: opened.request,
        bundle: bundle.digest,
        method: wanted.method.clone(),
        version,
        campaign,
        child_of,
        start_key: wanted.key.clone(),
        state_v: STATE_V,
        state: serde_json::to_value(state).unwrap_or(Value::Null).to_string(),
        vars: first_vars(wanted, opened).map(|(name, v)| (name, v.to_string())).collect(),
        owner: None,
        rests_on: None,
        settings_version: None,
    }
}

/// The variables that a run begins with.
pub(super) fn first_vars<'a>(
    wanted: &'a StartRun,
    opened: &'a Opened,
) -> impl Iterator<Item = (String, &'a Value)> {
    let own = [("goal".to_owned(), &opened.goal), ("ctx".to_owned(), &opened.ctx)];
    let given = wanted.vars.iter().filter(|(name, _)| *name != "goal" && *name != "ctx");
    given.map(|(name, value)| (name.clone(), value)).chain(own)
}

/// Remembers what later starts of this method need not ask for: only once a start is committed.
pub(crate) fn started(core: &Core, (tenant, method): (&str, &str), started: &Started) {
    if let Some(chosen) = started.chosen {
        core.bundles.choose(tenant, method, chosen);
    }
}

/// Starts a run that concerns no request in lane A, and sets to work on it at once unless it is held;
/// none where the other lane must do it: the domain must look, the key is taken, another version is
/// active than we remember, or of the settings in force, or it is the first of its kind.
pub(crate) async fn start_alone(
    core: &Arc<Core>,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Option<Started>, Problem> {
    let Some((known, chosen)) = core.known(tenant, &wanted.method) else { return Ok(None) };
    let Some(bundle) = core.bundles.get(chosen.bundle) else { return Ok(None) };
    check_goal(&bundle, wanted)?;
    let library = core.library();
    let cx = core.domain_context(tenant, &known.settings, &library);
    let opened = core.domain.open_alone(&cx, wanted).filter(|opened| opened.request.is_none());
    let Some(opened) = opened else { return Ok(None) };
    let run = core.ids.mint(core.now());
    let from = (&*bundle, chosen.version);
    let mut new = new_run((tenant, wanted), from, (&opened, 1), (run, None));
    new.rests_on = Some(chosen.active);
    new.settings_version = Some(known.version);
    let driven = runs::has_room(core) && core.take(run);
    if driven && core.store.dialect() == Dialect::Postgres {
        new.owner = Some(core.standing.node());
    }
    let vars = first_vars(wanted, &opened).map(|(name, v)| (name, Some(Arc::new(v.clone()))));
    let live = Live::fresh(&new, core.now(), (bundle, known, vars.collect()));
    match core.store.start(new, driven).await {
        Ok(Inserted::Free) if driven => runs::spawn(core, live),
        Ok(Inserted::Free) => {}
        Ok(Inserted::Held) => core.let_go(run), // the kill switch is on: nobody may work on it yet
        Ok(Inserted::LeftOut) => {
            core.forget_settings(tenant);
            core.let_go(run);
            return Ok(None);
        }
        Err(StoreError::Overloaded) => {
            core.let_go(run);
            return Err(StoreError::Overloaded.into());
        }
        Err(error) => {
            if driven {
                core.unsettled.owe((run, live.epoch)); // it may be there all the same, and ours
                core.let_go(run);
            }
            core.bells.ring_runs();
            return Err(error.into());
        }
    }
    Ok(Some(Started::fresh(run, None)))
}

/// Starts what an inbound message asked for; a start that is refused for good reason starts nothing
/// (the domain has answered the person), so that the message is applied all the same.
pub(super) async fn refused_or_started(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Option<RunId>, Problem> {
    match start(core, tx, tenant, wanted).await {
        Ok(started) => Ok(Some(started.run)),
        Err(problem) if problem.code == "already_running" => Ok(None),
        Err(problem) => Err(problem),
    }
}
