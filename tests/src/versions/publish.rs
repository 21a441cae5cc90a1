//! Publishing a version without a restart, rolling back to a version, and deleting a version.

use abide_engine::base::Problem;
use abide_engine::domain::StartRun;
use abide_engine::facade::{NewVersion, PublishOutcome, Published};
use abide_engine::store::RunRef;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};

const TENANT: &str = "default";

/// Builds a method that waits `hours` hours for a signal.
fn patient(hours: u32) -> String {
    format!(
        "method: patient\nlimits: {{ max_duration: 30days }}\nsteps:\n  - id: hold\n    \
         await: {{ signal: go, timeout: {hours}h }}\n"
    )
}

async fn publish(church: &Church, text: &str, shadow: bool) -> Published {
    match church
        .engine()
        .publish(TENANT, NewVersion { file: "patient.yaml", text, shadow })
        .await
        .expect("answered")
    {
        PublishOutcome::Published(published) => published,
        PublishOutcome::Invalid(findings) => panic!("{findings:#?}"),
    }
}

async fn version_of_a_new_run(church: &Church) -> i64 {
    church.start("patient", json!({})).await.expect("started").method_version
}

fn code<T: std::fmt::Debug>(refused: Result<T, Problem>) -> String {
    refused.expect_err("refused").code.into_owned()
}

on_both!(new_runs_begin_with_the_published_version, async |church: Church| {
    assert_eq!(code(church.start("patient", json!({})).await), "unknown_method");
    let first = publish(&church, &patient(1), false).await;
    assert_eq!((first.version, first.new), (1, true));
    let old = church.start("patient", json!({})).await.expect("started");
    assert_eq!(version_of_a_new_run(&church).await, 1);

    let second = publish(&church, &patient(2), false).await;
    assert_eq!((second.version, second.new), (2, true));
    assert_eq!(version_of_a_new_run(&church).await, 2);
    let again = publish(&church, &patient(2), false).await;
    assert_eq!((again.version, again.new, &again.digest), (2, false, &second.digest));

    church.advance("1h").await;
    assert_eq!(
        church.run(old.id).await.status.as_str(),
        "completed",
        "it used the text it was started with"
    );
    church.assert_consistent().await;
});

on_both!(
    publishing_a_text_with_errors_changes_nothing_and_reports_them_all,
    async |church: Church| {
        publish(&church, &patient(1), false).await;
        let faulty = "method: patient\nsteps:\n  - call: wave\n  - set: { x: '{{nobody}}' }\n";
        let answer = church
            .engine()
            .publish(TENANT, NewVersion { file: "p.yaml", text: faulty, shadow: false })
            .await;
        let Ok(PublishOutcome::Invalid(findings)) = answer else { panic!("{answer:?}") };
        assert!(findings.iter().filter(|f| f.is_error()).count() >= 2, "{findings:#?}");
        assert_eq!(version_of_a_new_run(&church).await, 1);
    }
);

on_both!(
    a_published_method_overrides_the_file_until_it_is_rolled_back,
    with Setup::default().method("patient", patient(1)),
    async |mut church: Church| {
        let list = church.engine().methods(TENANT).await.expect("listed");
        let patient_of = |name: &str| {
            let found = list.iter().find(|method| method.name == name).expect("listed");
            (found.version, found.origin.as_str())
        };
        assert_eq!(patient_of("patient"), (Some(1), "home"));
        assert_eq!(patient_of("fill_roles"), (Some(1), "built_in"));
        assert_eq!(publish(&church, &patient(2), false).await.version, 2);
        assert_eq!(version_of_a_new_run(&church).await, 2);

        church.reopen_with(|setup| {
            setup.sources.methods.insert("patient.yaml".to_owned(), patient(3));
        })
        .await;
        assert_eq!(version_of_a_new_run(&church).await, 2, "a changed file adds a version, but does not activate it");
        let back = church.engine().roll_back(TENANT, "patient", Some(3)).await.expect("back");
        assert_eq!((back.method.version, back.method.origin.as_str()), (Some(3), "home"));
        assert_eq!(version_of_a_new_run(&church).await, 3);
        church.reopen_with(|setup| {
            setup.sources.methods.insert("patient.yaml".to_owned(), patient(4));
        })
        .await;
        assert_eq!(version_of_a_new_run(&church).await, 4, "changed files are activated again");
        let detail = church.engine().method(TENANT, "patient").await.expect("shown");
        let versions: Vec<_> = detail.versions.iter().map(|v| (v.version, v.active)).collect();
        assert_eq!(versions, [(4, true), (3, false), (2, false), (1, false)]);
        assert_eq!(detail.text, Some(patient(4)));
    }
);

on_both!(a_version_with_live_runs_is_not_deleted, async |church: Church| {
    let engine = church.engine();
    publish(&church, &patient(1), false).await;
    let run = church.start("patient", json!({})).await.expect("started").id;
    assert_eq!(code(engine.delete_version(TENANT, "patient", 1).await), "version_active");
    assert_eq!(code(engine.roll_back(TENANT, "patient", None).await), "no_older_version");
    publish(&church, &patient(2), false).await;
    let refused = engine.delete_version(TENANT, "patient", 1).await.expect_err("in use");
    assert_eq!(
        (&*refused.code, &*refused.message),
        ("version_in_use", "1 live run is pinned to version 1 of `patient`")
    );
    assert!(refused.hint.is_some_and(|hint| hint.contains("run upgrade")));
    engine.signal(RunRef { tenant: TENANT, run }, "go", &json!({}), None).await.expect("signalled");
    engine.delete_version(TENANT, "patient", 1).await.expect("deleted");
    assert_eq!(code(engine.delete_version(TENANT, "patient", 1).await), "unknown_version");
    assert_eq!(publish(&church, &patient(3), false).await.version, 3, "no number is used twice");
    church.assert_consistent().await;
});

on_both!(new_runs_do_not_begin_with_a_version_for_shadow_runs, async |church: Church| {
    publish(&church, &patient(1), false).await;
    let shadow = publish(&church, &patient(2), true).await;
    assert_eq!((shadow.version, shadow.shadow), (2, true));
    assert_eq!(version_of_a_new_run(&church).await, 1);
    let list = church.engine().method(TENANT, "patient").await.expect("shown").versions;
    assert_eq!(list.iter().map(|v| v.shadow).collect::<Vec<_>>(), [true, false]);
    church.engine().roll_back(TENANT, "patient", Some(2)).await.expect("made active");
    assert_eq!(version_of_a_new_run(&church).await, 2);
});

#[tokio::test]
async fn the_next_start_on_another_node_uses_the_published_version() {
    let mut church = Church::with(crate::postgres::TestDb::postgres(), Setup::default()).await;
    let other = church.open_another().await;
    let start = || StartRun { method: "patient".to_owned(), ..StartRun::default() };
    publish(&church, &patient(1), false).await;
    for _ in 0..2 {
        assert_eq!(other.start_run(TENANT, start()).await.expect("started").method_version, 1);
    }
    publish(&church, &patient(2), false).await;
    assert_eq!(other.start_run(TENANT, start()).await.expect("started").method_version, 2);
    church.engine().roll_back(TENANT, "patient", None).await.expect("back");
    assert_eq!(other.start_run(TENANT, start()).await.expect("started").method_version, 1);
}
