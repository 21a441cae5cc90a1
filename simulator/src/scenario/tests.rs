use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use abide_engine::diagnostic::Severity;

use super::*;

fn findings(text: &str) -> String {
    let (_, found) = read("s.yaml", text);
    found.iter().fold(String::new(), |mut all, finding| {
        let severity = if finding.severity == Severity::Error { "" } else { "warning " };
        let hint = finding.hint.as_deref().map_or_else(String::new, |hint| format!(" | {hint}"));
        let place = format!("{}:{}-{}", finding.line, finding.col, finding.end_col);
        let _ = writeln!(all, "{place} {severity}{}: {}{hint}", finding.code, finding.message);
        all
    })
}

fn sound(text: &str) -> Scenario {
    let (scenario, found) = read("s.yaml", text);
    assert!(found.is_empty(), "{found:#?}");
    scenario.expect("a scenario")
}

const HEAD: &str = "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: { demo: church }\n";

/// Returns the findings for a scenario whose only scenario step is `step`.
/// The step is in the sixth line of the file.
fn step_findings(step: &str) -> String {
    findings(&format!("{HEAD}expect: [audit: clean]\nsteps:\n  - {step}\n"))
}

fn step_of(step: &str) -> ScenarioStep {
    let scenario = sound(&format!("{HEAD}expect: [audit: clean]\nsteps:\n  - {step}\n"));
    scenario.steps.into_iter().next().expect("a step")
}

#[test]
fn every_shipped_scenario_reads_without_a_finding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let (scenario, found) = read(&stem, &text);
        assert!(found.is_empty(), "{stem}: {found:#?}");
        assert_eq!(scenario.expect("a scenario").name, stem, "the file is named like the scenario");
        names.push(stem);
    }
    assert!(names.len() > 15, "{names:?}");
}

