//! Virtual time for an engine that serves in the background.
//! Whenever the process is idle, the clock moves to the next time for which a task waits.

use std::future::Future;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::store::{
    CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks, WorkKind, WorkPermit,
};
use futures_util::future::{BoxFuture, ready};

/// Moves a clock whenever the process is idle. Clones of this value move the same clock.
#[derive(Clone, Default)]
pub(crate) struct IdleClock(Arc<State>);

#[derive(Default)]
struct State {
    /// Number of database operations in progress.
    busy: Arc<AtomicUsize>,
    /// Time, in microseconds, up to which the clock may move.
    until: AtomicI64,
    /// Time, in microseconds, that each database operation takes.
    each_use: AtomicI64,
    clock: Mutex<Option<Arc<VirtualClock>>>,
}

/// A database operation in progress, which ends when this value is dropped.
struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl StatementHooks for IdleClock {
    fn permit(&self, _work: WorkKind) -> Option<BoxFuture<'static, WorkPermit>> {
        self.0.busy.fetch_add(1, Ordering::SeqCst);
        self.pass(Span::from_micros(self.0.each_use.load(Ordering::SeqCst)));
        Some(Box::pin(ready(WorkPermit::new(Busy(Arc::clone(&self.0.busy))))))
    }
}

impl FaultHooks for IdleClock {
    fn at_commit(&self, _: CommitPoint, _: CommitParts) -> FaultAction {
        FaultAction::Go
    }
}

impl IdleClock {
    /// Runs a test on a single thread, with a new idle clock.
    pub(crate) fn run<F: Future<Output = ()>>(test: impl FnOnce(Self) -> F) {
        let idle_clock = Self::default();
        let on_park = idle_clock.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || on_park.advance_if_idle())
            .build()
            .expect("a runtime");
        runtime.block_on(test(idle_clock));
    }

    /// Sets the clock that this value moves.
    pub(crate) fn drive(&self, clock: Arc<VirtualClock>) {
        self.0.until.store(clock.now().micros(), Ordering::SeqCst);
        *self.0.clock.lock().expect("no panic") = Some(clock);
    }

    /// Makes each database operation take this long from now on.
    pub(crate) fn slow_down(&self, each_use: Span) {
        self.0.each_use.store(each_use.micros(), Ordering::SeqCst);
    }

    fn pass(&self, time: Span) {
        if let Some(clock) = &*self.0.clock.lock().expect("no panic")
            && time > Span::from_micros(0)
        {
            clock.set(clock.now() + time);
        }
    }

    /// Lets virtual time pass by `span`. The engine does everything that falls due in that time.
    pub(crate) async fn advance(&self, span: Span) {
        let clock = self.0.clock.lock().expect("no panic").clone().expect("a clock");
        let until = clock.now() + span;
        self.0.until.store(until.micros(), Ordering::SeqCst);
        clock.until(until).await;
    }

    /// Moves the clock to the next time for which a task waits, if no database operation is in progress.
    /// The runtime calls this function when its thread has nothing to do.
    fn advance_if_idle(&self) {
        if self.0.busy.load(Ordering::SeqCst) > 0 {
            return;
        }
        let clock = self.0.clock.lock().expect("no panic");
        let Some(clock) = &*clock else { return };
        let until = Timestamp::from_micros(self.0.until.load(Ordering::SeqCst));
        if let Some(next) = clock.next_awaited().filter(|at| *at <= until) {
            clock.set(next.max(clock.now()));
        }
    }
}
