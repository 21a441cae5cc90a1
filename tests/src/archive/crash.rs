//! A crash between the file and the commit loses nothing and doubles nothing.

use std::sync::Arc;

use abide_engine::archive::MemoryArchives;
use abide_engine::store::{CommitPoint, FaultAction};

use super::{archive, attach, counts, old_campaign, stored};
use crate::campaign::church::{Church, Setup};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

/// More commits than archiving the story takes.
const COMMITS_MAX: u32 = 40;

async fn story(faults: &Arc<FaultAtCommit>, database: crate::postgres::TestDb) -> Church {
    let setup = Setup { faults: Arc::clone(faults) as _, ..Setup::default() };
    let mut church = Church::with(database, setup).await;
    old_campaign(&mut church).await;
    // The events of the run are cut in the middle: the first chunk has room for a part of them.
    church
        .execute(
            "INSERT INTO var (run_id, name, value)
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 975)
             SELECT r.id, 'v' || i, '1' FROM run r, n",
        )
        .await;
    church
}

#[tokio::test]
async fn a_crash_at_any_commit_loses_and_doubles_no_row() {
    for (action, point) in [
        (FaultAction::Crash, CommitPoint::Before),
        (FaultAction::Crash, CommitPoint::After),
        (FaultAction::Lose, CommitPoint::After),
    ] {
        for database in databases() {
            let place = format!("{action:?} {point:?} on {database}");
            let faults = Arc::new(FaultAtCommit::new(action));
            let files = MemoryArchives::default();
            let mut church = story(&faults, database).await;
            let before = stored(&church).await;
            let mut crashes = 0;
            for life in 0..COMMITS_MAX {
                attach(church.engine(), &files);
                // The first lives fail at their first commits. Each later one commits a chunk, and fails at the
                // commit that takes the file or at the one that deletes the next rows.
                faults.arm(point, [1, 2, 3, 4, 3, 4][(life as usize).min(4 + life as usize % 2)]);
                let ended = archive(&church).await;
                if faults.is_armed() {
                    faults.disarm();
                    ended.expect("archived");
                    break;
                }
                crashes += 1;
                church.crash().await;
                attach(church.engine(), &files);
                church.assert_consistent().await;
                church.move_clock("61s");
            }
            assert!((5..COMMITS_MAX).contains(&crashes), "{place}: {crashes}");
            archive(&church).await.expect("archived");
            church.assert_consistent().await;
            let (left, after) = (counts(&files), stored(&church).await);
            for (table, count) in before {
                let gone = left.get(table).copied().unwrap_or(0);
                let seals = if table == "ledger" { files.paths().len() } else { 0 };
                assert_eq!(count + seals, after[table] + gone, "{place}: {table}");
            }
            assert_eq!(church.number("SELECT COUNT(*) FROM leaving").await, 0);
            assert_eq!(church.number("SELECT COUNT(*) FROM archive WHERE state = 'open'").await, 0);
        }
    }
}
