//! The command `abide run forecast` while a server drives the same database.

use std::process::Output;

use serde_json::{Value, json};

use crate::postgres::{TestDb, databases};
use crate::process::{ServerProcess, run_abide};

const TUESDAY: &str = "2025-09-30T10:00:00-05:00";

/// Starts a server and a campaign, and moves the server's clock to two in the afternoon, four hours after
/// the start. Returns the server and the id of the campaign's run.
async fn campaign(db: &TestDb) -> (ServerProcess, String) {
    assert!(run_abide(&["migrate", "--db", db.url()]).status.success(), "{db}");
    let server = ServerProcess::serve(db.url(), &["--clock", "virtual", "--now", TUESDAY]);
    let seeded = run_abide(&["seed", "--db", db.url()]);
    assert!(seeded.status.success(), "{db}: {seeded:?}");
    let goal = json!({
        "kind": "FillRole", "role": "nursery", "count": 2, "time": "2025-10-05T09:00:00-05:00"
    });
    let started = server.post("/v1/runs", &json!({"method": "fill_roles", "goal": goal})).await;
    let run = started.body["id"].as_str().unwrap_or_else(|| panic!("{db}: {started:?}")).to_owned();
    // The server sends the invitations when its clock moves.
    // Only a reply that arrives after the invitations is understood.
    let asked = server.post("/v1/clock/advance", &json!({"by": "1m"})).await;
    assert_eq!(asked.status, 200, "{db}: {asked:?}");
    let said = json!({"id": "1", "from": "+15125550101", "to": "+15125550199", "body": "yes"});
    let heard = server.post("/v1/messages/inbound", &said).await;
    assert_eq!(heard.body["handled_as"], "reply", "{db}: {heard:?}");
    let advanced = server.post("/v1/clock/advance", &json!({"by": "3h 59m"})).await;
    assert_eq!(advanced.status, 200, "{db}: {advanced:?}");
    (server, run)
}

fn forecast(db: &TestDb, run: &str, more: &[&str]) -> Output {
    run_abide(&[&["run", "forecast", run, "--db", db.url()], more].concat())
}

/// Returns stdout and stderr, with the run's id replaced by `RUN`.
fn printed(output: &Output, run: &str) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(run, "RUN");
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn a_forecast_with_silent_people_is_told_as_a_story_with_its_end() {
    for db in databases() {
        let (server, run) = campaign(&db).await;
        let output = forecast(&db, &run, &[]);
        assert!(output.status.success(), "{db}: {output:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(printed(&output, &run), @r"
            Tue 16:00  · the wait times out: 1 said yes
            Tue 16:00  · the goal is not met: the run starts fallback 1
            Tue 16:00  · `fill_roles` waits for 2 acceptances in total, until Tue 18:00
            Tue 16:00  → Ben: Hi Ben, Grace Church again. The nursery team for Sunday 5 October at 9:00 am still has room. Could you join us? It's fine if you can't.
            Tue 16:00  → Carla: Hi Carla, Grace Church again. The nursery team for Sunday 5 October at 9:00 am still has room. Could you join us? It's fine if you can't.
            Tue 16:00  → Dana, Eli, Fay and 6 more: the same
            Tue 18:00  · the wait times out: 1 said yes
            Tue 18:00  · the goal is not met: the run starts fallback 2
            Tue 18:00  · the run ends: fell short
            Tue 18:00  → Pat: Grace Church: 1 of 2 for nursery, Sunday 5 October at 9:00 am. Yes: Ana. No answer yet: Ben, Carla, Dana, Eli, Fay, Gus, Hana, Ivan, Joy, Kim and Lee. Shall I wait longer, ask another team, or aim for fewer people? Just tell me.
            Tue 18:00  → Ruth: Grace Church: 1 of 2 for nursery, Sunday 5 October at 9:00 am. Yes: Ana. No answer yet: Ben, Carla, Dana, Eli, Fay, Gus, Hana, Ivan, Joy, Kim and Lee. Shall I wait longer, ask another team, or aim for fewer people? Just tell me.

            fill_roles: fell short Tue 30 Sep 18:00 (in 4h)
              13 texts to come to 13 people, 15 segments
              0 places taken from now on
            ");
        }
        let json = forecast(&db, &run, &["--json"]);
        let data: Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(data["run_id"], run.as_str(), "{db}");
        assert_eq!(data["measure"]["outcome"], "fell_short", "{db}");
        assert_eq!(data["texts"].as_array().map(Vec::len), Some(13), "{db}: {data:#}");
        assert_eq!(data["texts"][0]["kind"], "last_call", "{db}");
        let live = server.get(&format!("/v1/runs/{run}")).await;
        assert_eq!(live.body["status"], "waiting", "{db}: the live run still waits");
    }
}

