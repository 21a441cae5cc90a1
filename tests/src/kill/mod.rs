//! The real program is killed repeatedly at random instants while runs start and people answer: no reply is
//! lost, no message is sent twice, each call has one receipt, and the audit is clean.
//!
//! The instants of the kills come from a seeded generator and from the machine's own timing: the program is
//! killed after a random number of other answers, while starts and replies are in progress.

mod branches;
mod campaigns;
mod rebalance;
mod schedules;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::place::{self, Place};
use crate::postgres::TestDb;
use crate::process::Abide;

/// Default number of kills for each database; `ABIDE_KILL_ROUNDS` overrides it.
const KILLS: usize = 25;

struct World {
    place: Place,
    /// Arguments that each process is started with.
    options: &'static [&'static str],
    random: fastrand::Rng,
    server: Option<Abide>,
    kills: usize,
    replies: usize,
}

impl World {
    fn new(place: Place) -> Self {
        Self::with(place, &[])
    }

    fn with(place: Place, options: &'static [&'static str]) -> Self {
        let random = fastrand::Rng::with_seed(7);
        let mut world = Self { place, options, random, server: None, kills: 0, replies: 0 };
        world.start();
        world
    }

    fn start(&mut self) {
        self.server = Some(self.place.serve(self.options));
    }

    fn server(&self) -> &Abide {
        self.server.as_ref().expect("it runs")
    }

    fn kill(&mut self) {
        self.server.take().expect("it runs").kill();
        self.kills += 1;
        self.start();
    }

    /// Waits for this number of other answers, the remaining lifetime of the process.
    async fn live_a_little(server: &Abide, answers: usize) {
        for _ in 0..answers {
            server.get("/healthz").await;
        }
    }

    /// Posts everything at once and kills the program in the middle. Posts without an answer are repeated
    /// to the next process with the same keys, as any caller must do.
    async fn post_and_kill(&mut self, posts: &[(String, Value)]) {
        let answers_before_death = self.random.usize(0..12);
        let mut answers: BTreeMap<usize, Value> = BTreeMap::new();
        {
            let server = self.server();
            let all = posts.iter().map(|(path, body)| server.try_post(path, body));
            let posting = futures_util::future::join_all(all);
            let living = Self::live_a_little(server, answers_before_death);
            tokio::pin!(posting);
            tokio::select! {
                done = &mut posting => {
                    for (ix, answer) in done.into_iter().enumerate() {
                        answers.extend(answer.ok().filter(|a| a.status < 300).map(|a| (ix, a.body)));
                    }
                }
                () = living => {}
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

    /// Delivers a yes from each of these numbers, and kills the program in the middle.
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

    /// Starts a run and kills the program in the middle. A run whose start was not answered is found by its
    /// method and goal, or started again.
    async fn start_once(&mut self, method: &str, goal: Value) -> String {
        let answers_before_death = self.random.usize(0..12);
        let body = json!({"method": method, "goal": goal});
        {
            let server = self.server();
            tokio::select! {
                _ = server.try_post("/v1/runs", &body) => {}
                () = Self::live_a_little(server, answers_before_death) => {}
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

    /// Polls a path until `done` holds.
    async fn until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Value {
        place::until(self.server(), path, done).await
    }

    /// Polls a run until it has this status.
    async fn until_is(&self, run: &str, status: &str) -> Value {
        self.until(&format!("/v1/runs/{run}"), |run| run["status"] == status).await
    }

    /// Waits until each of these numbers has a text.
    async fn until_invited(&self, numbers: &[String]) {
        for number in numbers {
            let number = number.trim_start_matches('+');
            let path = format!("/v1/messages?to=%2B{number}&direction=outbound");
            self.until(&path, |page| page["items"][0].is_object()).await;
        }
    }

    /// Adds `many` people with this role, and returns their numbers.
    async fn enlist(&self, (role, first): (&str, usize), many: usize) -> Vec<String> {
        let numbers: Vec<String> =
            (first..first + many).map(|n| format!("+1512777{n:04}")).collect();
        let people: Vec<Value> = numbers
            .iter()
            .map(|number| json!({"name": format!("P{number}"), "phone": number, "roles": [role]}))
            .collect();
        let reply = self.server().post("/v1/people", &Value::from(people)).await;
        assert!(reply.status < 300, "{reply:?}");
        numbers
    }

    /// Waits until these runs have succeeded, and checks everything that must hold then. Returns all
    /// messages.
    async fn end(mut self, runs: &[String]) -> Vec<Value> {
        for run in runs {
            let ended = self.until_is(run, "completed").await;
            assert_eq!(ended["outcome"], "succeeded", "{ended:#?}");
            place::assert_one_receipt_a_call(self.server(), run).await;
        }
        let messages = self.place.assert_nothing_lost_or_doubled(self.server(), self.replies).await;
        assert!(self.server.take().expect("it runs").stop().success(), "a clean stop");
        self.place.assert_audit_is_clean();
        messages
    }
}

#[expect(clippy::disallowed_methods, reason = "a longer check sets the number of kills")]
fn kills_wanted() -> usize {
    std::env::var("ABIDE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS)
}

/// Number of rounds of a story, in each of which the program is killed a few times: one by default.
fn rounds_wanted() -> usize {
    (kills_wanted() / KILLS).max(1)
}

/// Declares one test per kind of database that runs a story on a fresh database.
macro_rules! killed_anywhere {
    ($story:path) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn killed_anywhere_on_sqlite() {
            $story(crate::postgres::TestDb::sqlite()).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn killed_anywhere_on_postgres() {
            $story(crate::postgres::TestDb::postgres()).await;
        }
    };
}
use killed_anywhere;

/// Starts a seeded church whose program may be killed at any time.
fn world(db: TestDb) -> World {
    World::new(Place::seeded(db))
}
