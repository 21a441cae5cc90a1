//! Starts a run that is not a child of another run. One transaction pins the run to its bundle,
//! checks that its start key is new, and binds the run to its request.

use super::super::core::{Chosen, Core, check_bundle};
use super::check::{check_goal, check_limits};
use super::choose::choose;
use super::plan::with_method;
use super::rows::{RunStart, new_run};
use super::shadow;
use crate::base::{Problem, RunId, Value};
use crate::domain::{ConflictingRun, DomainContext, OnConflict, PreparedStart, StartRun};
use crate::run::{Control, StartConsent};
use crate::store::{Inserted, MethodRef, RunRow, SignalKind, Tx};

/// The run that `start` created or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The id of the run.
    pub run: RunId,
    /// Whether the run was created. False if `start` found an earlier run with the same start key,
    /// or a live run that already does the same work.
    pub new: bool,
    /// The bundle and version that the run started with, if they were looked up in the database.
    /// `remember_start` caches them for later runs of the same method.
    chosen: Option<Chosen>,
}

impl Started {
    /// Builds the result if an earlier run has the same start key.
    pub(super) const fn earlier(run: RunId) -> Self {
        Self { run, new: false, chosen: None }
    }

    /// Builds the result if a run was created.
    pub(in crate::driver) const fn fresh(run: RunId, chosen: Option<Chosen>) -> Self {
        Self { run, new: true, chosen }
    }
}

/// Prepares the start of a run that concerns no request, without a query. Returns `None` if preparing the
/// run needs the database. The domain has no part in a call from outside.
pub(in crate::driver) fn prepare_in_memory(
    core: &Core,
    cx: &DomainContext<'_>,
    wanted: &StartRun,
) -> Option<PreparedStart> {
    if !wanted.is_from_outside() {
        let prepared = core.domain.prepare_in_memory(cx, wanted);
        return prepared.filter(|prepared| prepared.request.is_none());
    }
    wanted.request.is_none().then(|| prepare_call(wanted))
}

fn prepare_call(wanted: &StartRun) -> PreparedStart {
    let (request, goal) = (wanted.request, wanted.goal.clone());
    PreparedStart { request, goal, ctx: serde_json::json!({}), conflict: None }
}

async fn prepare(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    wanted: &StartRun,
) -> Result<PreparedStart, Problem> {
    if !wanted.is_from_outside() {
        return core.domain.prepare_start(tx, cx, wanted).await;
    }
    if let Some(request) = wanted.request {
        core.domain.request_view(tx, cx, request).await?; // fails if the tenant has no such request
    }
    Ok(prepare_call(wanted))
}

/// Starts a run inside a transaction. Returns the existing run instead if there is one with the same
/// start key, or a live run that already does the same work. The run is a shadow run if the caller or the
/// tenant wants that; otherwise a shadow run of a newer version may accompany it.
pub(crate) async fn start(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
) -> Result<Started, Problem> {
    check_limits(wanted)?;
    if let Some(run) = tx.run_by_key(tenant, wanted.key.as_deref()).await? {
        return Ok(Started::earlier(run));
    }
    let wanted = &*with_method(core, tx, tenant, wanted).await?;
    let known = core.tenant_settings(tx, tenant).await?;
    if wanted.dry_run || known.shadow {
        let run = shadow::start(core, tx, tenant, wanted).await?;
        return Ok(Started::fresh(run, None));
    }
    let started = start_real(core, tx, tenant, wanted, None).await?;
    if started.new && known.has_shadows {
        shadow::start_beside(core, tx, tenant, wanted, started.run).await?;
    }
    Ok(started)
}

/// What the rehearsal of a start takes from the shadow run, instead of choosing it.
struct Pinned {
    chosen: Chosen,
    /// The campaign of the real run beside which the shadow run is played.
    campaign: Option<i64>,
}

