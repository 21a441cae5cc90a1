//! Whatever is changed in an archive is found, and a file that is not here is named.

use abide_engine::archive::{MemoryArchives, rewrite};

use super::{archive, attach, next_campaign, old_campaign};
use crate::campaign::church::{Church, on_both};

async fn rules(church: &Church) -> Vec<String> {
    let report = church.engine().audit().await.expect("audited");
    let mut rules: Vec<String> = report.breaches.into_iter().map(|breach| breach.rule).collect();
    rules.dedup();
    rules
}

on_both!(a_changed_byte_anywhere_in_an_archive_is_found, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    archive(&church).await.expect("archived");
    let path = files.paths().pop().expect("a file");
    let whole = files.bytes(&path);
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut changed = whole.clone();
        changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
        files.put(&path, changed);
        assert_eq!(rules(&church).await, ["archive_broken"], "byte {at}");
    }
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
        kept.flat_map(|(_, line)| line.iter().copied()).collect::<Vec<u8>>()
    };
    for left_out in [0, 1, lines.len() / 2, lines.len() - 1] {
        files.put(&path, without(left_out));
        assert_eq!(rules(&church).await, ["archive_broken"], "line {left_out}");
    }
    let mut longer = whole.clone();
    longer.extend(lines[1]);
    files.put(&path, longer);
    assert_eq!(rules(&church).await, ["archive_broken"]);

    // A file that agrees with itself is not the one that was sealed.
    files.put(&path, whole.clone());
    let new =
        rewrite(&files, &path, |line| line.contains("\"pii\"").then(|| line.replace("yes", "no")));
    let new = new.await.expect("rewritten");
    assert!(new.changed > 0, "{new:?}");
    files.put(&path, files.bytes(&new.path));
    files.delete(&new.path);
    assert_eq!(rules(&church).await, ["archive_broken"]);
    files.put(&path, whole);
    church.assert_consistent().await;
});

on_both!(a_file_that_is_elsewhere_is_named_and_no_breach, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    archive(&church).await.expect("archived");
    let path = files.paths().pop().expect("a file");
    let whole = files.bytes(&path);
    files.delete(&path);
    let report = church.engine().audit().await.expect("audited");
    assert_eq!(report.breaches, []);
    let name = path.rsplit('/').next().expect("a name");
    assert_eq!((report.archives, report.missing_archives), (0, vec![name.to_owned()]));

    next_campaign(&mut church, "D").await;
    church.advance("15d").await;
    archive(&church).await.expect("archived");
    let report = church.engine().audit().await.expect("audited");
    assert_eq!(report.breaches, [], "the second archive continues a chain that is not here");
    assert_eq!((report.archives, report.missing_archives.len()), (1, 1));
    files.put(&path, whole);
    church.assert_consistent().await;
});

on_both!(what_is_missing_at_the_border_is_found, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    archive(&church).await.expect("archived");
    church.assert_consistent().await;
    for (tamper, restore) in [
        ("UPDATE chain_base SET seq = seq + 1", "UPDATE chain_base SET seq = seq - 1"),
        ("UPDATE archive SET lines = lines - 1", "UPDATE archive SET lines = lines + 1"),
        ("UPDATE archive SET bytes = bytes - 1", "UPDATE archive SET bytes = bytes + 1"),
    ] {
        church.execute(tamper).await;
        assert!(!rules(&church).await.is_empty(), "{tamper}");
        church.execute(restore).await;
        church.assert_consistent().await;
    }
});
