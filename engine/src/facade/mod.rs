//! The façade that the server, the simulator and the tests call.

mod advance;
mod audit;
mod catch_up;
mod context;
mod control;
mod doubt;
mod explain;
mod fork;
mod keep;
mod messages;
mod methods;
mod open;
mod overview;
mod preview;
mod receive;
mod relied;
mod report;
mod runs;
mod schedules;
mod skip;
mod stuck;
mod switch;
mod tenants;
mod upgrade;
mod view;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

pub use crate::driver::{ForkRun, Started};
pub use advance::{Advance, virtual_now};
pub use audit::AuditReport;
pub use context::EventFilter;
pub use explain::{Explanation, NextEvent};
pub use keep::{Keep, KeepNothing};
pub use messages::{MessageFilter, MessageView};
pub use methods::{MethodDetail, MethodDiff, MethodView, Publication, Published, VersionView};
pub use open::{EngineConfig, Misfits};
pub use preview::{
    Counted, HeldSends, ResumePreview, RunsOfMethod, SchedulesOfMethod, SendsOfMethod,
    SendsToPerson,
};
pub use receive::{InboundMessage, Received};
pub use relied::BrokenRuns;
pub use report::DeliveryReport;
pub use runs::Page;
pub use schedules::{NewSchedule, PlannedSchedule, ScheduleFilter, ScheduleView, remove_schedule};
pub use stuck::Stuck;
pub use tenants::{SwitchView, TenantChange, TenantView};
pub use upgrade::{Undo, UpgradeGroup, UpgradeProgress, UpgradeView, UpgradeWish};
pub use view::{Position, RunView, WaitingOn};

use crate::base::{Problem, Timestamp};
use crate::clock::Clock;
use crate::driver::{self, Core, Tick};
use crate::library::Library;
use crate::store::{Dialect, Tx, work};

/// A running abide: one database, one driver. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<Core>,
    /// Held for life: one driver an embedded file.
    lock: Option<Arc<std::sync::Mutex<crate::store::DriverLock>>>,
    virtual_clock: Option<Arc<crate::clock::VirtualClock>>,
    /// Held while it is moved.
    advancing: Arc<tokio::sync::Mutex<()>>,
}

/// A note that any database may have or not: whoever only wants an answer asks for it.
const ANY_NOTE: &str = "any";

impl Engine {
    /// Does everything that is due now.
    pub async fn tick(&self) -> Result<Tick, Problem> {
        driver::settle(&self.core).await
    }

    /// Works until `shutdown` turns true.
    pub async fn serve(&self, shutdown: watch::Receiver<bool>) {
        driver::serve(Arc::clone(&self.core), shutdown).await;
    }

    /// The present instant of the domain's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// The domain's clock.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.core.clock)
    }

    /// What new runs may start.
    #[must_use]
    pub fn library(&self) -> Arc<Library> {
        self.core.library()
    }

    /// Which database drives this engine.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.core.store.dialect()
    }

    /// Leaves a text, such as the server's URL, for those who find the embedded file taken.
    pub fn announce(&self, text: &str) -> Result<(), Problem> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let mut lock = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lock.announce(text).map_err(|e| {
            Problem::operator("lock_unwritable", "cannot write the lock file")
                .with_detail(e.to_string())
        })
    }

    /// Reads from one consistent snapshot.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.read(work).await
    }

    /// Writes in one transaction; the closure may be run again.
    pub async fn write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.write(false, work).await
    }

    /// The same for callers who can come again.
    ///
    /// # Errors
    /// `overloaded` where too much waits already; else what `work` says.
    pub async fn try_write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.try_write(false, work).await
    }

    /// An error if this process cannot work: writes fail, or its clock is too far off.
    pub fn ready(&self) -> Result<(), Problem> {
        self.check()?;
        self.core.claims.standing.check_schema()?;
        self.core.claims.standing.check_clock()
    }

    /// An error if the database does not answer now.
    pub async fn reach_database(&self) -> Result<(), Problem> {
        let task = work(|tx| Box::pin(async move { Ok(tx.meta(ANY_NOTE).await?) }));
        self.core.store.read(task).await.map(drop)
    }

    /// Takes over what a process had in hand that died, where this is the only one that there is, as in a
    /// simulation. Among others that is found out by leases.
    pub async fn take_over(&self) -> Result<(), Problem> {
        self.core.claims.take_over().await
    }

    /// Looks whether another program has brought the database to a schema that this one does not know:
    /// then it takes no more work. A process that serves does so at each heartbeat.
    pub async fn look_at_schema(&self) -> Result<(), Problem> {
        driver::look_at_schema(&self.core).await
    }

    /// An error if writes cannot succeed any more.
    pub fn check(&self) -> Result<(), Problem> {
        self.core.store.check().map_err(Problem::from)
    }
}
