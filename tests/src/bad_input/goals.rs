//! Goals, variables, signals and messages that are too large or have the wrong shape.

use abide_engine::base::{Value, limits};
use abide_engine::domain::StartRun;
use abide_engine::facade::{InboundMessage, MessageFilter};
use abide_engine::store::RunRef;
use serde_json::json;

use super::{HUGE, expect_refusal, failure_text};
use crate::campaign::church::{Church, goal, message, on_both};
use crate::postgres::databases;
use crate::process::run_abide;

/// Builds a goal whose JSON has exactly `bytes` bytes.
fn sized(bytes: usize) -> Value {
    let mut sized = goal(2);
    sized["note"] = json!("");
    let rest = bytes - sized.to_string().len();
    sized["note"] = "x".repeat(rest).into();
    assert_eq!(sized.to_string().len(), bytes);
    sized
}

/// Builds a goal for the role `greeters` instead of `nursery`.
pub(super) fn other_goal() -> Value {
    let mut other = goal(2);
    other["role"] = "greeters".into();
    other
}

/// Builds a value that is nested `levels` deep.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

/// Returns the stored text of the latest message from Ana.
async fn heard_from_ana(church: &Church) -> String {
    let from = Some(Church::phone('A'));
    let filter = MessageFilter { from, limit: 1, ..MessageFilter::default() };
    let page = church.engine().messages("default", &filter).await.expect("messages");
    page.items[0].body.clone()
}

fn with_vars(vars: Value) -> StartRun {
    let Value::Object(vars) = vars else { panic!("variables are an object") };
    StartRun { method: "fill_roles".to_owned(), goal: goal(2), vars, ..StartRun::default() }
}

on_both!(a_goal_at_its_bound_runs_and_one_byte_more_is_refused, async |church: Church| {
    let above = church.start("fill_roles", sized(limits::GOAL_BYTES_MAX + 1));
    let problem = expect_refusal(&church, above).await;
    assert_eq!(problem.code, "goal_invalid");
    assert_eq!(problem.message, "the goal takes more than 65536 bytes as JSON");
    assert!(problem.hint.is_some(), "{problem:?}");
    let at = church.start("fill_roles", sized(limits::GOAL_BYTES_MAX)).await.expect("started");
    let run = church.run(at.id).await;
    assert_eq!(run.goal["note"], sized(limits::GOAL_BYTES_MAX)["note"]);
    assert_eq!(church.sent(&Church::phone('A'), "invite").await, 1);
    church.assert_consistent().await;
});

on_both!(nesting_at_its_bound_runs_and_one_level_more_is_refused, async |church: Church| {
    let deep = |levels| {
        let mut deep = goal(2);
        deep["note"] = nested(levels - 1);
        deep
    };
    let above = church.start("fill_roles", deep(limits::VALUE_DEPTH_MAX + 1));
    let problem = expect_refusal(&church, above).await;
    assert_eq!(problem.message, "the goal is nested deeper than 64");
    let at = church.start("fill_roles", deep(limits::VALUE_DEPTH_MAX)).await.expect("started");
    assert_eq!(church.run(at.id).await.goal["note"], nested(limits::VALUE_DEPTH_MAX - 1));
    church.assert_consistent().await;
});

on_both!(variables_at_their_bound_are_kept_and_more_is_refused, async |church: Church| {
    let bytes = limits::START_VARS_BYTES_MAX - json!({"a": "", "b": [1]}).to_string().len();
    let name = "n".repeat(limits::KEY_BYTES_MAX);
    let above = [
        (json!({"a": "x".repeat(bytes + 1), "b": [1]}), "`vars` takes more than 262144 bytes"),
        (json!({"deep": nested(65)}), "`vars.deep` is nested deeper than 64"),
        (json!({format!("{name}n"): 1}), "a variable's name has at most 200 bytes"),
    ];
    for (vars, expected) in above {
        let problem =
            expect_refusal(&church, church.engine().start("default", with_vars(vars))).await;
        assert_eq!(problem.code, "vars_invalid");
        assert!(problem.message.starts_with(expected), "{problem}");
    }
    let at = json!({"a": "x".repeat(bytes), "b": [1]});
    church.engine().start("default", with_vars(at)).await.expect("started");
    church.assert_consistent().await;
});

