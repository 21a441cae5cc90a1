//! What has ended leaves the database, and the rest of the chain still verifies.

use abide_engine::archive::MemoryArchives;
use abide_engine::facade::ArchiveOrder;

use super::{archive, attach, counts, next_campaign, old_campaign, stored};
use crate::campaign::church::{Church, on_both};

/// Counts the events that are listed under topics.
const TOPICS: &str = "SELECT COUNT(*) FROM event_topic";

on_both!(what_has_ended_leaves_and_archive_and_rest_are_one, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    church.assert_consistent().await;
    let before = stored(&church).await;
    assert!(church.number(TOPICS).await > 0);
    let audited = church.engine().audit().await.expect("audited");

    let report = archive(&church).await.expect("archived");
    let left = counts(&files);
    let after = stored(&church).await;
    assert_eq!(report.archives.len(), 1);
    assert_eq!(report.archives[0].rows["run"], 1);
    for (table, count) in &before {
        let gone = left.get(*table).copied().unwrap_or(0);
        let sealed = usize::from(*table == "ledger");
        assert_eq!(count + sealed, after[table] + gone, "{table}: {left:?}");
    }
    for table in ["run", "var", "request", "offer", "assignment", "tally", "outbox", "signal"] {
        assert_eq!(after[table], 0, "{table}");
        assert!(before[table] == 0 || left[table] > 0, "{table}");
    }
    assert_eq!(after["ledger"], 1, "only the seal of the archive stays");
    assert_eq!(church.number(TOPICS).await, 1, "what has left is in no list");
    let again = church.engine().audit().await.expect("audited");
    assert_eq!(again.breaches, []);
    assert_eq!((again.events, again.receipts), (audited.events + 1, audited.receipts));
    assert_eq!(again.archives, 1);

    next_campaign(&mut church, "D").await;
    church.advance("15d").await;
    assert_eq!(archive(&church).await.expect("archived").archives.len(), 1);
    assert_eq!(files.paths().len(), 2);
    church.assert_consistent().await;
});

on_both!(nothing_old_writes_no_file, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    let report = church.engine().archive("default", ArchiveOrder::default()).await;
    assert_eq!(report.expect("archived").archives, []);
    assert_eq!(files.paths(), [] as [&str; 0]);
    church.move_clock("400d");
    let report = church.engine().archive("default", ArchiveOrder::default()).await;
    assert_eq!(report.expect("archived").archives.len(), 1);
    church.assert_consistent().await;
});

on_both!(a_unit_with_many_rows_leaves_in_several_chunks, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    church
        .execute(
            "INSERT INTO var (run_id, name, value)
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3985)
             SELECT r.id, 'v' || i, '1' FROM run r, n",
        )
        .await;
    let before = stored(&church).await;
    archive(&church).await.expect("archived");
    assert_eq!(counts(&files)["var"], before["var"]);
    assert_eq!(church.number("SELECT COUNT(*) FROM leaving").await, 0);
    assert_eq!(church.number("SELECT COUNT(*) FROM chain_base").await, 1, "the tenant's own");
    church.assert_consistent().await;
});
