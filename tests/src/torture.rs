//! Torture finds no difference in the shipped scenarios.
//! If a verb is faulty, torture reports the commit at which a crash shows the error of the verb.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use abide_engine::base::{Problem, Value};
use abide_engine::facade::EngineConfig;
use abide_engine::library::Sources;
use abide_engine::store::{CommitPoint, Tx};
use abide_engine::verb::{CallContext, Effects, Verb, VerbOutcome, WriteVerb};
use abide_simulator::play::PlayOptions;
use abide_simulator::scenario::Scenario;
use abide_simulator::torture::{CommitCrash, TortureOptions, TortureReport, Trial, torture};
use async_trait::async_trait;
use serde_json::json;

use crate::simulations::parse;
use crate::support::block_on;

/// Number of plays that run in parallel.
const PARALLEL: usize = 2;
/// Number of times that each scenario is played with random faults.
const SEEDS: u64 = 4;

fn shipped(name: &str) -> Scenario {
    let texts = abide_simulator::shipped::SCENARIOS.iter();
    let (file, text) = texts.copied().find(|(file, _)| *file == name).expect("it is shipped");
    parse(file, text)
}

fn run_torture(
    scenario: &Scenario,
    options: &PlayOptions<'_>,
    torture_options: TortureOptions<'_>,
) -> TortureReport {
    let torture_options = TortureOptions { threads: PARALLEL, ..torture_options };
    let done = block_on(torture(scenario, options, &torture_options));
    done.unwrap_or_else(|e| panic!("{}: {e}: {:?}", scenario.name, e.detail))
}

#[test]
fn shipped_scenarios_have_the_same_result_wherever_the_process_crashes() {
    for name in ["unknown-sender.yaml", "run-cancelled.yaml"] {
        let torture_options = TortureOptions { seeds: SEEDS, ..TortureOptions::default() };
        let report = run_torture(&shipped(name), &PlayOptions::default(), torture_options);
        assert_eq!(report.seeds, SEEDS, "{name}");
        assert!(report.commits > 5, "{name}: {} commits", report.commits);
        assert_eq!(report.points, report.commits * 2, "{name}");
        assert_eq!(report.failures, [], "{name}");
    }
}

const CONTRACT: &str = "
verbs:
  turnstile:
    version: 1
    summary: Lets somebody through, past every transaction.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 10s
    value: passed
    args: { type: object }
    result: { type: object, required: [passed], properties: { passed: { type: integer } } }
";

/// A faulty verb, which changes state outside the transaction of its step.
struct Turnstile(Arc<AtomicI64>);

#[async_trait]
impl WriteVerb for Turnstile {
    async fn run(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let passed = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        Ok(VerbOutcome::done(json!({ "passed": passed }), Effects::default()))
    }
}

#[test]
fn a_verb_that_acts_outside_of_its_transaction_is_found_at_its_commit() {
    let mut content = Sources::builtin();
    content.contracts.insert("turnstile.yaml".to_owned(), CONTRACT.to_owned());
    let method = "method: enter\nsteps:\n  - { id: pass, call: turnstile, out: passed }\n";
    content.methods.insert("enter.yaml".to_owned(), method.to_owned());
    // A turnstile stands for the outside world. So the turnstile of a play must outlive the processes that
    // the play starts.
    let turnstiles: Mutex<BTreeMap<Option<PathBuf>, Arc<AtomicI64>>> = Mutex::default();
    let alter = |config: &mut EngineConfig| {
        let mut turnstiles = turnstiles.lock().expect("not poisoned");
        let own = turnstiles.entry(config.address.file().map(Path::to_owned)).or_default();
        let verb = Verb::Write(Arc::new(Turnstile(Arc::clone(own))));
        config.verbs = config.verbs.clone().with("turnstile", verb);
    };
    let options =
        PlayOptions { sources: Some(content), alter: Some(&alter), ..PlayOptions::default() };
    let story = "scenario: turnstile\nstart: 2025-09-30T10:00:00-05:00\nsteps:\n  - start: { method: enter, goal: {} }\n";
    let story = parse("turnstile.yaml", story);

    let report = run_torture(&story, &options, TortureOptions::default());
    let [found] = &report.failures[..] else { panic!("{:#?}", report.failures) };
    assert_eq!(found.side, Some("before"));
    assert_eq!(found.kind.as_deref(), Some("step"));
    assert!(found.difference.contains(&"- receipt of enter 1, call 1: result.passed = 1".into()));
    assert!(found.difference.contains(&"+ receipt of enter 1, call 1: result.passed = 2".into()));

    let nth = found.point.expect("a commit");
    let again = |side| {
        let only = Some(Trial::Crash(CommitCrash { nth, side }));
        run_torture(&story, &options, TortureOptions { only, ..TortureOptions::default() }).failures
    };
    assert_eq!(again(CommitPoint::Before), report.failures);
    assert_eq!(again(CommitPoint::After), []);
}

