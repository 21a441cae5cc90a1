//! `abide insights` and what is made of the same figures: the forecast with people as they have answered before.

use std::process::Output;

use serde_json::{Value, json};

use crate::postgres::{TestDb, databases};
use crate::process::{ServerProcess, run_abide};

const TUESDAY: &str = "2025-09-30T10:00:00-05:00";
const ANA: &str = "+15125550101";
const BEN: &str = "+15125550102";
const CARLA: &str = "+15125550103";

/// A server on a virtual clock.
struct Story {
    server: ServerProcess,
    texts: u32,
}

impl Story {
    async fn begin(db: &TestDb) -> Self {
        assert!(run_abide(&["migrate", "--db", db.url()]).status.success(), "{db}");
        let server = ServerProcess::serve(db.url(), &["--clock", "virtual", "--now", TUESDAY]);
        assert!(run_abide(&["seed", "--db", db.url()]).status.success(), "{db}");
        Self { server, texts: 0 }
    }

    async fn advance(&self, by: &str) {
        let answer = self.server.post("/v1/clock/advance", &json!({ "by": by })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Starts a run that looks for people of the nursery, and sends its invitations.
    async fn fill(&self, count: u32, time: &str) -> String {
        let goal = json!({ "kind": "FillRole", "role": "nursery", "count": count, "time": time });
        let started =
            self.server.post("/v1/runs", &json!({ "method": "fill_roles", "goal": goal })).await;
        self.advance("1m").await;
        started.body["id"].as_str().unwrap_or_else(|| panic!("{started:?}")).to_owned()
    }

    async fn say(&mut self, from: &str, body: &str) {
        self.texts += 1;
        let said = json!({ "id": self.texts.to_string(), "from": from, "to": "+15125550199", "body": body });
        let heard = self.server.post("/v1/messages/inbound", &said).await;
        assert_eq!(heard.body["handled_as"], "reply", "{heard:?}");
    }

    /// For three services: Ana says yes after ten minutes, Ben says no after forty, Carla says yes to the first only,
    /// and the others do not answer.
    async fn ask_three_times(&mut self) {
        let days = ["2025-10-05", "2025-10-12", "2025-10-19"];
        for (nth, day) in days.iter().enumerate() {
            self.fill(5, &format!("{day}T09:00:00-05:00")).await;
            self.advance("9m").await;
            self.say(ANA, "yes").await;
            self.advance("30m").await;
            self.say(BEN, "no").await;
            if nth == 0 {
                self.advance("2h").await;
                self.say(CARLA, "yes").await;
            }
            self.advance("24h").await;
        }
    }

    /// Runs a command against the server, and returns what it prints.
    fn command(&self, arguments: &[&str]) -> String {
        printed(&run_abide(&[arguments, &["--server", self.server.url()]].concat()))
    }
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn insights_say_how_people_have_answered() {
    for db in databases() {
        let mut story = Story::begin(&db).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(
                story.command(&["insights"]),
                @"nobody has been asked yet, so there is nothing to say about their answers"
            );
        }
        story.ask_three_times().await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(story.command(&["insights", "--limit", "4"]), @"
            PERSON  ASKED  ANSWERED  SAID YES  LIKELY  HALF WITHIN  9 OF 10 WITHIN
            Ana     3      3         3         69 %    10m          10m
            Ben     3      3         0         69 %    40m          40m
            Carla   3      1         1         29 %    2h 40m       2h 40m
            Dana    3      0         0         9 %
            all people: 7 answered of 36 offers, half of them within 40m
            (more exist: raise `--limit 4`)
            ");
        }
        let json: Value =
            serde_json::from_str(&story.command(&["insights", "--json"])).expect("JSON");
        let ana = &json["people"]["items"][0]["responses"];
        let expected = json!({
            "asked": 3, "answered": 3, "accepted": 3, "answer_rate": 0.69,
            "median_delay": "10m", "p90_delay": "10m",
        });
        assert_eq!(*ana, expected, "{db}");
        assert_eq!(json["customers"]["items"], json!([]), "{db}");
        let other = story.server.get("/v1/insights?of=everybody").await;
        assert_eq!((other.status, &other.body["code"]), (422, &json!("schema")), "{db}: {other:?}");
    }
}

#[tokio::test]
async fn a_forecast_with_learned_people_differs_from_one_with_typical_people() {
    for db in databases() {
        let mut story = Story::begin(&db).await;
        story.ask_three_times().await;
        let run = story.fill(3, "2025-10-26T09:00:00-05:00").await;
        let forecast = |people: &str| -> Value {
            let arguments = [
                "run",
                "forecast",
                &run,
                "--db",
                db.url(),
                "--people",
                people,
                "--runs",
                "12",
                "--json",
            ];
            serde_json::from_str(&printed(&run_abide(&arguments))).expect("JSON")
        };
        let (learned, typical) = (forecast("learned"), forecast("typical"));
        let share = |data: &Value| data["summary"]["succeeded"]["share"].as_f64().expect("a share");
        assert!(
            share(&typical) > 0.7 && share(&learned) < 0.3,
            "{db}: {} {}",
            share(&typical),
            share(&learned)
        );
        assert_eq!(forecast("learned"), learned, "{db}: the same seeds draw the same answers");
        let once = [
            "run",
            "forecast",
            &run,
            "--db",
            db.url(),
            "--people",
            "learned",
            "--runs",
            "1",
            "--json",
        ];
        let once: Value = serde_json::from_str(&printed(&run_abide(&once))).expect("JSON");
        assert_eq!(once["run_id"], run.as_str(), "{db}");
    }
}

#[test]
fn a_simulation_has_nobody_to_learn_from() {
    let refused = run_abide(&["simulate", "fill_roles", "--people", "learned"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    insta::assert_snapshot!(String::from_utf8_lossy(&refused.stderr), @"
    error: `learned` needs people who were asked before, and a simulation has none
    hint: forecast a live run with it: `abide run forecast RUN --people learned`; or use one of these models: silent, typical, eager
    ");
}
