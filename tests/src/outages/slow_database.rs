//! Every use of the database takes time, so work falls due while a process looks for due work.

use std::sync::Arc;

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::VirtualClock;
use abide_engine::driver::DriveMode;
use abide_engine::facade::EngineConfig;
use abide_engine::library::Sources;

use super::idle_clock::IdleClock;
use crate::engines::{self, Serving, library, start};
use crate::postgres::databases;

/// Time that each use of the database takes.
const EACH_USE: Span = Span::from_micros(1_000);
/// How much longer the second run of a pair waits than that of the pair before.
const STEP: Span = Span::from_micros(250);
/// Number of pairs of runs. The second run of the last pair falls due when the work on the first one is over.
const PAIRS: i64 = 40;
const RESTS: &str = "method: rests\nsteps: [ { await: { timeout: 10s } } ]\n";
/// The time within which a run must have ended. It is shorter than the time between two looks that nothing prompts.
const ENDED_WITHIN: Span = Span::from_secs(11);

#[test]
fn a_run_that_falls_due_during_a_look_for_due_runs_is_not_late() {
    for database in databases() {
        IdleClock::run(async |idle_clock| {
            let mut sources = Sources::builtin();
            sources.methods.insert("rests.yaml".to_owned(), RESTS.to_owned());
            let clock = Arc::new(VirtualClock::starting_at(Timestamp::from_micros(1)));
            let config = engines::config(database.url(), library(&sources), clock.clone(), 1);
            let engine = engines::open(EngineConfig {
                database_clock: Some(clock.clone()),
                drive_mode: DriveMode::Tasks(4),
                faults: Arc::new(idle_clock.clone()),
                ..config
            });
            let engine = engine.await;
            idle_clock.drive(clock);
            let serving = Serving::begin([&engine]);
            for pair in 1..=PAIRS {
                idle_clock.slow_down(Span::from_micros(0));
                start(&engine, "rests").await;
                idle_clock.advance(Span::from_micros(pair * STEP.micros())).await;
                start(&engine, "rests").await;
                idle_clock.slow_down(EACH_USE);
                idle_clock.advance(ENDED_WITHIN).await;
                let ended = "SELECT count(*) FROM run WHERE status = 'completed'";
                assert_eq!(database.number(ended).await, 2 * pair, "{database}: a run is late");
            }
            serving.ask_to_stop();
            idle_clock.advance(Span::from_secs(20)).await;
            serving.stop().await;
        });
    }
}
