//! Commands that operators type, run by the real program.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::process::{abide, abide_told};

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn valid_rows_are_imported_and_invalid_ones_are_listed_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, file) = (path(folder.path(), "t.db"), path(folder.path(), "people.csv"));
    let text = "\u{feff}Phone,name,roles,active\r\n\
        512-555-0101,Ana,nursery; Greeters,yes\r\n\
        nonsense,Ben,nursery,\r\n\
        +15125550103,Carla,,maybe\r\n\
        +15125550104,Dana\r\n\
        +15125550105,,ushers,\r\n\
        +15125550106,\"Fay, the younger\",ushers,no\r\n\
        555-0107,Gus,ushers,yes\r\n";
    std::fs::write(&file, text).expect("written");
    let imported = abide(&["import", "people", &file, "--db", &db, "--json"]);
    assert_eq!(imported.status.code(), Some(1), "{imported:?}");
    let told = json(&imported);
    assert_eq!(told["imported"], 2, "{told}");
    let bad: Vec<(i64, &str)> = told["bad"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|bad| (bad["line"].as_i64().unwrap_or(0), bad["reason"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        bad,
        [
            (3, "`nonsense` is not a phone number"),
            (4, "`active` must be true or false: `maybe`"),
            (5, "the row has 2 cells, the header 4"),
            (6, "`name` is empty"),
            (8, "`555-0107` is not a valid phone number: no country assigns +15550107"),
        ]
    );

    let good = "name,phone\nAna,+15125550101\n";
    std::fs::write(&file, good).expect("written");
    let again = abide(&["import", "people", &file, "--db", &db]);
    assert!(again.status.success() && out(&again).is_empty(), "{again:?}");
    std::fs::write(&file, "name,mobile\n").expect("written");
    let refused = abide(&["import", "people", &file, "--db", &db, "--json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("unknown_column"), "{refused:?}");
}

#[test]
fn people_are_listed_and_shown_by_id_or_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "t.db");
    assert!(abide(&["seed", "--db", &db]).status.success());
    let asked = |args: &[&str]| {
        let mut all = vec!["people"];
        all.extend(args);
        all.extend(["--db", &db]);
        abide(&all)
    };
    let listed = json(&asked(&["list", "--role", "nursery", "--q", "an", "--json"]));
    let names: Vec<_> =
        listed["items"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Ana", "Dana", "Hana", "Ivan"]);
    let told = out(&asked(&["list", "--limit", "2"]));
    assert!(told.starts_with("PERSON") && told.lines().count() == 3, "{told}");

    let ana = json(&asked(&["show", "(512) 555-0101", "--json"]));
    assert_eq!(ana, listed["items"][0]);
    let page = out(&asked(&["show", ana["id"].as_str().expect("an id")]));
    assert!(page.starts_with("Ana  per_") && page.contains("nursery"), "{page}");

    let file = path(folder.path(), "people.csv");
    std::fs::write(&file, "name,phone\nAmy,512-555-0101\n").expect("written");
    assert!(abide(&["import", "people", &file, "--db", &db]).status.success());
    for (who, code) in [("+15125550101", "phone_shared"), ("+15125550177", "person_unknown")] {
        let refused = asked(&["show", who, "--json"]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains(code), "{refused:?}");
    }
}

#[test]
fn a_message_for_staff_is_listed_shown_and_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "t.db");
    assert!(abide(&["seed", "--db", &db]).status.success());
    assert!(
        abide(&["say", "--from", "+15125559999", "who is this?", "--db", &db]).status.success()
    );
    let listed = json(&abide(&["inbox", "list", "--json", "--db", &db]));
    let id = listed["items"][0]["id"].as_str().expect("an id");
    let table = out(&abide(&["inbox", "list", "--db", &db]));
    assert!(table.contains("unknown_sender") && table.contains("who is this?"), "{table}");
    let page = out(&abide(&["inbox", "show", id, "--db", &db]));
    assert!(page.contains("No person in the directory has this number."), "{page}");
    assert_eq!(out(&abide(&["inbox", "close", id, "--db", &db])), format!("{id} closed\n"));
    assert_eq!(out(&abide(&["inbox", "list", "--db", &db])), "");
    let closed = json(&abide(&["inbox", "list", "--state", "all", "--json", "--db", &db]));
    assert_eq!(closed["items"][0]["state"], "closed");
}

#[test]
fn what_init_writes_lints_clean_and_plays_as_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = path(folder.path(), "home");
    assert!(abide(&["init", &home]).status.success());
    let linted = abide(&["lint", "--home", &home, &home, "--deny", "warnings"]);
    assert!(linted.status.success(), "{}", out(&linted));
    let story = path(Path::new(&home), "scenarios/two-of-three.yaml");
    let played = abide(&["simulate", "--home", &home, &story]);
    assert!(played.status.success(), "{}", out(&played));
    let again = abide(&["init", &home]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("not an empty folder"), "{again:?}");
}

