//! What all parts of the driver share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use super::super::bell::{Bell, Bells};
use super::super::claims::Claims;
use super::bundles::{Bundles, Chosen};
use super::endings::Endings;
use super::put_off::PutOff;
use super::tenant_turns::TenantTurns;
use super::tenants::{TenantSettings, Tenants};
use super::tries::Tries;
use crate::base::id::IdSource;
use crate::base::{Digest, Problem, RequestId, Timestamp};
use crate::clock::Clock;
use crate::domain::{Domain, DomainContext};
use crate::gateway::Gateway;
use crate::library::Library;
use crate::policy::Settings;
use crate::store::{Due, Store, Tx, work};
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
    pub(in crate::driver) fn workers(self) -> usize {
        match self {
            Self::InLine => WORKERS_IN_LINE,
            Self::Tasks(most) => most,
        }
    }
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
    pub(crate) virtual_time: bool,
    pub(crate) bells: Arc<Bells>,
    pub(in crate::driver) bundles: Bundles,
    pub(crate) library: RwLock<Arc<Library>>,
    tenants: Tenants,
    /// The runs that this process owns.
    pub(crate) claims: Claims,
    /// The requests whose sweep failed.
    pub(in crate::driver) sweeps_put_off: PutOff<RequestId>,
    /// The tenants whose texts could not be let go.
    pub(in crate::driver) releases_put_off: PutOff<String>,
    pub(in crate::driver) release_turns: TenantTurns,
    pub(in crate::driver) tries: Tries,
    /// True while this process stays and works by itself.
    pub(in crate::driver) served: AtomicBool,
    /// Held by the caller for whom the parts work until nothing is due.
    pub(in crate::driver) settling: tokio::sync::Mutex<()>,
    /// Held by the part that is at work, where one is at a time.
    pub(in crate::driver) at_work: tokio::sync::Mutex<()>,
    pub(crate) applied: watch::Sender<u64>,
    pub(crate) endings: Endings,
    pub(in crate::driver) stopping: AtomicBool,
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
        let node = parts.ids.mint(parts.clock.now());
        let (clock, bells) = (Arc::clone(&parts.clock), Arc::clone(&parts.bells));
        let claims = Claims::new(parts.store.clone(), clock, bells, node);
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
            virtual_time: parts.virtual_time,
            bells: parts.bells,
            bundles,
            library: RwLock::new(parts.library),
            tenants: Tenants::of(parts.settings),
            claims,
            sweeps_put_off: PutOff::default(),
            releases_put_off: PutOff::default(),
            release_turns: TenantTurns::default(),
            tries: Tries::default(),
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
    pub(in crate::driver) async fn due(&self) -> Result<Due, Problem> {
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
    pub(in crate::driver) fn sleeps(&self, bell: &Bell, until: Option<Timestamp>) {
        bell.rest(until);
        self.claims.tell();
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
        self.tenants.settings(tx, tenant).await
    }

    /// The same without a look at the database where this process remembers them: for what compares their
    /// version when it commits.
    pub(in crate::driver) async fn settings_unchecked(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        self.tenants.unchecked(tx, tenant).await
    }

    /// What a start needs that every start of this tenant and method shares, once one was made.
    pub(in crate::driver) fn known(
        &self,
        tenant: &str,
        method: &str,
    ) -> Option<(TenantSettings, Chosen)> {
        Some((self.tenants.remembered(tenant)?, self.bundles.chosen(tenant, method)?))
    }

    /// Whether settings like these can be had.
    pub(crate) fn check_policy(&self, policy: &crate::base::Value) -> Result<(), Problem> {
        self.tenants.own().overridden(policy).map(drop)
    }

    /// The number that our texts come from.
    pub(crate) fn sms_from(&self) -> String {
        self.tenants.own().sms_from.clone()
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
        self.tenants.own().poll_interval
    }

    /// How long a node that shows no life keeps its runs.
    pub(in crate::driver) fn node_lease(&self) -> crate::base::Span {
        self.tenants.own().node_lease
    }

    /// Another version of a method is active now: the next start looks which.
    pub(crate) fn forget_method(&self, tenant: &str, method: &str) {
        self.bundles.forget(tenant, method);
    }

    /// Forgets a tenant's settings: they were changed, here or elsewhere.
    pub(crate) fn forget_settings(&self, tenant: &str) {
        self.tenants.forget(tenant);
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

    /// True once no new work may be begun.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// True while this process stays and works by itself.
    pub(in crate::driver) fn is_served(&self) -> bool {
        self.served.load(Ordering::SeqCst)
    }

    /// Counts what a part has done.
    pub(in crate::driver) fn count_done(&self, things: u64) {
        self.done.fetch_add(things, Ordering::Relaxed);
    }

    /// How many things the parts have done.
    pub(in crate::driver) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Counts a deadline, retry or schedule that fell due.
    pub(in crate::driver) fn count_fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }

    /// How many deadlines, retries and schedules have fallen due in this process.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }
}
