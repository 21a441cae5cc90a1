//! An audit goes on where it was interrupted, and a later one checks only what has changed.

use abide_engine::archive::MemoryArchives;
use abide_engine::facade::AuditScope;

use super::{archive, attach, next_campaign, old_campaign};
use crate::campaign::church::{Church, on_both};

on_both!(an_interrupted_audit_goes_on_where_it_was, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    next_campaign(&mut church, "").await;
    let whole = church.engine().audit().await.expect("audited");
    let mut scope = AuditScope::Everything;
    let mut parts = 0;
    let report = loop {
        let report = church.engine().audit_part(scope, 1).await.expect("audited");
        parts += 1;
        if report.unfinished.is_none() {
            break report;
        }
        scope = AuditScope::Resume;
        church.crash().await;
        attach(church.engine(), &files);
    };
    assert!(parts > 1, "{parts}");
    assert_eq!(report.breaches, []);
    assert_eq!(
        (report.events, report.streams, report.receipts),
        (whole.events, whole.streams, whole.receipts)
    );
});

on_both!(an_audit_since_a_seal_checks_what_has_changed, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    archive(&church).await.expect("archived");
    next_campaign(&mut church, "A").await;
    church.advance("1h").await;
    let all = AuditScope::Everything;
    let whole = church.engine().audit_part(all, u64::MAX).await.expect("audited");
    assert_eq!((whole.breaches, whole.archives), (vec![], 1));
    church.advance("1d").await;
    let since = AuditScope::SinceSeal;
    let none = church.engine().audit_part(since, u64::MAX).await.expect("audited");
    assert_eq!((none.breaches, none.streams, none.archives), (vec![], 0, 0), "nothing has changed");

    church.advance("12d").await;
    let run = next_campaign(&mut church, "D").await;
    let some = church.engine().audit_part(since, u64::MAX).await.expect("audited");
    assert_eq!(some.breaches, []);
    assert!(some.streams > 0 && some.streams < whole.streams, "{some:?}");
    assert!(church.run(run).await.outcome.is_some());

    archive(&church).await.expect("archived");
    let next = church.engine().audit_part(since, u64::MAX).await.expect("audited");
    assert_eq!((next.breaches, next.archives), (vec![], 1), "only the new archive");

    next_campaign(&mut church, "").await;
    church.execute("UPDATE ledger SET body = '{}' WHERE seq = 1 AND kind = 'run.started'").await;
    let broken = church.engine().audit_part(since, u64::MAX).await.expect("audited");
    assert!(broken.breaches.iter().any(|breach| breach.rule == "chain_broken"), "{broken:?}");
    let again = church.engine().audit_part(since, u64::MAX).await.expect("audited");
    assert!(!again.is_clean(), "an audit with a breach leaves no seal");
});
