//! A process on a machine with a wrong clock reports that the clock is wrong.
//! The process takes no work until the clock is right.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use abide_engine::base::{RunId, Span, Timestamp};
use abide_engine::clock::{Clock, SystemClock};
use abide_engine::facade::Engine;
use abide_engine::run::RunStatus;
use futures_util::future::BoxFuture;

use super::config;
use crate::engines::{Serving, open, start, status};
use crate::postgres::TestDb;
use crate::support::wait_until;

const METHOD: &str = "method: alone\nsteps:\n  - set: { done: true }\n";

/// A machine's clock that is wrong by this number of seconds.
#[derive(Default)]
struct SkewedClock(AtomicI64);

impl SkewedClock {
    fn set_skew(&self, seconds: i64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + Span::from_secs(self.0.load(Ordering::SeqCst))
    }

    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        let right = at + (SystemClock.now() - self.now());
        Box::pin(async move { SystemClock.until(right).await })
    }
}

async fn open_engine(url: &str, clock: Arc<dyn Clock>, seed: u64) -> Engine {
    open(config(url, clock, seed, &[("alone", METHOD)])).await
}

async fn must_act(engine: &Engine, run: RunId) -> String {
    engine.explain("default", run).await.expect("explained").must_act
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_with_a_clock_that_is_far_off_takes_no_work_until_it_is_right() {
    let database = TestDb::postgres();
    let clock = Arc::new(SkewedClock::default());
    clock.set_skew(15);
    let skewed = open_engine(database.url(), clock.clone(), 1).await;
    // This process has a correct clock. It accepts requests, but drives no runs.
    let front = open_engine(database.url(), Arc::new(SystemClock), 2).await;
    let serving = Serving::begin([&skewed]);
    wait_until("it is not ready", async || {
        skewed.ready().is_err_and(|p| p.code == "clock_skewed" && p.message.contains("ahead of"))
    })
    .await;
    let run = start(&front, "alone").await;
    wait_until("it is explained", async || must_act(&front, run).await.contains("set the clocks"))
        .await;
    let beats = "SELECT lease_until FROM node";
    let before = database.number(beats).await;
    wait_until("its heart beats", async || database.number(beats).await > before).await;
    assert_eq!(status(&front, run).await, RunStatus::Pending, "it takes no work");

    clock.set_skew(-3);
    wait_until("it works again", async || status(&front, run).await == RunStatus::Completed).await;
    assert_eq!(skewed.ready(), Ok(()), "an error of three seconds is only noted");
    let noted = "SELECT count(*) FROM meta WHERE k LIKE 'clock of%'";
    assert_eq!(database.number(noted).await, 1);
    clock.set_skew(0);
    wait_until("the note is deleted", async || database.number(noted).await == 0).await;
    serving.stop().await;
    let run = start(&front, "alone").await;
    assert!(must_act(&front, run).await.contains("abide worker"));
}
