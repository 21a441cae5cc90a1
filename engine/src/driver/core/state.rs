//! The state that all parts of the driver share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use async_trait::async_trait;

use super::super::bell::{Bell, Bells};
use super::super::claims::Claims;
use super::archive_pass::Retention;
use super::awaited::AwaitedMessages;
use super::backoff::{Backoff, SweepItem};
use super::bundles::{Bundles, Chosen};
use super::domains::check_names;
use super::preview::Preview;
use super::proposals::Proposals;
use super::rewordings::Rewordings;
use super::run_ends::RunEndListeners;
use super::tenant_rotation::TenantRotation;
use super::tenants::{TenantSettings, Tenants};
use super::tries::Tries;
use crate::adapter::Adapters;
use crate::archive::ArchiveConfig;
use crate::base::id::IdSource;
use crate::base::{Digest, Problem, RunId, Timestamp};
use crate::clock::Clock;
use crate::domain::{Domain, DomainContext};
use crate::gateway::Gateway;
use crate::library::Library;
use crate::model::ModelConfig;
use crate::policy::Settings;
use crate::store::{Due, Store, Tx};
use crate::transaction;
use crate::verb::Verbs;

/// The number of runs that a process works on at a time with [`DriveMode::InLine`].
const WORKERS_IN_LINE: usize = 1;

/// How due runs are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveMode {
    /// Runs are driven one at a time, by the function that makes them due, before that function returns.
    InLine,
    /// Each run is driven in a task of its own. The number is the maximum number of runs at a time.
    Tasks(usize),
}

impl DriveMode {
    /// Returns how many runs this process may work on at a time.
    pub(in crate::driver) fn workers(self) -> usize {
        match self {
            Self::InLine => WORKERS_IN_LINE,
            Self::Tasks(most) => most,
        }
    }
}

/// Plays shadow runs. The facade implements it, because a copy is played by an engine of its own.
#[async_trait]
pub trait Previewer: Send + Sync {
    /// Plays a shadow run to its end in a copy of the database of `core`, and returns what it did there.
    async fn preview(&self, core: &Arc<Core>, run: RunId) -> Result<Preview, Problem>;
}

/// The state that all parts of the driver share.
pub struct Core {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<IdSource>,
    pub(crate) verbs: Verbs,
    pub(crate) domain: Arc<dyn Domain>,
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) adapters: Adapters,
    pub(crate) previewer: Option<Arc<dyn Previewer>>,
    pub(crate) drive_mode: DriveMode,
    pub(crate) virtual_time: bool,
    pub(crate) bells: Arc<Bells>,
    pub(in crate::driver) bundles: Bundles,
    pub(crate) library: RwLock<Arc<Library>>,
    tenants: Tenants,
    /// The runs that this process has claimed.
    pub(crate) claims: Claims,
    /// The requests whose sweep failed. To sweep a request is to do the work that is due in it. Each
    /// sweep is tried again after a pause.
    pub(in crate::driver) sweep_backoff: Backoff<SweepItem>,
    /// The tenants whose messages could not be released. Their release is tried again after a pause.
    pub(in crate::driver) release_backoff: Backoff<String>,
    pub(in crate::driver) release_rotation: TenantRotation,
    pub(in crate::driver) tries: Tries,
    /// The language model that is asked where the own reader is not sure; `None` if none is configured.
    pub(crate) model: Option<ModelConfig>,
    pub(in crate::driver) proposals: Proposals,
    pub(in crate::driver) rewordings: Rewordings,
    /// What archiving needs; empty in a process that does not archive.
    pub(crate) archives: OnceLock<ArchiveConfig>,
    /// What is left to archive today.
    pub(in crate::driver) retention: tokio::sync::Mutex<Retention>,
    /// Locked while this process archives, so that one file is written at a time.
    pub(in crate::driver) archiving: tokio::sync::Mutex<()>,
    /// True while this process is a server, that is, while the function `serve` runs.
    pub(in crate::driver) served: AtomicBool,
    /// Locked while `settle` runs the parts of the driver for one of its callers.
    pub(in crate::driver) settling: tokio::sync::Mutex<()>,
    /// Locked by the part of the driver that is doing its due work, in a process that is not a server. In
    /// such a process, only one part works at a time.
    pub(in crate::driver) pumping: tokio::sync::Mutex<()>,
    pub(crate) awaited: AwaitedMessages,
    /// Number of messages that gateways have delivered.
    received: AtomicU64,
    pub(crate) run_ends: RunEndListeners,
    pub(in crate::driver) stopping: AtomicBool,
    fired: AtomicU64,
    done: AtomicU64,
}

