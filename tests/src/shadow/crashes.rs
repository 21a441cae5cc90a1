//! A crash at any commit of a shadow run: the run is played again, and its record is written once.

use std::sync::Arc;

use abide_engine::domain::StartRun;
use abide_engine::store::{CommitPoint, FaultAction};

use super::support::TENANT;
use crate::campaign::church::{Church, Setup, goal};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

#[tokio::test]
async fn a_crash_at_any_commit_repeats_the_play() {
    for side in [CommitPoint::Before, CommitPoint::After] {
        for nth in 1..=3 {
            for database in databases() {
                let fault = Arc::new(FaultAtCommit::new(FaultAction::Crash));
                let setup = Setup { faults: fault.clone(), ..Setup::default() };
                let mut church = Church::with(database, setup).await;
                let wanted = StartRun {
                    method: "fill_roles".to_owned(),
                    goal: goal(5),
                    dry_run: true,
                    key: Some("once".to_owned()),
                    ..StartRun::default()
                };
                fault.arm(side, nth);
                let engine = church.engine().clone();
                let _ = engine.start_run(TENANT, wanted.clone()).await;
                drop(engine);
                fault.disarm();
                church.crash().await;
                church.engine().release_crashed_claims().await.expect("released");
                let run = church.engine().start(TENANT, wanted).await.expect("started").run;
                church.advance("1h").await;
                let view = church.run(run).await;
                assert_eq!(view.status.as_str(), "completed", "{side:?} {nth}: {view:#?}");
                let told = church.events_of(run, "message.would_send").await.len();
                assert_eq!(church.would_send(run).await.len(), told, "{side:?} {nth}");
                assert_eq!(church.events_of(run, "shadow.played").await.len(), 1);
                assert_eq!(church.provider.sent_count(), 0, "{side:?} {nth}");
                church.assert_consistent().await;
            }
        }
    }
}