/// Starts the run that a shadow run stands for. The caller copies the new run into another database, and rolls
/// the transaction back. The other parts of the copy are as they were before the start of the real run beside
/// the shadow run, once the caller has left out the rows of that run.
pub(crate) async fn rehearse(core: &Core, tx: &mut Tx, row: &RunRow) -> Result<RunId, Problem> {
    let state = row.parsed_state()?;
    let shadow = state.shadow.ok_or_else(|| Problem::bug("the run is no shadow run"))?;
    let names = tx.all_vars(row.id).await?.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let mut vars: serde_json::Map<String, Value> =
        tx.vars(row.id, &names).await?.into_iter().collect();
    let replace = shadow.replace || shadow.beside.is_some();
    let mut wanted = StartRun {
        method: row.method.clone(),
        goal: vars.remove("goal").unwrap_or(Value::Null),
        request: shadow.request,
        vars,
        scheduled: state.scheduled,
        on_conflict: if replace { OnConflict::Replace } else { OnConflict::Reject },
        outside_call: state.outside_call,
        outside_plan: state.outside_plan.map(|_| String::new()), // the bundle is known
        consent: state.consent.map_or(StartConsent::Open, |_| StartConsent::Given),
        ..StartRun::default()
    };
    let chosen = Chosen { bundle: row.bundle, version: row.version, active: row.version };
    let mut pinned = Pinned { chosen, campaign: None };
    if let Some(beside) = shadow.beside
        && let Some(real) = tx.run(beside).await?
    {
        wanted.request = real.request;
        pinned.campaign = Some(real.campaign);
    }
    Ok(start_real(core, tx, &row.tenant, &wanted, Some(pinned)).await?.run)
}

async fn start_real(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    wanted: &StartRun,
    pinned: Option<Pinned>,
) -> Result<Started, Problem> {
    let (bundle, chosen) = match &pinned {
        Some(pinned) => (core.bundle(tx, pinned.chosen.bundle).await?, pinned.chosen),
        None => choose(core, tx, tenant, wanted).await?,
    };
    check_goal(&bundle, wanted)?;
    let library = core.library();
    let settings = core.settings(tx, tenant).await?;
    check_bundle(&library, &settings, &bundle)?;
    let cx = core.domain_context(tenant, &settings, &library);
    let mut prepared = match prepare(core, tx, &cx, wanted).await {
        Ok(prepared) => prepared,
        // Another transaction with the same start key may have committed
        // while this transaction waited for the lock of the request.
        Err(refusal) => {
            return match tx.run_by_key(tenant, wanted.key.as_deref()).await? {
                Some(run) => Ok(Started::earlier(run)),
                None => Err(refusal),
            };
        }
    };
    if let Some(ConflictingRun::Joined(run)) = prepared.conflict {
        return Ok(Started { run, new: false, chosen: None });
    }
    if let Some(scheduled) = wanted.scheduled {
        prepared.ctx["scheduled_at"] = scheduled.at.to_string().into();
    }
    let campaign = match prepared.request {
        Some(request) => {
            tx.lock_request(tenant, request).await?;
            match pinned.and_then(|pinned| pinned.campaign) {
                Some(campaign) => campaign,
                None => tx.next_campaign(request)?,
            }
        }
        None => 1,
    };
    let new = new_run(RunStart {
        id: tx.mint(),
        tenant,
        wanted,
        bundle: &bundle,
        version: chosen.version,
        prepared: &prepared,
        campaign,
        child: None,
    });
    let run = new.id;
    if tx.insert_runs(std::slice::from_ref(&new)).await? == [Inserted::LeftOut] {
        let earlier = tx.run_by_key(tenant, wanted.key.as_deref()).await?;
        return match earlier {
            Some(run) => Ok(Started::earlier(run)),
            None => Err(Problem::bug("a run could not be inserted")),
        };
    }
    core.domain.run_inserted(tx, &cx, run, &prepared).await?;
    if let Some(ConflictingRun::Replaced(rival)) = prepared.conflict {
        let why = serde_json::json!({ "why": "replaced", "by": run });
        let cancel = SignalKind::Order(Control::Cancel.as_str());
        tx.signal(rival, cancel, Some(&run.to_string()), &why).await?;
    }
    Ok(Started::fresh(run, Some(chosen)))
}

/// Caches the bundle and version that a run started with, so that later runs of the method start without a
/// query for bundle and version. Use this only after the transaction that created the run is committed.
pub(crate) fn remember_start(core: &Core, method: MethodRef<'_>, started: &Started) {
    if let Some(chosen) = started.chosen {
        core.bundles.choose(method.tenant, method.method, chosen);
    }
}

/// Starts the run that an inbound message asks for. Returns `None` if a live run already does the same
/// work. In that case the domain has informed the sender of the message, and the message counts as applied.
pub(in crate::driver) async fn start_unless_running(
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
