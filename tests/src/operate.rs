//! The real program carries out commands for operators.

use crate::command_line::{CommandLine, parse_json, stdout};
use crate::process::{run_abide, run_abide_with_input};

#[test]
fn valid_rows_are_imported_and_invalid_ones_are_listed_with_their_line() {
    let commands = CommandLine::new();
    let text = "\u{feff}Phone,name,roles,active\r\n\
        512-555-0101,Ana,nursery; Greeters,yes\r\n\
        nonsense,Ben,nursery,\r\n\
        +15125550103,Carla,,maybe\r\n\
        +15125550104,Dana\r\n\
        +15125550105,,ushers,\r\n\
        +15125550106,\"Fay, the younger\",ushers,no\r\n\
        555-0107,Gus,ushers,yes\r\n";
    let file = commands.write("people.csv", text);
    let imported = commands.run(&["import", "people", &file, "--json"]);
    assert_eq!(imported.status.code(), Some(1), "{imported:?}");
    let report = parse_json(&imported.stdout);
    assert_eq!(report["imported"], 2, "{report}");
    let invalid: Vec<(i64, &str)> = report["bad"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| (row["line"].as_i64().unwrap_or(0), row["reason"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        invalid,
        [
            (3, "`nonsense` is not a phone number"),
            (4, "`active` must be true or false: `maybe`"),
            (5, "the row has 2 cells, the header 4"),
            (6, "`name` is empty"),
            (8, "`555-0107` is not a valid phone number: no country assigns +15550107"),
        ]
    );

    commands.write("people.csv", "name,phone\nAna,+15125550101\n");
    let again = commands.run(&["import", "people", &file]);
    assert!(again.status.success() && stdout(&again).is_empty(), "{again:?}");
    commands.write("people.csv", "name,mobile\n");
    assert_eq!(commands.refusal(&["import", "people", &file]), "unknown_column");
}

#[test]
fn people_are_listed_and_shown_by_id_or_number() {
    let commands = CommandLine::seeded();
    let listed = commands.json(&["people", "list", "--role", "nursery", "--q", "an"]);
    let names: Vec<_> =
        listed["items"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Ana", "Dana", "Hana", "Ivan"]);
    let table = commands.text(&["people", "list", "--limit", "2"]);
    assert!(table.starts_with("PERSON") && table.lines().count() == 3, "{table}");

    let ana = commands.json(&["people", "show", "(512) 555-0101"]);
    assert_eq!(ana, listed["items"][0]);
    let page = commands.text(&["people", "show", ana["id"].as_str().expect("an id")]);
    assert!(page.starts_with("Ana  per_") && page.contains("nursery"), "{page}");

    let file = commands.write("people.csv", "name,phone\nAmy,512-555-0101\n");
    assert!(commands.run(&["import", "people", &file]).status.success());
    for (who, code) in [("+15125550101", "phone_shared"), ("+15125550177", "person_unknown")] {
        assert_eq!(commands.refusal(&["people", "show", who]), code);
    }
}

#[test]
fn a_message_for_staff_is_listed_shown_and_closed() {
    let commands = CommandLine::seeded();
    let sent = commands.run(&["say", "--from", "+15125559999", "who is this?"]);
    assert!(sent.status.success(), "{sent:?}");
    let listed = commands.json(&["inbox", "list"]);
    let id = listed["items"][0]["id"].as_str().expect("an id");
    let table = commands.text(&["inbox", "list"]);
    assert!(table.contains("unknown_sender") && table.contains("who is this?"), "{table}");
    let page = commands.text(&["inbox", "show", id]);
    assert!(page.contains("No person in the directory has this number."), "{page}");
    let done = |what: &str| format!("{id} {what}\n");
    assert_eq!(commands.text(&["inbox", "assign", id, "Pat"]), done("assigned to Pat"));
    let taken = commands.text(&["inbox", "take-over", id]);
    assert_eq!(taken, done("thread taken over by an operator"));
    assert!(commands.text(&["inbox", "show", id]).contains("Pat"));
    assert_eq!(commands.text(&["inbox", "hand-back", id]), done("thread handed back"));
    assert_eq!(commands.text(&["inbox", "answer", id, "Grace", "Church"]), done("answered"));
    assert_eq!(commands.text(&["inbox", "close", id]), format!("{id} closed\n"));
    assert_eq!(commands.text(&["inbox", "list"]), "");
    let closed = commands.json(&["inbox", "list", "--state", "all"]);
    assert_eq!(closed["items"][0]["state"], "closed");
}

#[test]
fn the_files_of_init_lint_clean_and_their_scenario_is_met() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let home = path("home");
    assert!(run_abide(&["init", &home]).status.success());
    let linted = run_abide(&["lint", "--home", &home, &home, "--deny", "warnings"]);
    assert!(linted.status.success(), "{}", stdout(&linted));
    let scenario = path("home/scenarios/two-of-three.yaml");
    let played = run_abide(&["simulate", "--home", &home, &scenario]);
    assert!(played.status.success(), "{}", stdout(&played));
    let again = run_abide(&["init", &home]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("not an empty folder"), "{again:?}");
}

#[test]
fn init_sets_the_tenant_up_from_options_and_from_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (db, home, other) = (path("a.db"), path("home"), path("other"));
    let command = |rest: &[&str]| {
        let all: Vec<String> =
            ["--db", &db].iter().chain(rest).map(|argument| (*argument).to_owned()).collect();
        all
    };
    let options = ["init", &home, "--name", "Hope Church", "--service", "Sunday 9:00 first"];
    let done = run_abide(&command(&options));
    assert!(done.status.success(), "{done:?}");
    // The answers: no other name, a zone that does not exist and one that does, two services, and no more.
    let answers =
        "\nMars/Olympus\nAmerica/Denver\nsoon\nWednesday 18:30 midweek\nsun 11:00 second\n\n";
    let asked = run_abide_with_input(&command(&["init", &other, "--ask"]), answers);
    assert!(asked.status.success(), "{asked:?}");
    let told = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(told.contains("unknown time zone `Mars/Olympus`"), "{told}");
    assert!(told.contains("`soon` is not a day, a time and a name"), "{told}");
    let tenant = stdout(&run_abide(&command(&["tenant", "show", "default"])));
    assert!(tenant.contains("Hope Church") && tenant.contains("America/Denver"), "{tenant}");
    let services = stdout(&run_abide(&command(&["service", "list"])));
    for shown in ["first", "09:00", "midweek", "18:30", "second", "sunday", "wednesday"] {
        assert!(services.contains(shown), "{shown}: {services}");
    }
    let refused = run_abide(&command(&["init", &path("third"), "--service", "someday 9:00 x"]));
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

#[test]
fn a_schedule_is_added_listed_and_removed() {
    let commands = CommandLine::seeded();
    let goal = r#"{"kind": "CancelRequest", "request_id": "req_00000000000000000000000000000001"}"#;
    let add = ["schedule", "add", "cancel_request", "--goal", goal];
    let weekly =
        commands.json(&[&add[..], &["--cron", "0 9 * * MON", "--overlap", "queue"]].concat());
    assert_eq!((&weekly["overlap"], &weekly["catch_up"]), (&"queue".into(), &"one".into()));
    let past = commands.text(&[&add[..], &["--at", "2025-01-01T09:00:00-06:00"]].concat());
    assert!(past.contains("next Wed 1 Jan 2025 09:00"), "{past}");
    let listed = commands.text(&["schedule", "list"]);
    assert!(listed.contains("0 9 * * MON America/Chicago"), "{listed}");
    assert!(listed.contains("never") && listed.contains("failed, request_unknown"), "{listed}");
    let id = weekly["id"].as_str().expect("an id");
    assert_eq!(commands.text(&["schedule", "remove", id]), format!("{id} removed\n"));
    let unfit =
        commands.run(&[&add[..], &["--at", "2030-01-01T09:00:00Z", "--catch-up", "all"]].concat());
    assert_eq!(unfit.status.code(), Some(2), "{unfit:?}");
}

#[test]
fn a_chat_sends_each_line_and_prints_the_answers() {
    let commands = CommandLine::seeded();
    let lines = "\nFill 2 nursery spots for the 9am service\nhelp\n";
    let chat = commands.run_with_input(&["chat", "--from", "+15125550100"], lines);
    assert!(chat.status.success(), "{chat:?}");
    assert!(stdout(&chat).contains("for 2 nursery places"), "{chat:?}");
    let runs = commands.json(&["run", "list"]);
    let run = runs["items"][0]["id"].as_str().expect("a run");

    let explained = commands.text(&["run", "explain", run]);
    assert!(explained.contains("This run of `fill_roles` has been waiting"), "{explained}");
    let explained = commands.json(&["run", "explain", run]);
    assert!(explained["next"].as_array().is_some_and(|next| !next.is_empty()), "{explained}");
    let sent = commands.run(&["run", "signal", run, "go"]);
    assert!(sent.status.success(), "{sent:?}");
    assert!(String::from_utf8_lossy(&sent.stderr).contains("warning: no `await`"), "{sent:?}");
}

#[test]
fn top_prints_once_without_a_terminal() {
    let commands = CommandLine::seeded();
    let goal =
        r#"{"kind":"FillRole","role":"nursery","count":2,"time":"2099-10-04T09:00:00-05:00"}"#;
    commands.json(&["run", "start", "fill_roles", "--goal", goal]);
    let seen = commands.json(&["top"]);
    assert_eq!(seen["runs"]["waiting"], 1, "{seen}");
    assert_eq!((&seen["timers"]["set"], &seen["stuck"]), (&1.into(), &0.into()), "{seen}");
    assert_eq!(seen["oldest_waiting"]["method"], "fill_roles", "{seen}");
    let page = commands.text(&["top"]);
    assert!(page.contains("1 waiting") && page.contains("none late"), "{page}");
}

#[test]
fn two_versions_of_a_method_are_simulated_with_the_same_people() {
    let commands = CommandLine::new();
    let shipped = include_str!("../../methods/fill_roles.yaml");
    let other = commands.write("patient.yaml", &shipped.replace("timeout: 6h", "timeout: 7h"));
    let page = commands.path("out.html");
    let many = ["simulate", "fill_roles", "--runs", "3", "--people", "eager", "--json"];
    let played = run_abide(&[&many[..], &["--report", &page, "--against", &other]].concat());
    assert!(played.status.success(), "{played:?}");
    let report = parse_json(&played.stdout);
    assert_eq!(report["versions"][0]["summary"]["runs"], 3, "{report}");
    assert_eq!(report["versions"][1]["items"].as_array().map(Vec::len), Some(3), "{report}");
    assert_eq!(report["compared"]["only_first"], 0, "{report}");
    assert_eq!(
        report["versions"][0]["items"],
        parse_json(&run_abide(&many).stdout)["items"],
        "the same seeds give the same stories, with or without a comparison"
    );
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("<svg") && page.contains("Which is better?"));

    let nothing = commands.write("nothing.yaml", "steps: []\n");
    let cases = [
        (["--people", "rude"], "unknown_people"),
        (["--goal", "{"], "not_json"),
        (["--against", &nothing], "not_a_method"),
    ];
    for (args, code) in cases {
        let refused = run_abide(&[&["simulate", "fill_roles", "--json"][..], &args].concat());
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(code), "{refused:?}");
    }
}