#[tokio::test]
async fn people_who_answer_by_chance_make_a_distribution() {
    for db in databases() {
        let (_server, run) = campaign(&db).await;
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("out.html").display().to_string();
        let more = ["--people", "eager", "--runs", "8", "--report", &page];
        let output = forecast(&db, &run, &more);
        assert!(output.status.success(), "{db}: {output:?}");
        let words = printed(&output, &run);
        assert!(words.contains("of 8 runs succeed"), "{db}: {words}");
        let drawn = std::fs::read_to_string(&page).expect("a page");
        assert!(drawn.contains(&run) && drawn.contains("by time from now."), "{db}");
        let json = forecast(&db, &run, &["--people", "eager", "--runs", "4", "--json"]);
        let data: Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!((&data["summary"]["runs"], &data["run_id"]), (&json!(4), &json!(run)), "{db}");
    }
}

#[tokio::test]
async fn a_run_that_cannot_be_forecast_is_refused_with_the_remedy() {
    let db = TestDb::sqlite();
    let (server, run) = campaign(&db).await;
    let refused = |arguments: &[&str]| {
        let output = forecast(&db, &run, arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        printed(&output, &run)
    };
    insta::assert_snapshot!(refused(&["--server", "http://127.0.0.1:9"]), @r"
    error: a forecast reads the database directly and cannot use a server
    hint: omit `--server`: `abide --db DB run forecast RUN`
    ");
    insta::assert_snapshot!(refused(&["--tenant", "another"]), @r"
    error: there is no run `RUN`
    hint: list the runs with `abide run list`
    ");
    insta::assert_snapshot!(refused(&["--people", "nobody"]), @r"
    error: `nobody` is neither a model of people nor a file
    hint: use one of these models: silent, typical, eager; or name a file
    ");
    let cases = ["nonsense", "run_01999c113f00700080132576642cadc8"];
    for unknown in cases {
        let output = forecast(&db, unknown, &[]);
        assert!(
            printed(&output, unknown).starts_with("error: there is no run `RUN`"),
            "{output:?}"
        );
    }

    let paused = server.post(&format!("/v1/runs/{run}/pause"), &json!({})).await;
    assert_eq!(paused.status, 200, "{paused:?}");
    let output = forecast(&db, &run, &[]);
    insta::assert_snapshot!(printed(&output, &run), @r"
    Wed 10:00  · 11 offers are expired
    Sun 09:00  · the request is closed

    fill_roles: still open after 7days
      0 texts to come
      0 places taken from now on
    the run is paused: it does not continue until `abide run resume RUN`
    ");
    let cancelled = server.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    insta::assert_snapshot!(refused(&[]), @r"
    error: `RUN` has ended: cancelled
    hint: choose a live run: `abide run list --waiting` lists them
    ");
}

#[test]
fn a_missing_database_is_not_created() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("no.db");
    let run = "run_01999c113f00700080132576642cadc8";
    let db = file.display().to_string();
    let output = run_abide(&["run", "forecast", run, "--db", &db]);
    assert!(printed(&output, run).starts_with("error: there is no run `RUN`"), "{output:?}");
    assert!(!file.exists());
}
