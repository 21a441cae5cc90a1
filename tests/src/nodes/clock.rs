//! A machine with a wrong clock reports it, and takes no work until the clock is right.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use abide_engine::base::{RunId, Span, Timestamp};
use abide_engine::clock::{Clock, SystemClock};
use abide_engine::domain::StartRun;
use abide_engine::facade::Engine;
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::watch;

use super::{config, open, until};
use crate::postgres::TestDb;

const METHOD: &str = "method: alone\nsteps:\n  - set: { done: true }\n";

/// A machine's clock that is wrong by this number of seconds.
#[derive(Default)]
struct Off(AtomicI64);

impl Off {
    fn set(&self, seconds: i64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for Off {
    fn now(&self) -> Timestamp {
        SystemClock.now() + Span::from_secs(self.0.load(Ordering::SeqCst))
    }

    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        let right = at + (SystemClock.now() - self.now());
        Box::pin(async move { SystemClock.until(right).await })
    }
}

async fn engine(url: &str, clock: (Arc<dyn Clock>, u64)) -> Engine {
    open(config(url, clock, &[("alone", METHOD)])).await
}

async fn start(engine: &Engine) -> RunId {
    let wanted = StartRun { method: "alone".to_owned(), goal: json!({}), ..StartRun::default() };
    engine.start("default", wanted).await.expect("started").run
}

async fn status(engine: &Engine, run: RunId) -> String {
    engine.run("default", run).await.expect("a run").status.as_str().to_owned()
}

async fn must_act(engine: &Engine, run: RunId) -> String {
    engine.explain("default", run).await.expect("explained").must_act
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_with_a_clock_that_is_far_off_takes_no_work_until_it_is_right() {
    let database = TestDb::postgres();
    let clock = Arc::new(Off::default());
    clock.set(15);
    let off = engine(database.url(), (clock.clone(), 1)).await;
    // Another process, with a correct clock, which only takes requests.
    let front = engine(database.url(), (Arc::new(SystemClock), 2)).await;
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn({
        let off = off.clone();
        async move { off.serve(stopped).await }
    });
    until("it is not ready", async || {
        off.ready().is_err_and(|p| p.code == "clock_skewed" && p.message.contains("ahead of"))
    })
    .await;
    let run = start(&front).await;
    until("it is explained", async || must_act(&front, run).await.contains("set the clocks")).await;
    let beats = "SELECT lease_until FROM node";
    let before = database.number(beats).await;
    until("its heart beats", async || database.number(beats).await > before).await;
    assert_eq!(status(&front, run).await, "pending", "it takes no work");

    clock.set(-3);
    until("it works again", async || status(&front, run).await == "completed").await;
    assert_eq!(off.ready(), Ok(()), "an error of three seconds is only noted");
    let noted = "SELECT count(*) FROM meta WHERE k LIKE 'clock of%'";
    assert_eq!(database.number(noted).await, 1);
    clock.set(0);
    until("the note is deleted", async || database.number(noted).await == 0).await;
    stop.send_replace(true);
    serving.await.expect("it ends");
    let run = start(&front).await;
    assert!(must_act(&front, run).await.contains("abide worker"));
}
