//! The real program is killed anywhere, again and again, while campaigns start and people answer: no
//! reply is lost, no message goes twice, each call has one receipt, the audit is clean.
//!
//! The instants of the kills come from a seeded generator and the machine's own unevenness: after a
//! random number of other answers, while starts and replies are under way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use abide_engine::base::Digest;
use serde_json::{Value, json};

use crate::postgres::{TestDb, databases};
use crate::process::{Abide, abide};

/// Kills of one database, unless `ABIDE_KILL_ROUNDS` says otherwise.
const KILLS: usize = 25;
/// People of one campaign, two of whom are needed.
const PEOPLE: usize = 4;
/// How long everything may take to come to rest after the last kill: a message whose answer is
/// missing is asked about after ten seconds.
const REST_WITHIN: Duration = Duration::from_secs(60);

struct World {
    db: TestDb,
    config: PathBuf,
    random: fastrand::Rng,
    server: Option<Abide>,
    kills: usize,
}

impl World {
    fn new(db: TestDb, folder: &std::path::Path) -> Self {
        let config = folder.join("abide.toml");
        let text = "quiet_hours = \"none\"\nnode_lease = \"1s\"\npoll_interval = \"1s\"\n";
        std::fs::write(&config, text).expect("the settings are written");
        let mut world =
            Self { db, config, random: fastrand::Rng::with_seed(7), server: None, kills: 0 };
        for command in [&["migrate"][..], &["seed"][..]] {
            let done = world.command(command);
            assert!(done.status.success(), "{command:?}: {done:?}");
        }
        world.start();
        world
    }

    fn command(&self, command: &[&str]) -> std::process::Output {
        let config = self.config.to_str().expect("a path in UTF-8");
        abide(&[command, &["--db", self.db.url(), "--config", config]].concat())
    }

    fn start(&mut self) {
        let config = self.config.to_str().expect("a path in UTF-8");
        self.server = Some(Abide::serve(self.db.url(), &["--config", config]));
    }

    fn server(&self) -> &Abide {
        self.server.as_ref().expect("it runs")
    }

