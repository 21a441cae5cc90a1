//! The start of a run: pinned, keyed, bound to its request, all in one transaction.

use std::sync::Arc;

use super::super::core::{Chosen, Core};
use super::check::{check, check_goal};
use super::rows::new_run;
use crate::base::{Problem, RunId};
use crate::domain::{Rival, StartRun};
use crate::library::Bundle;
use crate::run::Control;
use crate::store::{Inserted, Tx};

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
    pub(in crate::driver) const fn fresh(run: RunId, chosen: Option<Chosen>) -> Self {
        Self { run, new: true, chosen }
    }
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

/// Remembers what later starts of this method need not ask for: only once a start is committed.
pub(crate) fn started(core: &Core, (tenant, method): (&str, &str), started: &Started) {
    if let Some(chosen) = started.chosen {
        core.bundles.choose(tenant, method, chosen);
    }
}

/// Starts what an inbound message asked for; a start that is refused for good reason starts nothing
/// (the domain has answered the person), so that the message is applied all the same.
pub(in crate::driver) async fn refused_or_started(
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
