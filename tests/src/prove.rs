//! Checks the output of `abide lint --prove` for the shipped methods.
//! No scenario sends more messages than the proofs of its methods allow.

use std::collections::BTreeMap;
use std::path::Path;

use abide_engine::base::Value;
use abide_engine::library::{Library, Sources};
use abide_engine::method::Graph;
use abide_engine::policy::Settings;
use abide_engine::proof::{Given, Proof, ProofDefinitions, prove};
use abide_engine::store::Address;
use abide_simulator::play::{PlayOptions, simulate};
use sqlx::Row as _;
use sqlx::sqlite::{SqlitePool, SqliteRow};

use crate::engines;
use crate::process::run_abide;
use crate::simulations::{check_in_parallel, parse};
use crate::support::{block_on, root, scenario_files};

/// Returns everything that `lint --prove` prints, and whether it succeeded.
fn run_prove(arguments: &[&str]) -> (String, bool) {
    let proved = run_abide(&[&["lint", "--prove"], arguments].concat());
    let text = String::from_utf8(proved.stdout).expect("a text");
    let folder = format!("{}/", root().display());
    (text.replace(&folder, ""), proved.status.success())
}

#[test]
fn the_shipped_methods_are_proved_in_plain_words() {
    let methods = root().join("methods");
    let methods = methods.to_str().expect("a path");
    let (text, proved) = run_prove(&[methods, "--price", "0.0079"]);
    assert!(proved, "{text}");
    insta::assert_snapshot!("shipped", text);
    let at = "2025-09-30T17:20:00-05:00";
    let (text, _) = run_prove(&["fill_roles", "--people", "12", "--staff", "2", "--start", at]);
    insta::assert_snapshot!("one_church", text);
}

#[test]
fn every_pattern_is_proved() {
    let patterns = root().join("docs/patterns");
    let (text, proved) = run_prove(&[patterns.to_str().expect("a path"), "--json"]);
    assert!(proved, "{text}");
    let proofs: Value = serde_json::from_str(&text).expect("JSON");
    let proofs = proofs.as_array().expect("a list");
    assert_eq!(proofs.len(), 34);
    for proof in proofs {
        assert_eq!(proof["holds"], true, "{proof:#}");
        assert!(proof["finish"]["at_most"].is_string(), "{proof:#}");
        assert!(proof["messages"]["in_all"]["formula"].is_string(), "{proof:#}");
    }
}

#[test]
fn a_method_that_does_not_compile_is_not_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = "method: bad\nsteps:\n  - { call: bad }\n  - { await: { signal: never } }\n";
    std::fs::write(folder.path().join("bad.yaml"), bad).expect("a file");
    let (text, proved) = run_prove(&[folder.path().to_str().expect("a path")]);
    assert!(!proved && text.contains("NOT PROVED"), "{text}");
    assert!(text.contains("recursive-method") && text.contains("wait-without-timeout"), "{text}");
}

/// Contents of a database after a scenario was played.
struct Outcome {
    /// Number of people in the directory.
    people: u64,
    /// Method and goal of every run that has no parent.
    runs: Vec<(Graph, Value)>,
    /// Methods that were called by other methods.
    called: Vec<Graph>,
    /// Number of outbound messages that do not answer a person's message, for each person.
    unasked: BTreeMap<Vec<u8>, u64>,
    /// Number of outbound messages that answer a person's message.
    answers: u64,
    /// Number of inbound messages.
    received: u64,
}

const RUNS: &str = "SELECT d.graph, COALESCE(v.value, b.bytes)
    FROM run r JOIN definition d ON d.digest = r.bundle
    LEFT JOIN var v ON v.run_id = r.id AND v.name = 'goal' LEFT JOIN blob b ON b.digest = v.blob
    WHERE r.parent IS NULL";
const CALLED: &str = "SELECT DISTINCT d.graph FROM run r JOIN definition d ON d.digest = r.bundle
    WHERE r.parent IS NOT NULL AND r.branch = 0";
/// The query leaves out messages of the template `confirmed`. A person who is promoted from the waitlist
/// gets such a message as a second answer to an earlier reply, so the message counts as an answer. The query
/// also leaves out requests for approvals: a proof is about what a method sends, and these come from the engine.
const UNASKED: &str = "SELECT person, COUNT(*) FROM outbox
    WHERE cause_kind <> 'inbound' AND kind NOT IN ('confirmed', 'approval_request') GROUP BY person";