/// A home in which two people must approve that an invoice becomes void, one after the other.
const CHAIN: &str = "
tools:
  invoice.void:
    approvers: [{ role: supervisor, n: 1 }, { role: staff, n: 1 }]
";

#[test]
fn a_chain_of_approvers_has_the_same_result_wherever_the_process_crashes() {
    let mut content = Sources::builtin();
    content.contracts.insert("home/chain.yaml".to_owned(), CHAIN.to_owned());
    let options = PlayOptions { sources: Some(content), ..PlayOptions::default() };
    let story = parse(
        "chain.yaml",
        r#"
scenario: chain
start: 2026-03-30T09:00:00+11:00
time_zone: Australia/Melbourne
people: { demo: trade }
steps:
  - publish:
      yaml: |
        method: void_invoice
        steps:
          - { call: invoice.create, args: { title: Call-out }, out: billed }
          - call: invoice.add_line_item
            args: { invoice_id: "{{billed.invoice_id}}", description: Call-out, quantity: 1, unit_price: "90.00" }
          - { call: invoice.finalize, args: { invoice_id: "{{billed.invoice_id}}" } }
          - { call: invoice.void, args: { invoice_id: "{{billed.invoice_id}}", reason: billed twice } }
  - { at: +0s, start: { method: void_invoice, goal: {} } }
  - { at: +1h, approve: { by: Mel } } # the invoice is closed
  - { at: +2h, approve: { by: Mel } }
  - { at: +2h30m, approve: { by: Pat } } # before the reminder of the third hour
  - advance: 1day
expect:
  - { at: +2h29m, receipts: { tool: invoice.void, times: 0 } }
  - { at: +2h29m, messages: { to: Pat, template: approval_request, times: 1 } }
  - { receipts: { tool: invoice.void, status: succeeded, times: 1 } }
  - outcome: succeeded
"#,
    );
    let report =
        run_torture(&story, &options, TortureOptions { seeds: SEEDS, ..TortureOptions::default() });
    assert_eq!(report.failures, []);
    assert!(report.commits > 10, "{} commits", report.commits);
}

#[test]
fn a_scenario_that_fails_by_itself_is_not_tortured() {
    let head = "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: { demo: church }\n";
    let report = |rest: &str| {
        run_torture(
            &parse("s.yaml", &format!("{head}{rest}")),
            &PlayOptions::default(),
            TortureOptions::default(),
        )
    };
    let undecided = report("steps:\n  - approve: { by: staff }\n");
    assert_eq!(undecided.points, 0);
    assert!(undecided.failures[0].difference[1].contains("nothing is to be decided"));
    let unmet = report("steps: []\nexpect:\n  - messages: { to: A, times: 1 }\n");
    assert_eq!(unmet.points, 0);
    assert_eq!(unmet.failures[0].difference, ["- line 6: 1 messages to A", "+ line 6: 0"]);
}