on_both!(a_name_and_a_depth_at_their_bounds_are_kept, async |church: Church| {
    let name = "n".repeat(limits::KEY_BYTES_MAX);
    let vars = json!({name.as_str(): 7, "deep": nested(64)});
    let run = church.engine().start("default", with_vars(vars)).await.expect("started").run;
    let vars = church.run(run).await.vars.expect("variables");
    assert_eq!((&vars[&name], &vars["deep"]), (&json!(7), &nested(64)));
});

on_both!(fifty_megabytes_are_refused_everywhere, async |church: Church| {
    let run = church.fill(2).await.id;
    let (engine, huge) = (church.engine(), "x".repeat(HUGE));
    let mut role = goal(2);
    role["role"] = huge.as_str().into();
    assert_eq!(
        expect_refusal(&church, church.start("fill_roles", role)).await.code,
        "goal_invalid"
    );
    let count = Value::from(vec![1; HUGE / 80]);
    assert_eq!(
        expect_refusal(&church, church.start("fill_roles", count)).await.code,
        "goal_invalid"
    );
    let vars = with_vars(json!({"text": huge}));
    assert_eq!(expect_refusal(&church, engine.start("default", vars)).await.code, "vars_invalid");
    let key = StartRun { key: Some(huge.clone()), ..with_vars(json!({})) };
    assert_eq!(expect_refusal(&church, engine.start("default", key)).await.code, "key_too_long");
    let method = church.start(&huge, goal(2));
    assert_eq!(expect_refusal(&church, method).await.code, "unknown_method");
    let signal = async |name: &str, data: Value, key: Option<&str>| {
        expect_refusal(&church, engine.signal(RunRef { tenant: "default", run }, name, &data, key))
            .await
            .code
    };
    assert_eq!(signal("go", json!(huge), None).await, "signal_invalid");
    assert_eq!(signal(&huge, json!({}), None).await, "key_too_long");
    assert_eq!(signal("go", json!({}), Some(&huge)).await, "key_too_long");
    for (id, from, to) in
        [(&*huge, "+15125550101", "+1512"), ("a", &huge, "+1512"), ("a", "+15125550101", &huge)]
    {
        let inbound = InboundMessage { to: to.to_owned(), ..message(id, from, "yes") };
        assert_eq!(
            expect_refusal(&church, engine.receive("default", inbound)).await.code,
            "message_invalid"
        );
    }
    church.assert_consistent().await;
});

on_both!(a_text_of_fifty_megabytes_is_kept_up_to_its_bound, async |mut church: Church| {
    church.fill(2).await;
    church.text(&Church::phone('A'), &"no ".repeat(HUGE / 3)).await;
    assert_eq!(heard_from_ana(&church).await.chars().count(), limits::INBOUND_CHARS_MAX);
    church.assert_consistent().await;
});

on_both!(a_signal_at_its_bound_is_taken_and_more_is_refused, async |church: Church| {
    let run = church.fill(2).await.id;
    let text = |bytes: usize| json!("x".repeat(bytes - 2));
    let engine = church.engine();
    for (data, why) in [
        (text(limits::SIGNAL_BYTES_MAX + 1), "takes more than 65536 bytes"),
        (nested(65), "is nested deeper than 64"),
    ] {
        let problem = expect_refusal(
            &church,
            engine.signal(RunRef { tenant: "default", run }, "go", &data, None),
        )
        .await;
        assert_eq!(problem.code, "signal_invalid");
        assert!(problem.message.contains(why), "{problem}");
    }
    for data in [text(limits::SIGNAL_BYTES_MAX), nested(64)] {
        assert!(
            engine
                .signal(RunRef { tenant: "default", run }, "go", &data, None)
                .await
                .expect("sent")
                .is_new
        );
    }
    assert_eq!(church.number("SELECT COUNT(*) FROM signal").await, 2);
});