    /// Posts everything at once and kills the program meanwhile; what was not answered is posted
    /// again to the next program, with the same keys, as any caller must.
    async fn post_and_kill(&mut self, posts: &[(String, Value)]) -> Vec<Value> {
        let answers_before_death = self.random.usize(0..12);
        let mut answers: BTreeMap<usize, Value> = BTreeMap::new();
        {
            let server = self.server();
            let all = posts.iter().map(|(path, body)| server.try_post(path, body));
            let posting = futures_util::future::join_all(all);
            let living = async {
                for _ in 0..answers_before_death {
                    server.get("/healthz").await;
                }
            };
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
        self.server.take().expect("it runs").kill();
        self.kills += 1;
        self.start();
        for (ix, (path, body)) in posts.iter().enumerate() {
            if answers.contains_key(&ix) {
                continue;
            }
            let again = self.server().post(path, body).await;
            assert!(again.status < 300, "{path}: {again:?}");
            answers.insert(ix, again.body);
        }
        answers.into_values().collect()
    }

    /// Asks until `done` holds.
    async fn until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Value {
        let mut looks = tokio::time::interval(Duration::from_millis(50));
        let looking = async {
            loop {
                looks.tick().await;
                let reply = self.server().get(path).await;
                if done(&reply.body) {
                    return reply.body;
                }
            }
        };
        match tokio::time::timeout(REST_WITHIN, looking).await {
            Ok(body) => body,
            Err(_) => {
                let last = self.server().get(path).await;
                panic!("{path} does not come to rest: {last:#?}\n{}", self.server().said());
            }
        }
    }

    /// All messages, page by page.
    async fn messages(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.server().get(&format!("/v1/messages?limit=200{cursor}")).await.body;
            all.extend(page["items"].as_array().expect("a list").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// What the provider was handed: lines of its own file.
    fn handed_over(&self) -> Vec<Value> {
        let url = self.db.url();
        let path = if url.starts_with("postgres") {
            let name = format!("loopback-{}.jsonl", Digest::of(url.as_bytes()).short());
            std::env::temp_dir().join(".abide").join(name)
        } else {
            PathBuf::from(format!("{url}.loopback"))
        };
        let text = std::fs::read_to_string(path).expect("the provider's file");
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn phone(campaign: usize, person: usize) -> String {
    format!("+1512777{campaign:03}{person}")
}

/// The people of a campaign, who have a role of their own.
async fn enlist(world: &World, campaign: usize) {
    let people: Vec<Value> = (0..PEOPLE)
        .map(|person| {
            json!({"name": format!("P{campaign}x{person}"), "phone": phone(campaign, person),
                "roles": [format!("role{campaign}")]})
        })
        .collect();
    let reply = world.server().post("/v1/people", &Value::from(people)).await;
    assert!(reply.status < 300, "{reply:?}");
}

/// Starts a campaign and has everybody say yes, killing the program in both.
async fn campaign(world: &mut World, number: usize) -> String {
    enlist(world, number).await;
    let goal = json!({"kind": "FillRole", "role": format!("role{number}"), "count": 2,
        "time": "2031-01-05T09:00:00-06:00"});
    let start = ("/v1/runs".to_owned(), json!({"method": "fill_roles", "goal": goal}));
    let run = start_once(world, start, number).await;
    world.until(&format!("/v1/runs/{run}"), |run| run["status"] == "waiting").await;
    let yes = (0..PEOPLE).map(|person| {
        let body = json!({"id": format!("SM{number}-{person}"), "from": phone(number, person),
            "to": "+15125550199", "body": "yes, happy to"});
        ("/v1/messages/inbound".to_owned(), body)
    });
    let yes: Vec<(String, Value)> = yes.collect();
    world.post_and_kill(&yes).await;
    run
}

/// A start that is lost on the way is found by its request, since only one can be live.
async fn start_once(world: &mut World, start: (String, Value), number: usize) -> String {
    let role = format!("role{number}");
    let find = |page: &Value| {
        page["items"].as_array().and_then(|runs| {
            runs.iter()
                .find(|run| run["goal"]["role"] == role.as_str())
                .map(|run| run["id"].clone())
        })
    };
    let answers_before_death = world.random.usize(0..12);
    {
        let server = world.server();
        let living = async {
            for _ in 0..answers_before_death {
                server.get("/healthz").await;
            }
        };
        tokio::select! {
            _ = server.try_post(&start.0, &start.1) => {}
            () = living => {}
        }
    }
    world.server.take().expect("it runs").kill();
    world.kills += 1;
    world.start();
    let page = world.server().get("/v1/runs?limit=200").await.body;
    let id = match find(&page) {
        Some(id) => id,
        None => {
            let again = world.server().post(&start.0, &start.1).await;
            assert!(again.status < 300, "{again:?}");
            again.body["id"].clone()
        }
    };
    id.as_str().expect("an id").to_owned()
}

#[expect(clippy::disallowed_methods, reason = "a longer check asks for more kills")]
fn kills_wanted() -> usize {
    std::env::var("ABIDE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS)
}

async fn story(db: TestDb) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = World::new(db, folder.path());
    let kills = kills_wanted();
    let mut runs = Vec::new();
    while world.kills < kills {
        let number = runs.len();
        runs.push(campaign(&mut world, number).await);
    }
    for run in &runs {
        let ended =
            world.until(&format!("/v1/runs/{run}"), |run| run["status"] == "completed").await;
        assert_eq!(ended["outcome"], "succeeded", "{ended:#?}");
        let receipts = world.server().get(&format!("/v1/runs/{run}/receipts")).await.body;
        let receipts = receipts["items"].as_array().expect("receipts").clone();
        let calls: BTreeSet<&str> = receipts.iter().filter_map(|r| r["call_id"].as_str()).collect();
        assert_eq!(calls.len(), receipts.len(), "one receipt a call: {receipts:#?}");
    }
    nothing_is_lost_or_doubled(&world, runs.len()).await;
    assert!(world.server.take().expect("it runs").stop().success(), "a clean stop");
    let audit = world.command(&["audit"]);
    assert!(audit.status.success(), "{audit:?}");
}

/// Every yes is applied, every text is at the provider exactly once.
async fn nothing_is_lost_or_doubled(world: &World, campaigns: usize) {
    let on_its_way = |page: &Value| {
        let items = page["items"].as_array();
        items.is_some_and(|all| {
            all.iter().all(|m| !matches!(m["state"].as_str(), Some("queued" | "sending")))
        })
    };
    world.until("/v1/messages?direction=outbound&limit=500", on_its_way).await;
    let messages = world.messages().await;
    let (inbound, outbound): (Vec<&Value>, Vec<&Value>) =
        messages.iter().partition(|message| message["direction"] == "inbound");
    assert_eq!(inbound.len(), campaigns * PEOPLE);
    for reply in inbound {
        assert_eq!(reply["kind"], "reply", "{reply:#}");
    }
    let sent: BTreeSet<&str> = outbound
        .iter()
        .filter(|message| message["state"] == "sent")
        .filter_map(|message| message["id"].as_str())
        .collect();
    let handed_over = world.handed_over();
    let once: BTreeSet<&str> = handed_over.iter().filter_map(|m| m["id"].as_str()).collect();
    assert_eq!(once.len(), handed_over.len(), "a message went twice");
    assert_eq!(once, sent, "what was sent and what the provider has differ");
    let invited = outbound.iter().filter(|m| m["kind"] == "invite" && m["state"] == "sent").count();
    assert!(invited >= campaigns * 2, "{invited} invitations for {campaigns} campaigns");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_on_sqlite() {
    story(TestDb::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_on_postgres() {
    let postgres = databases().into_iter().find(|db| db.url().starts_with("postgres"));
    story(postgres.expect("a PostgreSQL database")).await;
}
