//! What all parts of the driver share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::watch;

use super::bell::{Bell, Bells};
use super::bundles::{Bundles, Chosen};
use super::endings::Endings;
use super::put_off::PutOff;
use super::standing::Standing;
use super::tenant_turns::TenantTurns;
use super::tries::Tries;
use super::unsettled::Unsettled;
use crate::base::id::IdSource;
use crate::base::{Clock, Digest, Problem, RequestId, RunId, Timestamp};
use crate::domain::{Domain, DomainContext};
use crate::gateway::Gateway;
use crate::library::Library;
use crate::policy::Settings;
use crate::store::{Dialect, Due, Store, Tx, work};
use crate::verb::Verbs;

/// Runs that a process which does not stay works on at a time.
const WORKERS_IN_LINE: usize = 1;

/// How due runs are worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Whoever asks for something has what it made due be done before the answer.
    InLine,
    /// Side by side in tasks, at most so many.
    Tasks(usize),
}

impl Pace {
    /// How many runs may be in hand.
    pub(super) fn workers(self) -> usize {
        match self {
            Self::InLine => WORKERS_IN_LINE,
            Self::Tasks(most) => most,
        }
    }
}

/// A tenant's settings, as they are at a version of it.
#[derive(Debug, Clone)]
pub(crate) struct TenantSettings {
    /// The process's own with the tenant's differences.
    pub(crate) settings: Arc<Settings>,
    /// Whoever rests on them without looking has it compared in the commit.
    pub(crate) version: i64,
}

/// The driver's shared state.
pub struct Core {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<IdSource>,
    pub(crate) verbs: Verbs,
    pub(crate) domain: Arc<dyn Domain>,
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) pace: Pace,
    pub(crate) standing: Standing,
    pub(crate) virtual_time: bool,
    pub(crate) bells: Arc<Bells>,
    pub(super) bundles: Bundles,
    pub(crate) library: RwLock<Arc<Library>>,
    settings: Arc<Settings>,
    tenants: RwLock<BTreeMap<String, TenantSettings>>,
    /// The runs in hand; true for one that was found due meanwhile.
    active: Mutex<BTreeMap<RunId, bool>>,
    /// The run in hand that was claimed before and came to nothing: one at a time, so that the one
    /// which ends its process takes no other with it again and again.
    suspect: Mutex<Option<RunId>>,
    pub(super) unsettled: Unsettled,
    /// The requests whose sweep failed.
    pub(super) sweeps_put_off: PutOff<RequestId>,
    /// The tenants whose texts could not be let go.
    pub(super) releases_put_off: PutOff<String>,
    pub(super) release_turns: TenantTurns,
    pub(super) tries: Tries,
    /// How many runs are in hand; told also when a part falls asleep.
    pub(super) idle: watch::Sender<usize>,
    /// True while this process stays and works by itself.
    pub(super) served: AtomicBool,
    /// Held by the caller for whom the parts work until nothing is due.
    pub(super) settling: tokio::sync::Mutex<()>,
    /// Held by the part that is at work, where one is at a time.
    pub(super) at_work: tokio::sync::Mutex<()>,
    pub(crate) applied: watch::Sender<u64>,
    pub(crate) endings: Endings,
    pub(super) stopping: AtomicBool,
    fired: AtomicU64,
    done: AtomicU64,
}

/// What a driver is made of.
pub struct Parts {
    /// The database.
    pub store: Store,
    /// The domain's clock.
    pub clock: Arc<dyn Clock>,
    /// True where that clock is not the machine's.
    pub virtual_time: bool,
    /// Where ids come from.
    pub ids: Arc<IdSource>,
    /// The verbs.
    pub verbs: Verbs,
    /// The domain.
    pub domain: Arc<dyn Domain>,
    /// The way to the carriers.
    pub gateway: Arc<dyn Gateway>,
    /// How due runs are worked on.
    pub pace: Pace,
    /// The bells that the store rings.
    pub bells: Arc<Bells>,
    /// What new runs may start.
    pub library: Arc<Library>,
    /// The process's settings.
    pub settings: Settings,
}

