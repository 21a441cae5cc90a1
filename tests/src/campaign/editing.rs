//! Methods and templates are edited while runs wait.
//! Each run continues with the texts that it started with.

use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, SERVICE, Setup, goal, on_both};

fn edit(setup: &mut Setup) {
    let method = setup.sources.methods.get_mut("fill_roles.yaml").expect("the method");
    assert!(method.contains("timeout: 6h"));
    *method =
        method.replace("timeout: 6h", "timeout: 3h").replace("- id: wait\n", "- id: patience\n");
    let template = setup.sources.templates.get_mut("last_call.hbs").expect("the template");
    template.push_str("Really the last call!\n");
}

/// Returns the bodies of the messages that a volunteer got from the template `last_call`.
async fn last_calls(church: &Church, letter: char) -> Vec<String> {
    let messages = church.messages(&Church::phone(letter)).await;
    let of_kind = messages.into_iter().filter(|m| m.kind.as_deref() == Some("last_call"));
    of_kind.map(|m| m.body).collect()
}

on_both!(a_run_continues_with_the_texts_it_was_started_with, async |mut church: Church| {
    let old = church.fill(5).await.id;
    church.reopen_with(edit).await;
    church.advance("3h").await;
    assert_eq!(
        last_calls(&church, 'A').await,
        Vec::<String>::new(),
        "only the new text waits three hours"
    );
    assert_eq!(church.run(old).await.position.expect("a position").step_id, "wait");
    church.advance("3h").await;
    let calls = last_calls(&church, 'A').await;
    assert_eq!(calls.len(), 1);
    assert!(!calls[0].contains("Really"), "{calls:?}");
    church.advance("2h").await;
    let ended = church.run(old).await;
    assert_eq!((ended.outcome, ended.method_version), (Some(RunOutcome::FellShort), 1));

    church.advance("24h").await;
    let new = church.start("fill_roles", goal(5)).await.expect("started");
    assert_eq!(new.method_version, 2);
    church.advance("3h").await;
    let calls = last_calls(&church, 'A').await;
    assert_eq!(calls.len(), 2);
    assert!(calls[1].contains("Really"), "{calls:?}");
    church.assert_consistent().await;
});

on_both!(a_restored_text_is_its_old_version_again, async |mut church: Church| {
    let greeters = json!({ "kind": "FillRole", "role": "greeters", "count": 1, "time": SERVICE });
    assert_eq!(church.fill(1).await.method_version, 1);
    church.say("A", "yes").await;
    church.reopen_with(edit).await;
    assert_eq!(church.start("fill_roles", greeters).await.expect("started").method_version, 2);
    church.reopen_with(|setup| setup.sources = Setup::default().sources).await;
    let ushers = json!({ "kind": "FillRole", "role": "ushers", "count": 1, "time": SERVICE });
    assert_eq!(church.start("fill_roles", ushers).await.expect("started").method_version, 1);
    church.assert_consistent().await;
});

on_both!(runs_of_a_removed_method_still_finish, async |mut church: Church| {
    let run = church.fill(1).await.id;
    // `rebalance_roles` calls `fill_roles`, and would not compile if only `fill_roles` were removed.
    let gone = ["fill_roles.yaml", "rebalance_roles.yaml"];
    church
        .reopen_with(|setup| setup.sources.methods.retain(|file, _| !gone.contains(&file.as_str())))
        .await;
    assert_eq!(
        church.start("fill_roles", goal(1)).await.expect_err("is gone").code,
        "unknown_method"
    );
    church.say("A", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});