on_both!(a_goal_of_the_wrong_shape_is_refused_with_its_place, async |church: Church| {
    let with = |member: &str, value: Value| {
        let mut bad = goal(2);
        bad[member] = value;
        bad
    };
    let cases = [
        (with("count", json!("2")), "`goal.count`: \"2\" is not of type \"integer\""),
        (with("count", json!(0)), "`goal.count`: 0 is less than the minimum of 1"),
        (with("count", json!(501)), "`goal.count`: 501 is greater than the maximum of 500"),
        (with("count", json!(2.5)), "`goal.count`: 2.5 is not of type \"integer\""),
        (with("kind", json!("Fill")), "`goal.kind`: \"FillRole\" was expected"),
        (with("time", json!(null)), "`goal.time`: null is not of type \"string\""),
        (json!({"kind": "FillRole", "count": 2}), "the goal: \"role\" is a required property"),
        (json!([1]), "the goal: [1] is not of type \"object\""),
        (json!(null), "the goal: null is not of type \"object\""),
    ];
    for (bad, expected) in cases {
        let problem = expect_refusal(&church, church.start("fill_roles", bad)).await;
        assert_eq!((&*problem.code, &*problem.message), ("goal_invalid", expected));
        assert_eq!(problem.hint.as_deref(), Some("see `inputs` of the method `fill_roles`"));
    }
    let long = with("role", "r".repeat(60_000).into());
    let problem = expect_refusal(&church, church.start("fill_roles", long)).await;
    assert!(problem.message.chars().count() < 300, "{problem}");
    assert!(problem.message.ends_with("is longer than 60 characters"), "{problem}");
    let vague =
        expect_refusal(&church, church.start("fill_roles", with("time", json!("next sunday"))))
            .await;
    assert_eq!(vague.code, "invalid_goal", "{vague}");
});

on_both!(nul_becomes_the_replacement_character_in_goals_and_texts, async |mut church: Church| {
    let mut nul = goal(2);
    nul["no\0te"] = json!(["a\0b"]);
    let vars = json!({"v\0": {"\0": "\0"}});
    let Value::Object(vars) = vars else { panic!("an object") };
    let wanted =
        StartRun { method: "fill_roles".to_owned(), goal: nul, vars, ..StartRun::default() };
    let run = church.engine().start("default", wanted).await.expect("started").run;
    let view = church.run(run).await;
    assert_eq!(view.goal["no\u{fffd}te"], json!(["a\u{fffd}b"]));
    assert_eq!(view.vars.expect("variables")["v\u{fffd}"], json!({"\u{fffd}": "\u{fffd}"}));
    church.text(&Church::phone('A'), "y\0es").await;
    assert_eq!(heard_from_ana(&church).await, "y\u{fffd}es");
    church.assert_consistent().await;
});

#[test]
fn the_command_line_refuses_a_goal_beyond_its_bound() {
    for database in databases() {
        let db = database.url();
        assert!(run_abide(&["migrate", "--db", db]).status.success(), "{database}");
        let huge = sized(100_000).to_string();
        let start = ["run", "start", "fill_roles", "--db", db, "--goal"];
        let said = failure_text(&run_abide(&[&start[..], &[&huge]].concat()));
        assert!(said.contains("error: the goal takes more than 65536 bytes"), "{database}: {said}");
        assert!(said.contains("hint: pass the ids of long texts"), "{database}: {said}");
        for (goal, expected) in [
            ("{", "`--goal` is not JSON"),
            (r#"{"kind":"FillRole"}"#, "is a required property"),
            (&"[".repeat(50_000), "`--goal` is not JSON"),
        ] {
            let said = failure_text(&run_abide(&[&start[..], &[goal]].concat()));
            assert!(said.contains(expected) && said.contains("hint: "), "{database}: {said}");
        }
        let listed = run_abide(&["run", "list", "--db", db, "--json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
        assert_eq!(listed["items"], json!([]), "{database}");
    }
}