impl Core {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let standing = Standing::of(parts.ids.mint(parts.clock.now()));
        let bundles = Bundles::default();
        for bundle in parts.library.methods.values() {
            bundles.keep(Arc::clone(bundle));
        }
        Self {
            store: parts.store,
            clock: parts.clock,
            ids: parts.ids,
            verbs: parts.verbs,
            domain: parts.domain,
            gateway: parts.gateway,
            pace: parts.pace,
            standing,
            virtual_time: parts.virtual_time,
            bells: parts.bells,
            bundles,
            library: RwLock::new(parts.library),
            settings: Arc::new(parts.settings),
            tenants: RwLock::default(),
            active: Mutex::default(),
            suspect: Mutex::default(),
            unsettled: Unsettled::default(),
            sweeps_put_off: PutOff::default(),
            releases_put_off: PutOff::default(),
            release_turns: TenantTurns::default(),
            tries: Tries::default(),
            idle: watch::channel(0).0,
            served: AtomicBool::new(false),
            settling: tokio::sync::Mutex::default(),
            at_work: tokio::sync::Mutex::default(),
            applied: watch::channel(0).0,
            endings: Endings::default(),
            stopping: AtomicBool::new(false),
            fired: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }

    /// When each part has something to do next.
    pub(super) async fn due(&self) -> Result<Due, Problem> {
        let now = self.now();
        let glance = work(move |tx| Box::pin(async move { Ok(tx.due(now).await?) }));
        self.store.glance(glance).await
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits for an instant; for ever where there is none.
    pub(crate) async fn until(&self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.clock.until(at).await,
            None => std::future::pending().await,
        }
    }

    /// A part has nothing to do until then.
    pub(super) fn sleeps(&self, bell: &Bell, until: Option<Timestamp>) {
        bell.rest(until);
        self.idle.send_modify(|_| {});
    }

