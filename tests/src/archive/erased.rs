//! Somebody who is erased is erased in the archives too, and the audit still accepts them.

use abide_engine::archive::MemoryArchives;

use super::{archive, attach};
use crate::campaign::church::{Church, Setup};
use crate::campaign::erasure::{church_with_zebedia, erase, has_trace, traces};
use crate::postgres::{TestDb, databases};

/// Whether a file names or quotes the person.
fn is_traced(files: &MemoryArchives) -> bool {
    files.paths().iter().any(|path| has_trace(&String::from_utf8_lossy(&files.bytes(path))))
}

/// A church whose archive, in these files, names and quotes the person.
async fn archived_church(database: TestDb, files: &MemoryArchives) -> Church {
    let church = church_with_zebedia(database, Setup::default()).await;
    attach(church.engine(), files);
    church.advance("15d").await;
    archive(&church).await.expect("archived");
    church
}

#[tokio::test]
async fn nothing_of_a_person_is_left_in_the_archives() {
    for database in databases() {
        let told = database.to_string();
        let files = MemoryArchives::default();
        let church = archived_church(database, &files).await;
        assert!(is_traced(&files), "{told}: she is in the archive");
        let report = erase(&church).await;
        assert_eq!((report.archives, report.missing_archives.len()), (1, 0), "{told}: {report:?}");
        assert!(!is_traced(&files), "{told}");
        assert_eq!(traces(&church).await, [] as [&str; 0], "{told}");
        let audit = church.engine().audit().await.expect("audited");
        assert!(audit.is_clean(), "{told}: {:?}", audit.breaches);
        assert_eq!(audit.archives, 1, "{told}");

        let path = files.paths().into_iter().find(|path| !path.ends_with(".new"));
        let path = path.expect("the archive");
        let forged = String::from_utf8_lossy(&files.bytes(&path)).replace("[erased]", "[forged]");
        files.put(&path, forged.into_bytes());
        let audit = church.engine().audit().await.expect("audited");
        assert!(audit.breaches.iter().any(|it| it.rule == "archive_broken"), "{told}: {audit:?}");
    }
}

#[tokio::test]
async fn an_archive_that_is_elsewhere_is_named() {
    for database in databases() {
        let told = database.to_string();
        let files = MemoryArchives::default();
        let church = archived_church(database, &files).await;
        let path = files.paths().pop().expect("the archive");
        files.delete(&path);
        let report = erase(&church).await;
        assert_eq!((report.archives, report.missing_archives), (0, vec![path]), "{told}");
    }
}
