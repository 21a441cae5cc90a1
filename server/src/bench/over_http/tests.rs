//! A small benchmark over HTTP.

use super::super::database::BenchDatabase;
use super::{HttpPlan, measure_database};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_signals_and_answers_are_measured() {
    let plan = HttpPlan { runs: 20, people: 24, requests: 3, rounds: 2 };
    let database = BenchDatabase::sqlite().await.expect("a database");
    let measured = measure_database(&database, plan).await.expect("measured");
    database.remove().await.expect("removed");
    let shown: Vec<_> = measured.iter().map(|one| (one.workload.as_str(), one.n)).collect();
    let expected = [
        ("http_starts", 20),
        ("http_signals", 20),
        ("webhooks", 48),
        ("replies", 48),
        ("webhooks_spread", 48),
        ("replies_spread", 48),
    ];
    assert_eq!(shown, expected);
    for one in &measured {
        let is_stored = one.workload.as_str().starts_with("webhooks");
        assert!(one.per_s > 0.0, "{one:?}");
        assert_eq!(one.ratio.is_some_and(|ratio| ratio > 0.0), is_stored, "{one:?}");
    }
}