const ANSWERS: &str =
    "SELECT COUNT(*) FROM outbox WHERE cause_kind = 'inbound' OR kind = 'confirmed'";

async fn read_outcome(file: &Path) -> Outcome {
    let pool = SqlitePool::connect(&format!("sqlite://{}", file.display())).await.expect("opens");
    let rows = async |sql: &'static str| sqlx::query(sql).fetch_all(&pool).await.expect("rows");
    let number = async |sql: &'static str| {
        let found: i64 = sqlx::query_scalar(sql).fetch_one(&pool).await.expect("a number");
        u64::try_from(found).expect("a count")
    };
    let run = |row: SqliteRow| {
        let graph: String = row.get(0);
        let goal: Option<String> = row.get(1);
        let goal = goal.map_or(Value::Null, |goal| serde_json::from_str(&goal).expect("JSON"));
        (serde_json::from_str(&graph).expect("a graph"), goal)
    };
    let called = |row: SqliteRow| {
        let graph: String = row.get(0);
        serde_json::from_str(&graph).expect("a graph")
    };
    let unasked = rows(UNASKED).await.into_iter().map(|row| {
        let n: i64 = row.get(1);
        (row.get::<Option<Vec<u8>>, _>(0).unwrap_or_default(), n.unsigned_abs())
    });
    Outcome {
        people: number("SELECT COUNT(*) FROM person").await,
        runs: rows(RUNS).await.into_iter().map(run).collect(),
        called: rows(CALLED).await.into_iter().map(called).collect(),
        unasked: unasked.collect(),
        answers: number(ANSWERS).await,
        received: number("SELECT COUNT(*) FROM inbound").await,
    }
}

fn proofs(outcome: &Outcome, library: &Library) -> Vec<Proof> {
    let mut methods: BTreeMap<&str, &Graph> =
        library.methods.iter().map(|(name, bundle)| (name.as_str(), &bundle.graph)).collect();
    methods.extend(outcome.called.iter().map(|graph| (graph.method.as_str(), graph)));
    let definitions =
        ProofDefinitions { contracts: &library.contracts, templates: &library.templates, methods };
    let given = Given { people: Some(outcome.people), ..Given::of(&Settings::default()) };
    let one = |(graph, goal): &(Graph, Value)| {
        prove(graph, &definitions, &Given { goal: Some(goal.clone()), ..given.clone() })
    };
    outcome.runs.iter().map(one).collect()
}

/// Describes the messages that a scenario sent beyond what the proofs of its methods allow.
/// Returns `None` if the scenario sent no more than that.
fn excess(name: &str, outcome: &Outcome, library: &Library) -> Option<String> {
    let proofs = proofs(outcome, library);
    let sum = |of: fn(&Proof) -> Option<u64>| {
        proofs.iter().map(|proof| of(proof).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
    };
    let in_all = sum(|proof| proof.messages.in_all.at_most);
    let one_person = sum(|proof| proof.messages.one_person.at_most);
    let sent: u64 = outcome.unasked.values().sum();
    let most = outcome.unasked.values().copied().max().unwrap_or(0);
    let answers = 2 * outcome.received + in_all;
    let is_within = sent <= in_all && most <= one_person && outcome.answers <= answers;
    (!is_within).then(|| {
        format!(
            "{name}: {sent} of {in_all} sent, {most} of {one_person} to one person, \
             {} answers to {} texts",
            outcome.answers, outcome.received
        )
    })
}

/// Plays a scenario with its own and the shipped methods, and compares the sent messages with the proofs.
/// Describes the messages that the scenario sent beyond what the proofs allow.
/// Returns `None` if the scenario sent no more than that.
fn excess_over_proof(file: &Path) -> Option<String> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{name}: {e}"));
    let scenario = parse(&name, &text);
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("story.db");
    let options = PlayOptions {
        db: Some(Address::parse(db.to_str().expect("a path"))),
        ..PlayOptions::default()
    };
    block_on(async {
        simulate(&scenario, &options).await.unwrap_or_else(|e| panic!("{name}: {e}"));
        excess(&name, &read_outcome(&db).await, &engines::library(&Sources::builtin()))
    })
}

#[test]
fn no_scenario_sends_more_than_was_proved_of_its_methods() {
    let files = scenario_files();
    assert!(files.len() > 50, "{} scenarios", files.len());
    check_in_parallel(&files, |file| excess_over_proof(file));
}