#[test]
fn a_schedule_is_added_listed_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "t.db");
    assert!(abide(&["seed", "--db", &db]).status.success());
    let goal = r#"{"kind": "CancelRequest", "request_id": "req_00000000000000000000000000000001"}"#;
    let add = ["schedule", "add", "cancel_request", "--goal", goal, "--db", &db];
    let weekly =
        abide(&[&add[..], &["--cron", "0 9 * * MON", "--overlap", "queue", "--json"]].concat());
    let weekly = json(&weekly);
    assert_eq!((&weekly["overlap"], &weekly["catch_up"]), (&"queue".into(), &"one".into()));
    let past = abide(&[&add[..], &["--at", "2025-01-01T09:00:00-06:00"]].concat());
    assert!(out(&past).contains("next Wed 1 Jan 2025 09:00"), "{past:?}");
    let listed = out(&abide(&["schedule", "list", "--db", &db]));
    assert!(listed.contains("0 9 * * MON America/Chicago"), "{listed}");
    assert!(listed.contains("never") && listed.contains("failed, request_unknown"), "{listed}");
    let id = weekly["id"].as_str().expect("an id");
    let removed = abide(&["schedule", "remove", id, "--db", &db]);
    assert_eq!(out(&removed), format!("{id} removed\n"));
    let unfit = abide(&[&add[..], &["--at", "2030-01-01T09:00:00Z", "--catch-up", "all"]].concat());
    assert_eq!(unfit.status.code(), Some(2), "{unfit:?}");
}

#[test]
fn a_chat_sends_each_line_and_prints_the_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "t.db");
    assert!(abide(&["seed", "--db", &db]).status.success());
    let chat = ["chat", "--db", &db, "--from", "+15125550100"];
    let asked = abide_told(&chat, "\nFill 2 nursery spots for the 9am service\nhelp\n");
    assert!(asked.status.success(), "{asked:?}");
    assert!(out(&asked).contains("for 2 nursery places"), "{asked:?}");
    let runs = json(&abide(&["run", "list", "--db", &db, "--json"]));
    let run = runs["items"][0]["id"].as_str().expect("a run").to_owned();

    let told = abide(&["run", "explain", &run, "--db", &db]);
    assert!(out(&told).contains("This run of `fill_roles` has been waiting"), "{told:?}");
    let told = json(&abide(&["run", "explain", &run, "--db", &db, "--json"]));
    assert!(told["next"].as_array().is_some_and(|next| !next.is_empty()), "{told}");
    let sent = abide(&["run", "signal", &run, "go", "--db", &db]);
    assert!(sent.status.success(), "{sent:?}");
    assert!(String::from_utf8_lossy(&sent.stderr).contains("warning: no `await`"), "{sent:?}");
}

#[test]
fn top_prints_once_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "t.db");
    assert!(abide(&["seed", "--db", &db]).status.success());
    let goal =
        r#"{"kind":"FillRole","role":"nursery","count":2,"time":"2099-10-04T09:00:00-05:00"}"#;
    let started = abide(&["run", "start", "fill_roles", "--goal", goal, "--db", &db, "--json"]);
    assert!(started.status.success(), "{started:?}");
    let seen = json(&abide(&["top", "--db", &db, "--json"]));
    assert_eq!(seen["runs"]["waiting"], 1, "{seen}");
    assert_eq!((&seen["timers"]["set"], &seen["stuck"]), (&1.into(), &0.into()), "{seen}");
    assert_eq!(seen["oldest_waiting"]["method"], "fill_roles", "{seen}");
    let told = out(&abide(&["top", "--db", &db]));
    assert!(told.contains("1 waiting") && told.contains("none late"), "{told}");
}

#[test]
fn two_versions_of_a_method_are_simulated_with_the_same_people() {
    let folder = tempfile::tempdir().expect("a folder");
    let (page, other) = (path(folder.path(), "out.html"), path(folder.path(), "patient.yaml"));
    let shipped = include_str!("../../methods/fill_roles.yaml");
    std::fs::write(&other, shipped.replace("timeout: 6h", "timeout: 7h")).expect("written");
    let many = ["simulate", "fill_roles", "--runs", "3", "--people", "eager", "--json"];
    let played = abide(&[&many[..], &["--report", &page, "--against", &other]].concat());
    assert!(played.status.success(), "{played:?}");
    let told = json(&played);
    assert_eq!(told["versions"][0]["summary"]["runs"], 3, "{told}");
    assert_eq!(told["versions"][1]["items"].as_array().map(Vec::len), Some(3), "{told}");
    assert_eq!(told["compared"]["only_first"], 0, "{told}");
    assert_eq!(
        told["versions"][0]["items"],
        json(&abide(&many))["items"],
        "the same seeds give the same stories, with or without a comparison"
    );
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("<svg") && page.contains("Which is better?"));

    let nothing = path(folder.path(), "nothing.yaml");
    std::fs::write(&nothing, "steps: []\n").expect("written");
    let cases = [
        (["--people", "rude"], "unknown_people"),
        (["--goal", "{"], "not_json"),
        (["--against", &nothing], "not_a_method"),
    ];
    for (args, code) in cases {
        let refused = abide(&[&["simulate", "fill_roles", "--json"][..], &args].concat());
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(code), "{refused:?}");
    }
}
