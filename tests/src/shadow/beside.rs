//! A version in shadow is tried beside each real run, and the report compares the two.

use abide_engine::facade::{NewVersion, PublishOutcome};
use abide_engine::store::RunFilter;

use super::support::TENANT;
use crate::campaign::church::{Church, goal, on_both};

/// The built-in method with other hours: its last call goes out earlier.
fn hurried() -> String {
    let built_in = include_str!("../../../methods/fill_roles.yaml");
    let hurried = built_in.replace("timeout: 6h", "timeout: 1h");
    assert_ne!(hurried, built_in);
    hurried
}

impl Church {
    async fn publish_shadow(&self, text: &str) -> i64 {
        let new = NewVersion { file: "fill_roles.yaml", text, shadow: true };
        match self.engine().publish(TENANT, new).await.expect("answered") {
            PublishOutcome::Published(published) => published.version,
            PublishOutcome::Invalid(findings) => panic!("{findings:#?}"),
        }
    }
}

on_both!(a_shadow_version_runs_beside_each_real_run, async |church: Church| {
    church.fill(1).await; // the process remembers how it starts the method
    let version = church.publish_shadow(&hurried()).await;
    church.advance("1min").await;
    let since = church.engine().now();
    let mut other = goal(5);
    other["time"] = "2025-10-12T09:00:00-05:00".into();
    let real = church.start("fill_roles", other).await.expect("started");
    assert!(!real.shadow && real.method_version != version);
    assert_eq!(church.run(real.id).await.status.as_str(), "waiting");

    let filter = RunFilter { limit: 10, ..RunFilter::default() };
    let runs = church.engine().runs(TENANT, &filter).await.expect("listed").items;
    let shadows: Vec<_> = runs.iter().filter(|run| run.shadow).collect();
    assert_eq!(shadows.len(), 1, "one real run has started since: {runs:#?}");
    let shadow = shadows[0];
    assert_eq!((shadow.beside, shadow.method_version), (Some(real.id), version));
    assert_eq!(shadow.status.as_str(), "completed", "{shadow:#?}");
    let would = church.would_send(shadow.id).await;
    let count = |kind: &str| would.iter().filter(|m| m.kind.as_deref() == Some(kind)).count();
    assert!(count("invite") > 0 && count("last_call") > 0, "{would:#?}");
    let sent = church.provider.sent_count();
    church.advance("30min").await;
    assert_eq!(church.provider.sent_count(), sent, "the real run waits for six hours");

    let report = church.engine().shadow_report(TENANT, since).await.expect("a report");
    assert!(!report.truncated);
    let [method] = &report.methods[..] else { panic!("{report:#?}") };
    assert_eq!((method.shadow.runs, method.real.runs), (1, 1), "{method:#?}");
    assert_eq!(method.shadow.messages, would.len() as u64);
    let [pair] = &method.pairs[..] else { panic!("{method:#?}") };
    assert_eq!((pair.shadow_run, pair.real_run), (shadow.id, real.id));
    assert_eq!(pair.same, count("invite") as u64, "{pair:#?}");
    assert!(pair.only_real.is_empty() && !pair.only_shadow.is_empty(), "{pair:#?}");
    church.assert_consistent().await;
});