/// The arguments of [`Core::new`].
pub struct CoreConfig {
    /// The open database.
    pub store: Store,
    /// The clock that the engine uses for all its decisions: the machine's clock, or a virtual clock.
    pub clock: Arc<dyn Clock>,
    /// Whether the clock is virtual. A virtual clock advances only when the caller of the engine moves it.
    pub virtual_time: bool,
    /// The source of new ids.
    pub ids: Arc<IdSource>,
    /// The verbs that steps can call.
    pub verbs: Verbs,
    /// The domain: the code that knows requests, offers and people. It prepares new runs,
    /// interprets messages, and reacts to the ends of runs.
    pub domain: Arc<dyn Domain>,
    /// The gateway that carries messages to people.
    pub gateway: Arc<dyn Gateway>,
    /// The adapters that make calls to outside systems.
    pub adapters: Adapters,
    /// The language model that is asked where the own reader is not sure; `None` for none.
    pub model: Option<ModelConfig>,
    /// Plays shadow runs; `None` if this process refuses them.
    pub previewer: Option<Arc<dyn Previewer>>,
    /// How due runs are driven.
    pub drive_mode: DriveMode,
    /// The bells that the store rings when a commit makes work due.
    pub bells: Arc<Bells>,
    /// The methods and templates that new runs start with.
    pub library: Arc<Library>,
    /// The settings of the process.
    pub settings: Settings,
}

impl Core {
    /// Builds the shared state. Puts all bundles of the library into the cache.
    #[must_use]
    pub fn new(config: CoreConfig) -> Self {
        let node = config.ids.mint(config.clock.now());
        let (clock, bells) = (Arc::clone(&config.clock), Arc::clone(&config.bells));
        let claims = Claims::new(config.store.clone(), clock, bells, node);
        let bundles = Bundles::default();
        for bundle in config.library.bundles() {
            bundles.keep(Arc::clone(bundle));
        }
        Self {
            store: config.store,
            clock: config.clock,
            ids: config.ids,
            verbs: config.verbs,
            domain: config.domain,
            gateway: config.gateway,
            adapters: config.adapters,
            previewer: config.previewer,
            drive_mode: config.drive_mode,
            virtual_time: config.virtual_time,
            bells: config.bells,
            bundles,
            library: RwLock::new(config.library),
            tenants: Tenants::of(config.settings),
            claims,
            sweep_backoff: Backoff::default(),
            release_backoff: Backoff::default(),
            release_rotation: TenantRotation::default(),
            tries: Tries::default(),
            model: config.model,
            proposals: Proposals::default(),
            rewordings: Rewordings::default(),
            archives: OnceLock::new(),
            retention: tokio::sync::Mutex::default(),
            archiving: tokio::sync::Mutex::default(),
            served: AtomicBool::new(false),
            settling: tokio::sync::Mutex::default(),
            pumping: tokio::sync::Mutex::default(),
            awaited: AwaitedMessages::default(),
            received: AtomicU64::new(0),
            run_ends: RunEndListeners::default(),
            stopping: AtomicBool::new(false),
            fired: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }

    /// Reads the time at which each kind of work falls due, with a single statement.
    pub(in crate::driver) async fn due(&self) -> Result<Due, Problem> {
        self.due_at(self.now()).await
    }

    /// Like [`Core::due`], but tells what is due at the instant `now`, and what falls due after it.
    pub(in crate::driver) async fn due_at(&self, now: Timestamp) -> Result<Due, Problem> {
        let read_one = transaction!(|tx| Ok(tx.due(now).await?));
        self.store.read_one(read_one).await
    }

    /// Returns the current time of the engine's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits until the engine's clock shows the instant `at`; waits forever if `at` is `None`.
    pub(crate) async fn until(&self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.clock.until(at).await,
            None => std::future::pending().await,
        }
    }

    /// Marks a part of the driver as asleep until the instant `until` or until its bell rings, and
    /// notifies the receivers of `claims.watch()`.
    pub(in crate::driver) fn sleeps(&self, bell: &Bell, until: Option<Timestamp>) {
        bell.rest(until);
        self.claims.tell();
    }

