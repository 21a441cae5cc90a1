//! Sweeps requests: does the due work of each request, such as ending offers that expire
//! and closing the request. What is due is decided by the domain, the code that knows requests and offers.
//!
//! Each request is swept in a transaction of its own, under the settings of its tenant, and so is the work of a tenant
//! that belongs to no request. What fails is postponed and does not block anything else.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::{Core, SweepItem, failed};
use super::super::start;
use crate::base::{Problem, RequestId, Timestamp, limits};
use crate::planted::PlantedFault;
use crate::store::{Tx, is_fatal};
use crate::transaction;

/// A tenant with at least one request in which work is due, now or later.
pub(super) struct DueTenant {
    tenant: String,
    /// When the earliest work on the tenant's requests falls due.
    pub(super) at: Timestamp,
    /// The last instant before the tenant's barrier. Work that falls due later than this instant must wait,
    /// because an inbound message is not applied yet. `None` if all inbound messages are applied.
    by: Option<Timestamp>,
}

/// Returns the tenants whose earliest work need not wait until an inbound message is applied.
pub(super) async fn due_tenants(core: &Core) -> Result<Vec<DueTenant>, Problem> {
    let read_one =
        transaction!([domain = Arc::clone(&core.domain)], |tx| domain.next_due(tx).await);
    let mut due = core.store.read_one(read_one).await?;
    let read_one =
        transaction!([domain = Arc::clone(&core.domain)], |tx| domain.next_tenant_due(tx).await);
    for (tenant, at) in core.store.read_one(read_one).await? {
        match due.iter_mut().find(|(known, _)| *known == tenant) {
            Some((_, first)) => *first = at.min(*first),
            None => due.push((tenant, at)),
        }
    }
    if PlantedFault::OtherTenantsNotSwept.is_active() {
        due.truncate(1);
    }
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let read_one = transaction!(|tx| Ok(tx.barriers().await?));
    let barriers: BTreeMap<String, Timestamp> =
        core.store.read_one(read_one).await?.into_iter().collect();
    let open = due.into_iter().map(|(tenant, at)| {
        let by = barriers.get(&tenant).copied();
        DueTenant { tenant, at, by }
    });
    Ok(open.filter(|due| due.by.is_none_or(|by| due.at <= by)).collect())
}

/// Sweeps the requests of these tenants in which work is due now, each request once.
/// Returns the number of work items done.
pub(super) async fn sweep(core: &Arc<Core>, tenants: Vec<DueTenant>) -> Result<u64, Problem> {
    let now = core.now();
    let left_out = core.sweep_backoff.begin(now);
    let mut done = 0;
    for DueTenant { tenant, by, .. } in tenants.into_iter().filter(|due| due.at <= now) {
        let by = by.into_iter().fold(now, Timestamp::min);
        let due = due_work(core, &tenant, by).await?;
        for request in due.requests {
            if !left_out.contains(&SweepItem::Request(request)) && !core.is_stopping() {
                done += sweep_one(core, &tenant, request).await?;
            }
        }
        let of_tenant = SweepItem::Tenant(tenant.clone());
        if due.tenant && !left_out.contains(&of_tenant) && !core.is_stopping() {
            let begun = core.now();
            let swept = sweep_tenant(core, &tenant, by).await;
            let elapsed = core.now() - begun;
            metrics::histogram!("abide_tenant_sweep_seconds").record(elapsed.micros() as f64 / 1e6);
            done += done_or_postponed(core, of_tenant, swept)?;
        }
    }
    core.sweep_backoff.end(now);
    Ok(done)
}

/// The codes with which the start of a method is refused that does not exist, or that takes another goal.
const CANNOT_START: [&str; 2] = ["unknown_method", "goal_invalid"];

/// The work of a tenant that is due.
struct DueWork {
    requests: Vec<RequestId>,
    /// Whether work is due that belongs to no request.
    tenant: bool,
}

async fn due_work(core: &Arc<Core>, tenant: &str, by: Timestamp) -> Result<DueWork, Problem> {
    let (domain, tenant) = (Arc::clone(&core.domain), tenant.to_owned());
    let limit = i64::try_from(limits::SWEEP_ROWS_MAX).unwrap_or(1);
    let read = transaction!([domain, tenant], |tx| {
        let requests = domain.due_requests(tx, &tenant, by, limit).await?;
        Ok(DueWork { requests, tenant: domain.tenant_is_due(tx, &tenant, by).await? })
    });
    core.store.read(read).await
}

/// Does the due work of a tenant that belongs to no request. A tenant whose kill switch is on has none.
async fn sweep_tenant(core: &Arc<Core>, tenant: &str, by: Timestamp) -> Result<u64, Problem> {
    let task = transaction!([core = Arc::clone(core), tenant = tenant.to_owned()], |tx| {
        if tx.lock_tenant_shared(&tenant).await? {
            return Ok(0);
        }
        let settings = core.settings(tx, &tenant).await?;
        let library = core.library();
        let cx = core.domain_context(&tenant, &settings, &library);
        let swept = core.domain.sweep_tenant(tx, &cx, by).await?;
        for wanted in &swept.starts {
            match start::start_unless_running(&core, tx, &tenant, wanted).await {
                Ok(_) => {}
                // Nothing is written yet. To try again would change nothing, and would hold up the rest of the work.
                Err(problem) if CANNOT_START.contains(&&*problem.code) => {
                    failed("a method that is to follow cannot start", &wanted.method, &problem);
                }
                Err(problem) => return Err(problem),
            }
        }
        Ok(swept.done)
    });
    core.store.write(task).await
}

/// Sweeps one request. Returns the number of work items done.
async fn sweep_one(core: &Arc<Core>, tenant: &str, request: RequestId) -> Result<u64, Problem> {
    let task = transaction!([core = Arc::clone(core), tenant = tenant.to_owned()], |tx| {
        sweep_inside(&core, tx, &tenant, request).await
    });
    let swept = core.store.write(task).await;
    done_or_postponed(core, SweepItem::Request(request), swept)
}

/// Returns the number of work items done. If the sweep has failed, postpones the item and returns 0; if the whole
/// database has failed, returns the error.
fn done_or_postponed(
    core: &Core,
    item: SweepItem,
    swept: Result<u64, Problem>,
) -> Result<u64, Problem> {
    match swept {
        Err(problem) if !is_fatal(&problem) => {
            let (what, which) = match &item {
                SweepItem::Request(request) => ("a request cannot be swept", request.to_string()),
                SweepItem::Tenant(tenant) => ("a tenant cannot be swept", tenant.clone()),
            };
            failed(what, &which, &problem);
            core.sweep_backoff.add(item, core.now(), &problem);
            Ok(0)
        }
        swept => swept,
    }
}

async fn sweep_inside(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    request: RequestId,
) -> Result<u64, Problem> {
    // A request is not swept while the kill switch of its tenant is on.
    if tx.lock_tenant_shared(tenant).await? && !PlantedFault::SweepWhilePaused.is_active() {
        return Ok(0);
    }
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    core.domain.sweep(tx, &cx, request).await
}
