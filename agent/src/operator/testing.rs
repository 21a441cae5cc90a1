//! What the tests of the operator share: the contracts of the program, an instant, and texts with their tags.

use std::sync::LazyLock;

use abide_language::contract::Contracts;
use jiff::Zoned;

use super::tag::Tagged;
use super::token::tokens;

/// The contracts of the trade.
pub(super) static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .collect();
    paths.sort();
    let mut all = Contracts::default();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a file");
        let (contracts, findings) = Contracts::load(&text, "contracts.yaml");
        assert!(findings.is_empty(), "{findings:?}");
        all.extend(contracts);
    }
    all
});

/// A Monday at noon.
pub(super) fn now() -> Zoned {
    "2026-05-04T12:00:00+10:00[Australia/Melbourne]".parse().expect("an instant")
}

pub(super) fn tagged(text: &str) -> Tagged<'_> {
    Tagged::of(text, tokens(text), &now())
}
