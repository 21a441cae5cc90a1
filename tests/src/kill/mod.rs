//! The real program is killed repeatedly at random times while runs start and people answer.
//! No reply is lost, no message is sent twice, each call has one receipt, and the audit reports nothing.
//!
//! The times of the kills depend on a seeded generator and on the speed of the machine.
//! The program is killed after a random number of responses to health requests,
//! while it starts runs and receives replies.

mod branches;
mod campaigns;
mod rebalance;
mod schedules;

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value, json};

use crate::deployment::{self, Deployment};
use crate::postgres::TestDb;
use crate::process::ServerProcess;
use crate::support::env_number;

/// Default number of kills for each database; `ABIDE_KILL_ROUNDS` overrides it.
const KILLS: usize = 25;

struct KillTest {
    deployment: Deployment,
    /// Arguments with which each process is started.
    options: &'static [&'static str],
    random: fastrand::Rng,
    server: Option<ServerProcess>,
    kills: usize,
    replies: usize,
}

impl KillTest {
    fn new(deployment: Deployment) -> Self {
        Self::with_options(deployment, &[])
    }

    fn with_options(deployment: Deployment, options: &'static [&'static str]) -> Self {
        let random = fastrand::Rng::with_seed(7);
        let mut test = Self { deployment, options, random, server: None, kills: 0, replies: 0 };
        test.start();
        test
    }

    fn start(&mut self) {
        self.server = Some(self.deployment.serve(self.options));
    }

    fn server(&self) -> &ServerProcess {
        self.server.as_ref().expect("it runs")
    }

    fn kill(&mut self) {
        self.server.take().expect("it runs").kill();
        self.kills += 1;
        self.start();
    }

    /// Sends `answers` health requests, one after another, and waits for the response to each of them.
    /// The caller then kills the process.
    async fn answer_other_requests(server: &ServerProcess, answers: usize) {
        for _ in 0..answers {
            server.get("/healthz").await;
        }
    }

    /// Sends all posts concurrently, and kills the program while it responds.
    /// A post without a response is sent again, unchanged, to the next process, as any client must do.
    async fn post_and_kill(&mut self, posts: &[(String, Value)]) {
        let answers_before_kill = self.random.usize(0..12);
        let mut answers: BTreeMap<usize, Value> = BTreeMap::new();
        {
            let server = self.server();
            let all = posts.iter().map(|(path, body)| server.try_post(path, body));
            let posting = futures_util::future::join_all(all);
            let lifetime = Self::answer_other_requests(server, answers_before_kill);
            tokio::pin!(posting);
            tokio::select! {
                done = &mut posting => {
                    for (ix, answer) in done.into_iter().enumerate() {
                        answers.extend(answer.ok().filter(|a| a.status < 300).map(|a| (ix, a.body)));
                    }
                }
                () = lifetime => {}
            }
        }
        self.kill();
        for (ix, (path, body)) in posts.iter().enumerate() {
            if answers.contains_key(&ix) {
                continue;
            }
            let again = self.server().post(path, body).await;
            assert!(again.status < 300, "{path}: {again:?}");
            answers.insert(ix, again.body);
        }
    }

    /// Delivers an acceptance from each of these phone numbers,
    /// and kills the program while it receives them.
    async fn all_say_yes(&mut self, numbers: &[String]) {
        let yes = numbers.iter().map(|number| {
            self.replies += 1;
            let body = json!({"id": format!("SM{}", self.replies), "from": number,
                "to": "+15125550199", "body": "yes, happy to"});
            ("/v1/messages/inbound".to_owned(), body)
        });
        let yes: Vec<(String, Value)> = yes.collect();
        self.post_and_kill(&yes).await;
    }

    /// Sends a request to start a run, and kills the program while it handles the request.
    /// The next process is asked for a run with this method and goal.
    /// If no such run exists, the request is sent again.
    async fn start_once(&mut self, method: &str, goal: Value) -> String {
        let answers_before_kill = self.random.usize(0..12);
        let body = json!({"method": method, "goal": goal});
        {
            let server = self.server();
            tokio::select! {
                _ = server.try_post("/v1/runs", &body) => {}
                () = Self::answer_other_requests(server, answers_before_kill) => {}
            }
        }
        self.kill();
        let page = self.server().get(&format!("/v1/runs?method={method}&limit=200")).await.body;
        let mut runs = page["items"].as_array().expect("runs").iter();
        let id = match runs.find(|run| run["goal"] == goal) {
            Some(run) => run["id"].clone(),
            None => {
                let again = self.server().post("/v1/runs", &body).await;
                assert!(again.status < 300, "{again:?}");
                again.body["id"].clone()
            }
        };
        id.as_str().expect("an id").to_owned()
    }

    /// Polls a path until the function `done` returns true for the response body. Returns that body.
    async fn poll_until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Value {
        deployment::poll_until(self.server(), path, done).await
    }

    /// Polls a run until it has this status, and returns the run.
    async fn wait_for_status(&self, run: &str, status: &str) -> Value {
        self.poll_until(&format!("/v1/runs/{run}"), |run| run["status"] == status).await
    }

    /// Waits until there is an outbound message to each of these phone numbers.
    async fn wait_for_texts(&self, numbers: &[String]) {
        for number in numbers {
            let number = number.trim_start_matches('+');
            let path = format!("/v1/messages?to=%2B{number}&direction=outbound");
            self.poll_until(&path, |page| page["items"][0].is_object()).await;
        }
    }

    /// Adds one person with this role for each of `numbers`, and returns the phone numbers of the people.
    /// The last four digits of a phone number are the number from `numbers`.
    async fn add_people(&self, role: &str, numbers: Range<usize>) -> Vec<String> {
        let numbers: Vec<String> = numbers.map(|n| format!("+1512777{n:04}")).collect();
        let people: Vec<Value> = numbers
            .iter()
            .map(|number| json!({"name": format!("P{number}"), "phone": number, "roles": [role]}))
            .collect();
        let reply = self.server().post("/v1/people", &Value::from(people)).await;
        assert!(reply.status < 300, "{reply:?}");
        numbers
    }

    /// Waits until these runs have succeeded, and returns all messages. Checks that nothing is lost
    /// or doubled, and that the audit reports nothing.
    async fn end(mut self, runs: &[String]) -> Vec<Value> {
        for run in runs {
            let ended = self.wait_for_status(run, "completed").await;
            assert_eq!(ended["outcome"], "succeeded", "{ended:#?}");
            deployment::assert_one_receipt_a_call(self.server(), run).await;
        }
        let messages =
            self.deployment.assert_nothing_lost_or_doubled(self.server(), self.replies).await;
        assert!(self.server.take().expect("it runs").stop().success(), "a clean stop");
        self.deployment.assert_audit_is_clean();
        messages
    }
}

fn kills_wanted() -> usize {
    env_number("ABIDE_KILL_ROUNDS").unwrap_or(KILLS)
}

/// Number of rounds of a test, 1 by default. In each round, the program is killed several times.
fn rounds_wanted() -> usize {
    (kills_wanted() / KILLS).max(1)
}

/// Declares a test on a new SQLite file and on a new PostgreSQL database.
macro_rules! on_both_databases_with_kills {
    ($story:path) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn loses_nothing_when_killed_on_sqlite() {
            $story(crate::postgres::TestDb::sqlite()).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn loses_nothing_when_killed_on_postgres() {
            $story(crate::postgres::TestDb::postgres()).await;
        }
    };
}
use on_both_databases_with_kills;

/// Loads the demo church into `db`. The test may kill the program on this database at any time.
fn seeded(db: TestDb) -> KillTest {
    KillTest::new(Deployment::seeded(db))
}