    /// What new runs may start.
    pub(crate) fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A tenant's settings as they are now: what this process remembers, if no other has changed them.
    pub(crate) async fn settings(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<Arc<Settings>, Problem> {
        let version = tx.tenant_version(tenant).await?;
        match self.remembered(tenant) {
            Some(known) if known.version == version => Ok(known.settings),
            _ => Ok(self.read_settings(tx, tenant).await?.settings),
        }
    }

    /// The same without a look at the database where this process remembers them: for what compares their
    /// version when it commits.
    pub(super) async fn settings_unchecked(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        match self.remembered(tenant) {
            Some(known) => Ok(known),
            None => self.read_settings(tx, tenant).await,
        }
    }

    fn remembered(&self, tenant: &str) -> Option<TenantSettings> {
        self.tenants.read().unwrap_or_else(PoisonError::into_inner).get(tenant).cloned()
    }

    async fn read_settings(&self, tx: &mut Tx, tenant: &str) -> Result<TenantSettings, Problem> {
        let row = tx.tenant(tenant).await?;
        let version = row.as_ref().map_or(0, |row| row.version);
        let settings = match row {
            Some(row) if row.policy.as_object().is_some_and(|p| !p.is_empty()) => {
                Arc::new(self.settings.overridden(&row.policy)?)
            }
            _ => Arc::clone(&self.settings),
        };
        let known = TenantSettings { settings, version };
        let mut tenants = self.tenants.write().unwrap_or_else(PoisonError::into_inner);
        tenants.insert(tenant.to_owned(), known.clone());
        Ok(known)
    }

    /// What a start needs that every start of this tenant and method shares, once one was made.
    pub(super) fn known(&self, tenant: &str, method: &str) -> Option<(TenantSettings, Chosen)> {
        Some((self.remembered(tenant)?, self.bundles.chosen(tenant, method)?))
    }

    /// Whether settings like these can be had.
    pub(crate) fn check_policy(&self, policy: &crate::base::Value) -> Result<(), Problem> {
        self.settings.overridden(policy).map(drop)
    }

    /// The number that our texts come from.
    pub(crate) fn sms_from(&self) -> String {
        self.settings.sms_from.clone()
    }

    /// A bundle by its digest.
    pub(crate) async fn bundle(
        &self,
        tx: &mut Tx,
        digest: Digest,
    ) -> Result<Arc<crate::library::Bundle>, Problem> {
        self.bundles.load(tx, digest).await
    }

    /// A method that another one calls, as that one is pinned to it.
    pub(crate) async fn child_bundle(
        &self,
        tx: &mut Tx,
        parent: &crate::library::Bundle,
        method: &str,
    ) -> Result<Arc<crate::library::Bundle>, Problem> {
        let digest = parent.pins.methods.get(method).ok_or_else(|| {
            Problem::bug(format!("the bundle of `{}` has no `{method}`", parent.graph.method))
        })?;
        self.bundles.load(tx, *digest).await
    }

    /// How often PostgreSQL is asked when no notification came.
    pub(crate) fn poll_interval(&self) -> crate::base::Span {
        self.settings.poll_interval
    }

    /// How long a node that shows no life keeps its runs.
    pub(super) fn node_lease(&self) -> crate::base::Span {
        self.settings.node_lease
    }

    /// Another version of a method is active now: the next start looks which.
    pub(crate) fn forget_method(&self, tenant: &str, method: &str) {
        self.bundles.forget(tenant, method);
    }

    /// Forgets a tenant's settings: they were changed, here or elsewhere.
    pub(crate) fn forget_settings(&self, tenant: &str) {
        self.tenants.write().unwrap_or_else(PoisonError::into_inner).remove(tenant);
    }

    /// What the domain is told with each question outside a run.
    pub(crate) fn domain_context<'a>(
        &self,
        tenant: &'a str,
        settings: &'a Settings,
        library: &'a Library,
    ) -> DomainContext<'a> {
        DomainContext { tenant, now: self.now(), settings, templates: &library.templates }
    }

    /// Marks a run as being worked on here; false if it is already: then its bell is rung once it
    /// was let go.
    pub(super) fn take(&self, run: RunId) -> bool {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
            return false;
        }
        active.insert(run, false);
        self.idle.send_replace(active.len());
        true
    }

    /// Takes a run in hand that was claimed before and came to nothing; false if another such one is
    /// in hand.
    pub(super) fn take_suspect(&self, run: RunId) -> bool {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        *suspect.get_or_insert(run) == run
    }

    /// A run in hand is to be looked at again as soon as it was let go.
    pub(super) fn look_again(&self, run: RunId) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(due_again) = active.get_mut(&run) {
            *due_again = true;
        }
    }

    /// The run is not being worked on here any more.
    pub(super) fn let_go(&self, run: RunId) {
        let mut suspect = self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
        if *suspect == Some(run) {
            *suspect = None;
        }
        drop(suspect);
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        let due_again = active.remove(&run) == Some(true);
        self.idle.send_replace(active.len());
        drop(active);
        if due_again {
            self.bells.runs.ring();
        }
    }

    /// True while a run is being worked on here.
    pub(crate) fn has(&self, run: RunId) -> bool {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    /// How many runs are being worked on here.
    pub(super) fn active(&self) -> usize {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// True where this process may take work in hand: it drives an embedded file alone, or stands
    /// among the others with a lease and a clock like theirs.
    pub(super) fn may_take(&self) -> bool {
        self.store.dialect() == Dialect::Sqlite || self.standing.may_take()
    }

    /// True once no new work may be begun.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// True while this process stays and works by itself.
    pub(super) fn is_served(&self) -> bool {
        self.served.load(Ordering::SeqCst)
    }

    /// Counts what a part has done.
    pub(super) fn count_done(&self, things: u64) {
        self.done.fetch_add(things, Ordering::Relaxed);
    }

    /// How many things the parts have done.
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Counts a deadline, retry or schedule that fell due.
    pub(super) fn count_fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }

    /// How many deadlines, retries and schedules have fallen due in this process.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }
}