#[test]
fn the_example_of_the_contract_reads_as_written() {
    let scenario = sound(
        r#"
scenario: nursery-short
start: 2025-09-30T14:20:00-05:00       # virtual now
seed: 7
people: { demo: church }               # or a list
steps:
  - at: +0s
    text: { from: staff, body: "Fill 5 nursery spots for the 9am service" }
  - at: +20m
    reply: { from: [A, B, C], body: "sure, happy to" }
  - at: +3h
    crash: { at: next_commit }         # the process dies, a new one starts
  - advance: 6h
expect:
  - counts: { nursery: { accepted: 5 } }
  - messages: { to: D, template: last_call, times: 1 }
  - outcome: succeeded
  - audit: clean
"#,
    );
    assert_eq!(scenario.zone, "America/Chicago");
    let moments: Vec<String> = scenario.steps.iter().map(|step| step.at.to_string()).collect();
    assert_eq!(moments, ["0s", "20m", "3h", "9h"]);
    let verbs: Vec<&str> = scenario.steps.iter().map(|step| step.action.kind().as_str()).collect();
    assert_eq!(verbs, ["text", "reply", "crash", "advance"]);
    assert_eq!(scenario.expect.len(), 4);
    assert_eq!(scenario.steps[1].place, SourcePosition { line: 10, col: 5, end_col: 10 });
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_in_its_place() {
    let found = findings(
        r#"scenario: wrong
start: yesterday
seed: -1
weather: fine
people: { demo: curch, too: [] }
config: { quiet_hours: sometimes }
steps:
  - at: +0s
    text: { form: staff, body: hello }
  - at: soon
    pause: {}
  - at: +1h
    reply: { from: [A], body: yes }
    crash: { at: noon }
  - crash: { at: nex_commit, nth: 0 }
  - {}
expect:
  - counts: { nursery: { acepted: 1 } }
  - messages: { to: A }
  - outcome: success
  - audit: dirty
  - stuck: maybe
"#,
    );
    insta::assert_snapshot!(found, @r"
    2:8-17 wrong-value: `yesterday` is not an instant | write it with its offset: `2025-09-30T14:20:00-05:00`
    3:7-9 wrong-type: expected a whole number of at least 0, found the number `-1`
    4:1-8 unknown-key: a scenario has no member `weather` | use one of `scenario`, `description`, `start`, `time_zone`, `seed`, `people`, `config`, `steps` and `expect`
    5:17-22 wrong-value: `curch` is not one of `church` and `trade` | did you mean `church`?
    5:24-27 unknown-key: `people` has no member `too` | use one of `demo`, `also` and `many`
    6:11-22 scenario-bad-setting: invalid quiet hours `sometimes`: write `21:00-08:00`, or `none`
    9:11-12 missing-key: `text` needs `from`
    9:13-17 unknown-key: `text` has no member `form` | did you mean `from`?
    10:9-13 wrong-value: `soon` is not a duration | write it as `+20m` or `1h 30m`
    14:5-10 unknown-key: `reply` and `crash` cannot be combined | split it in two: entries of the same instant are done in file order
    15:18-28 wrong-value: `nex_commit` is not one of `now`, `next_commit`, `before_commit`, `after_commit` and `after_send` | did you mean `next_commit`?
    15:35-36 wrong-value: there is no commit 0 | count from 1
    16:5-6 missing-key: nothing to do | give one of `text`, `reply`, `start`, `signal`, `cancel`, `approve`, `deny`, `roles`, `status`, `pause`, `resume`, `crash`, `clock`, `config`, `capacity`, `operator`, `ask`, `publish` and `advance`
    18:26-33 unknown-key: a count of people has no member `acepted` | did you mean `accepted`?
    19:15-16 missing-key: `messages` needs `times`
    20:14-21 wrong-value: `success` is not one of `succeeded`, `fell_short`, `failed`, `cancelled` and `open`
    21:12-17 wrong-value: `dirty` is not `clean`
    22:12-17 wrong-type: expected a whole number of at least 0, found a text
    ");
}

#[test]
fn names_are_checked_against_who_and_what_there_is() {
    let found = findings(
        r#"scenario: names
start: 2025-09-30T10:00:00-05:00
people: { demo: church, also: [ { name: Rosa Diaz, phone: "+15125550120" } ] }
steps:
  - { at: +1h, reply: { from: [A, Anna, Rosa, M, "+15125559999"], body: "yes" } }
  - { at: +30m, cancel: { run: fill } }
  - { at: +2h, start: { method: fill_roles, goal: {}, as: fill } }
  - { signal: { run: fil, name: go } }
expect:
  - { outcome: succeeded, run: fill }
  - { holds: { person: Ben, role: nursery }, run: other }
"#,
    );
    insta::assert_snapshot!(found, @r"
    5:35-39 scenario-unknown-person: there is no person `Anna` | did you mean `Ana`?
    5:47-48 scenario-unknown-person: there is no person `M` | use a name from `people`, `staff`, `A` to `L`, or a phone number
    6:5-6 warning scenario-out-of-order: this step is earlier than the one above it | move it up: steps run in order of time
    6:17-23 scenario-unknown-run: there is no run `fill` | name the run where it starts: `as: fill`
    8:7-13 scenario-unknown-run: there is no run `fil` | use a run that was named before: `fill`
    11:7-12 scenario-unknown-run: there is no run `other` | use a run that was named before: `fill`
    ");
}

#[test]
fn what_is_not_yaml_or_not_a_scenario_is_refused_in_place() {
    for (text, place) in [
        ("", "1:1-2 missing-key"),
        ("- a\n- b\n", "1:1-"),
        ("scenario: [\n", "yaml-syntax"),
        ("scenario: a\nscenario: b\n", "2:1-9 duplicate-key"),
        ("people:\n\tdemo: church\n", "yaml-tab"),
    ] {
        let found = findings(text);
        assert!(found.contains(place), "{text:?}: {found}");
    }
}

#[test]
fn a_step_without_a_time_happens_at_the_instant_of_the_one_above() {
    let scenario = sound(&format!(
        "{HEAD}expect: [audit: clean]\nsteps:\n  - {{ at: +1h, pause: {{}} }}\n  - resume: {{}}\n  \
         - advance: 90m\n  - pause: {{}}\n  - {{ at: 2025-09-30T14:00:00-05:00, resume: {{}} }}\n  \
         - advance: 2025-10-01T10:00:00-05:00\n"
    ));
    let moments: Vec<String> = scenario.steps.iter().map(|step| step.at.to_string()).collect();
    assert_eq!(moments, ["1h", "1h", "2h 30m", "2h 30m", "4h", "1day"]);
}

#[test]
fn a_step_out_of_order_is_done_in_its_time_and_noted() {
    let text = format!(
        "{HEAD}expect: [audit: clean]\nsteps:\n  - {{ at: +2h, pause: {{}} }}\n  - {{ at: +1h, \
         resume: {{}} }}\n"
    );
    let (scenario, found) = read("s.yaml", &text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].severity), (code::OUT_OF_ORDER, Severity::Warning));
    let steps = scenario.expect("a warning does not suppress the scenario").steps;
    assert_eq!(steps[0].action.kind().as_str(), "resume");
}

#[test]
fn every_step_of_the_grammar_is_understood() {
    let steps = [
        ("text: { from: staff, body: hi, id: SM1, received_at: +0s, as: fill }", "text"),
        ("reply: { from: A, body: no }", "reply"),
        ("start: { method: m, goal: { kind: X }, vars: { a: 1 }, dry_run: true, as: r }", "start"),
        ("signal: { name: go, data: { n: 1 }, key: k }", "signal"),
        ("cancel:", "cancel"),
        ("approve: { by: staff }", "approve"),
        ("deny: { by: Pat }", "deny"),
        ("roles: { of: Ruth, are: [nursery, greeters] }", "roles"),
        ("roles: { of: Ruth, are: [] }", "roles"),
        ("status: { to: A, template: invite, code: 30006 }", "status"),
        ("status: { to: A, template: invite, state: delivered }", "status"),
        ("pause: {}", "pause"),
        ("resume:", "resume"),
        ("crash: { at: before_commit, nth: 3, down: 5m }", "crash"),
        ("clock: { by: -40m }", "clock"),
        ("config: { quiet_hours: none, fan_out_per_minute: 5 }", "config"),
        ("capacity: { key: hall, total: 100 }", "capacity"),
        (
            "operator: { from: staff, message: hi, mode: plan, explicit_approval: true, context: { a: 1 }, \
             session: s, key: k, node: 2, as: r }",
            "operator",
        ),
        ("ask: { from: A, text: hi, session: s, key: k, node: 1 }", "ask"),
        ("publish: { file: ../v2.yaml }", "publish"),
        ("publish: { yaml: 'method: m' }", "publish"),
        ("advance: 6h", "advance"),
    ];
    for (step, verb) in steps {
        assert_eq!(step_of(step).action.kind().as_str(), verb, "{step}");
    }
    let understood: BTreeSet<&str> = steps.iter().map(|(_, verb)| *verb).collect();
    let all: BTreeSet<&str> = StepKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(understood, all);
    assert_eq!(
        step_of("clock: { by: -40m }").action,
        Action::Clock { by: abide_engine::base::Span::from_secs(-2400) }
    );
}

#[test]
fn steps_that_cannot_be_meant_are_refused() {
    for (step, expected) in [
        ("{ at: +1h }", "nothing to do"),
        ("reply: { from: [], body: x }", "`from` is an empty list"),
        ("reply: { from: [A, B], body: x, id: SM1 }", "several people cannot send one message"),
        ("text: { from: [A, B], body: x }", "expected a text, found a list"),
        ("text: { from: A, body: x, received_at: +1s }", "delivered before it is received"),
        ("ask: { from: A, text: x, node: 0 }", "there is no node 0"),
        ("operator: { from: A, message: x, mode: run }", "is not one of"),
        ("capacity: { key: hall }", "`capacity` needs `total`"),
        ("crash: { at: now, nth: 0 }", "there is no commit 0"),
        ("crash: { at: now, down: -5m }", "this duration is negative"),
        ("publish: { file: a, yaml: b }", "cannot be combined"),
        ("publish: {}", "nothing to publish"),
        ("status: { to: A, template: invite }", "needs `code` or `state`"),
        ("{ at: 2025-09-30T09:59:59-05:00, pause: {} }", "this time is before `start`"),
        ("advance: -1h", "this duration is negative"),
        ("config: { quiet_hours: 9-8 }", "scenario-bad-setting"),
    ] {
        let found = step_findings(step);
        assert!(found.contains(expected), "{step}: {found}");
        assert_eq!(found.lines().count(), 1, "{step}: {found}");
    }
}

#[test]
fn many_people_have_names_and_numbers_of_their_own() {
    let with = |people: &str| {
        let head = "scenario: s\nstart: 2025-09-30T10:00:00-05:00\n";
        read("s.yaml", &format!("{head}people: {people}\nsteps: []\nexpect: [audit: clean]\n"))
    };
    let (scenario, found) = with("{ demo: church, many: { count: 3, roles: [member] } }");
    assert_eq!(found, []);
    let people = scenario.expect("a scenario").people.own;
    let told: Vec<_> = people.iter().map(|one| (one.name.as_str(), one.phone.as_str())).collect();
    assert_eq!(told.len(), 3);
    assert_eq!(told[2], ("Guest3", "+17132000003"));
    assert_eq!(people[2].record["roles"][0], "member");
    let (_, found) = with("{ many: { count: 10001 } }");
    assert_eq!(found[0].message, "`count` is more than 10000");
}

#[test]
fn every_code_has_its_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    for code in code::ALL {
        let page = std::fs::read_to_string(docs.join(format!("{code}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}\n")), "docs/errors/{code}.md");
    }
}

#[test]
fn the_page_of_the_grammar_has_a_row_for_each_step_and_expectation() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/scenarios.md");
    let page = std::fs::read_to_string(page).expect("the page can be read");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |word: &str| rows.iter().find(|row| row.contains(&format!("`{word}: "))).copied();
    for kind in StepKind::ALL.iter().copied() {
        let row = row(kind.as_str()).unwrap_or_else(|| panic!("no row of a step `{kind}`"));
        let is_unbuilt = kind.about().contains("Not built yet");
        assert_eq!(row.contains("not built yet"), is_unbuilt, "{row}");
    }
    for kind in ExpectationKind::ALL {
        assert!(row(kind.as_str()).is_some(), "no row of an expectation `{kind}`");
    }
    for point in CrashPoint::ALL {
        assert!(page.contains(&format!("| `{point}` |")), "no row of the point `{point}`");
    }
}