    /// Returns the methods and templates that new runs start with.
    pub(crate) fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns a tenant's current settings. Uses the cached settings if the tenant's row has not changed
    /// since they were read, and reads the database otherwise.
    pub(crate) async fn settings(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<Arc<Settings>, Problem> {
        Ok(self.tenant_settings(tx, tenant).await?.settings)
    }

    /// Returns a tenant's current settings, as [`Core::settings`] does, with what is known about its shadow runs.
    pub(in crate::driver) async fn tenant_settings(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        self.tenants.current(tx, &*self.domain, tenant).await
    }

    /// Returns a tenant's cached settings without checking that they are current. Reads the database only
    /// if no settings are cached. Use this only if the commit of the caller checks that the tenant's row
    /// has not changed.
    pub(in crate::driver) async fn settings_unchecked(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        self.tenants.unchecked(tx, &*self.domain, tenant).await
    }

    /// Looks up in the caches what a new run of a method needs: the settings of its tenant, and the
    /// bundle and version that the latest run of the method started with. Returns `None` if the settings
    /// or the bundle and version are not cached.
    pub(in crate::driver) fn known(
        &self,
        tenant: &str,
        method: &str,
    ) -> Option<(TenantSettings, Chosen)> {
        Some((self.tenants.remembered(tenant)?, self.bundles.chosen(tenant, method)?))
    }

    /// Checks whether a tenant's policy, a JSON object that overrides settings, is valid.
    pub(crate) fn check_policy(&self, policy: &crate::base::Value) -> Result<(), Problem> {
        check_names(&self.library(), &self.tenants.own().overridden(policy)?)
    }

    /// Returns the settings of the process, which the tenants override.
    pub(crate) fn own_settings(&self) -> &Settings {
        self.tenants.own()
    }

    /// Returns the phone number that messages are sent from.
    pub(crate) fn sms_from(&self) -> String {
        self.tenants.own().sms_from.clone()
    }

    /// Loads a bundle by its digest, from memory or from the database.
    pub(crate) async fn bundle(
        &self,
        tx: &mut Tx,
        digest: Digest,
    ) -> Result<Arc<crate::library::Bundle>, Problem> {
        self.bundles.load(tx, digest).await
    }

    /// Returns a bundle if this process has it in memory.
    pub(crate) fn known_bundle(&self, digest: Digest) -> Option<Arc<crate::library::Bundle>> {
        self.bundles.get(digest)
    }

    /// Loads the bundle of a method that another method calls.
    /// The bundle `parent` of the calling method determines the version.
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

    /// Counts a message that a gateway delivers.
    pub(crate) fn count_received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of messages that gateways have delivered to this process.
    pub(in crate::driver) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Returns the interval at which a process polls PostgreSQL for due work.
    pub(crate) fn poll_interval(&self) -> crate::base::Span {
        self.tenants.own().poll_interval
    }

    /// Returns the length of a node's lease: how long the node keeps its runs after its last heartbeat.
    pub(in crate::driver) fn node_lease(&self) -> crate::base::Span {
        self.tenants.own().node_lease
    }

    /// Forgets the bundle and version that new runs of a method start with, because another version
    /// is active now. The next run that starts reads the active version from the database.
    pub(crate) fn forget_method(&self, tenant: &str, method: &str) {
        self.bundles.forget(tenant, method);
    }

    /// Removes a tenant's settings from the cache, because this or another process has changed them.
    pub(crate) fn forget_settings(&self, tenant: &str) {
        self.tenants.forget(tenant);
    }

    /// Builds the context that functions of the domain need: the tenant, the time, settings and templates.
    pub(crate) fn domain_context<'a>(
        &self,
        tenant: &'a str,
        settings: &'a Settings,
        library: &'a Library,
    ) -> DomainContext<'a> {
        DomainContext { tenant, now: self.now(), settings, templates: &library.templates }
    }

    /// Whether this process is stopping, so that no new work may begin.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Whether this process is a server: its driver keeps working until the process is stopped.
    pub(in crate::driver) fn is_served(&self) -> bool {
        self.served.load(Ordering::SeqCst)
    }

    /// Adds to the number of work items that the parts of the driver have finished.
    pub(in crate::driver) fn count_done(&self, things: u64) {
        self.done.fetch_add(things, Ordering::Relaxed);
    }

    /// Returns the number of work items that the parts of the driver have finished.
    pub(in crate::driver) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Counts one deadline, retry or schedule that fell due.
    pub(in crate::driver) fn count_fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many deadlines, retries and schedules have fallen due in this process.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }
}
