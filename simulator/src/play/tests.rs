use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use abide_engine::ledger::{EventKind, KindName};
use abide_verbs::event::AnyEventKind;

use super::*;
use crate::parallel::run_in_parallel;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// Returns the files of all shipped scenarios, in order of name.
fn paths() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn scenario(path: &Path) -> Scenario {
    let text = std::fs::read_to_string(path).expect("a text");
    let (scenario, found) = crate::scenario::read(&path.display().to_string(), &text);
    scenario.unwrap_or_else(|| panic!("{}: {found:#?}", path.display()))
}

fn play(scenario: &Scenario, options: &PlayOptions<'_>) -> SimulationReport {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let played = runtime.expect("a runtime").block_on(simulate(scenario, options));
    played.unwrap_or_else(|problem| panic!("{}: {problem}: {:?}", scenario.name, problem.detail))
}

fn told(report: &SimulationReport) -> String {
    let mut told = String::new();
    for line in &report.story {
        let _ = writeln!(told, "{line}");
    }
    for unmet in &report.unmet {
        let UnmetExpectation { line, expected, found, code, .. } = unmet;
        let _ = writeln!(told, "  line {line}: {code}: expected {expected}, found {found}");
    }
    for breach in &report.audit {
        let _ = writeln!(told, "  audit: {breach}");
    }
    told
}

/// Number of simulations that run in parallel. Each simulation uses one processor at a time.
const ABREAST: usize = 2;

#[test]
fn every_shipped_scenario_comes_true() {
    let library = compile_library(&PlayOptions::default());
    let options = PlayOptions { library: Some(&library), ..PlayOptions::default() };
    let played = run_in_parallel(&paths(), ABREAST, &|_| {}, |path| async {
        let scenario = scenario(path);
        let report = simulate(&scenario, &options).await?;
        let came_true = report.met() && report.audit.is_empty();
        Ok((!came_true).then(|| format!("{}\n{}", scenario.name, told(&report))))
    });
    let failed: Vec<String> = played.expect("every scenario plays").into_iter().flatten().collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let scenario = scenario(&folder().join("demo.yaml"));
    let once = play(&scenario, &PlayOptions::default());
    let twice = play(&scenario, &PlayOptions::default());
    assert_eq!(told(&once), told(&twice));
    assert_eq!(once.totals, twice.totals);
}

/// Returns the kinds of rows in each commit of a simulation,
/// in order, and the state that the simulation left.
fn rested(scenario: &Scenario, order: TurnOrder) -> (Vec<String>, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let options = PlayOptions { order, ..PlayOptions::default() };
    let rested = runtime
        .expect("a runtime")
        .block_on(play_to_end_state(scenario, &options))
        .expect("played");
    (rested.commits.iter().map(ToString::to_string).collect(), rested.state.lines())
}

#[test]
fn a_seed_decides_in_which_order_the_parts_go_on_and_any_order_leaves_the_same() {
    let scenario = scenario(&folder().join("plain-fill.yaml"));
    let (commits, left) = rested(&scenario, TurnOrder::Fixed);
    let drawn: Vec<_> = (1..=4).map(|seed| rested(&scenario, TurnOrder::Drawn(seed))).collect();
    assert_eq!(drawn[0], rested(&scenario, TurnOrder::Drawn(1)));
    assert!(drawn.iter().any(|(other, _)| *other != commits), "{commits:?}");
    for (_, other) in &drawn {
        assert_eq!(
            crate::torture::difference::difference(scenario.start, &left, other),
            [] as [String; 0]
        );
    }
}

/// Plays a scenario with the people of the demo church.
/// `rest` is the end of the scenario's source, from the key `steps`.
fn play_text(rest: &str) -> SimulationReport {
    let text = format!(
        "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: {{ demo: church }}\n{rest}"
    );
    let (scenario, found) = crate::scenario::read("s.yaml", &text);
    play(&scenario.unwrap_or_else(|| panic!("{found:#?}")), &PlayOptions::default())
}

/// Checks that the story names the last person of a directory with more people than one query returns.
#[test]
fn whoever_comes_last_in_the_directory_is_known_too() {
    let text = r#"
scenario: s
start: 2025-09-30T10:00:00-05:00
people: { demo: church, many: { count: 501, roles: [greeter] } }
steps:
  - start:
      method: fill_roles
      goal: { kind: FillRole, role: greeter, count: 1, time: "2025-10-05T09:00:00-05:00" }
  - { at: +1h, reply: { from: Guest501, body: "yes" } }
expect:
  - { holds: { person: Guest501, role: greeter } }
"#;
    let (scenario, found) = crate::scenario::read("s.yaml", text);
    let report = play(&scenario.unwrap_or_else(|| panic!("{found:#?}")), &PlayOptions::default());
    assert!(report.met(), "{}", told(&report));
    let told = told(&report);
    assert!(told.contains("Guest501 takes greeter place 1"), "{told}");
}

/// Plays a run that fills a request, with simulated people who answer by the crowd model `model`.
fn with_crowd(model: &str, seed: u64) -> SimulationReport {
    let text = "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: { demo: church }\nsteps:\n  - { at: +0s, start: { \
                method: fill_roles, goal: { kind: FillRole, role: nursery, count: 5, time: \
                \"2025-10-05T09:00:00-05:00\" } } }\n  - advance: 7days\n";
    let (scenario, found) = crate::scenario::read("s.yaml", text);
    let scenario = scenario.unwrap_or_else(|| panic!("{found:#?}"));
    let crowd = crate::crowd::CrowdModel::shipped(model);
    assert!(crowd.is_some(), "{model}");
    play(&scenario, &PlayOptions { seed: Some(seed), crowd, ..PlayOptions::default() })
}

#[test]
fn people_who_answer_by_chance_answer_the_same_with_the_same_seed() {
    let once = with_crowd("typical", 5);
    assert_eq!(told(&once), told(&with_crowd("typical", 5)));
    assert!(once.met() && once.audit.is_empty(), "{}", told(&once));
    assert!(once.measure.writers > 0 && once.measure.people_texted >= 12, "{:?}", once.measure);
    assert_ne!(told(&once), told(&with_crowd("typical", 6)));
}

#[test]
fn the_eager_fill_the_places_and_the_silent_do_not() {
    let eager = with_crowd("eager", 1);
    assert_eq!(eager.measure.outcome.as_deref(), Some("succeeded"), "{}", told(&eager));
    assert!(eager.measure.steps.contains("invite") && !eager.measure.steps.contains("last_call"));
    let silent = with_crowd("silent", 1);
    assert_eq!(silent.measure.outcome.as_deref(), Some("fell_short"));
    assert_eq!((silent.measure.writers, silent.measure.accepted_at.len()), (0, 0));
    assert!(silent.measure.steps.contains("last_call"));
}

fn unmet(report: &SimulationReport) -> Vec<String> {
    let told = |unmet: &UnmetExpectation| {
        let UnmetExpectation { line, code, expected, found, .. } = unmet;
        format!("{line} {code}: {expected} / {found}")
    };
    report.unmet.iter().map(told).collect()
}

#[test]
fn everything_that_is_not_met_is_listed_in_its_place() {
    let report = play_text(
        "steps:
  - { at: +1h, approve: { by: staff } }
  - { at: +1h, status: { to: A, template: invite, state: delivered } }
  - { at: +1h, cancel: {} }
  - { at: +1h, start: { method: no_such_method, goal: {} } }
  - { at: +1h, publish: { yaml: 'method: broken' } }
  - { at: +1h, crash: { at: after_send, nth: 99 } }
expect:
  - { at: +30m, messages: { to: A, times: 1 } }
  - outcome: succeeded
  - counts: { nursery: { accepted: 5 } }
",
    );
    insta::assert_debug_snapshot!(unmet(&report), @r#"
    [
        "12 unmet: 1 messages to A / 0",
        "5 unknown_approval: `approve` to be accepted / nothing is to be decided at this time",
        "6 unknown_message: `status` to be accepted / no `invite` was sent to this number",
        "7 unmet: a run for `cancel` / no run was started",
        "8 unknown_method: `start` to be accepted / there is no method `no_such_method`",
        "9 missing-key: the method to compile / line 1, column 1: the method has no steps",
        "13 unmet: the outcome to be succeeded / no run",
        "14 unmet: nursery accepted 5 / nursery accepted 0",
        "1 unmet: every crash to happen / 1 did not: no matching commit or send followed",
    ]
    "#);
}

#[test]
fn scenarios_name_the_people_of_the_demo_church() {
    let names =
        ["Ana", "Ben", "Carla", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivan", "Joy", "Kim", "Lee"];
    let expectations: String = names
        .iter()
        .zip('A'..='L')
        .map(|(name, letter)| {
            format!("  - messages: {{ to: {letter}, contains: \"Hi {name},\", times: 1 }}\n")
        })
        .collect();
    let report = play_text(&format!(
        "steps:\n  - text: {{ from: staff, body: \"Fill 5 nursery spots for the 9am service\" \
         }}\nexpect:\n  - messages: {{ to: staff, contains: \"Hi Pat,\", times: 1 }}\n{expectations}"
    ));
    assert!(report.met(), "{:#?}", unmet(&report));
}

#[test]
fn a_step_finds_a_process_at_the_instant_at_which_another_died() {
    for side in ["before_commit", "after_commit"] {
        let report = play_text(&format!(
            "steps:
  - publish: {{ yaml: \"method: ring\\nsteps:\\n  - await: {{ signal: bell, timeout: 5h, out: rung }}\\nsuccess_when: rung != null\\n\" }}
  - start: {{ method: ring, goal: {{}} }}
  - {{ at: +30m, crash: {{ at: {side} }} }}
  - {{ at: +1h, signal: {{ name: bell, data: 1 }} }}
expect:
  - {{ at: +1h, outcome: succeeded }}
"
        ));
        assert!(report.met(), "{side}: {}", told(&report));
        assert_eq!(report.totals.crashes, 1);
    }
}

#[test]
fn a_wait_that_outlives_every_process_ends_at_its_instant() {
    let report = play_text(
        "steps:
  - text: { from: staff, body: \"Fill 5 nursery spots for the 9am service\" }
  - { at: +1h, crash: { at: now, down: 3h } }
  - { at: +5h30m, crash: { at: now, down: 1h } }
  - advance: 3h
expect:
  - { at: +6h29m59s, messages: { template: last_call, times: 0 } }
  - { at: +6h30m, messages: { template: last_call, times: 12 } }
  - audit: clean
",
    );
    assert!(report.met(), "{}", told(&report));
    assert_eq!(report.totals.crashes, 2);
}

/// Returns the members that the documentation lists for an event of this kind;
/// `None` if the documentation only refers to the members of a receipt or of an order.
fn documented_members(name: &KindName) -> Option<Vec<&'static str>> {
    let about = match AnyEventKind::of(name) {
        AnyEventKind::Engine(kind) => {
            let of_a_run = kind.as_str().replacen("branch.", "run.", 1);
            EventKind::parse(&of_a_run)?.about()
        }
        AnyEventKind::Church(kind) => kind.about(),
        AnyEventKind::Unknown => return Some(Vec::new()),
    };
    let (_, members) = about.split_once("embers").expect("the members are documented");
    let of_another = members.contains("the members of");
    (!of_another).then(|| members.split('`').skip(1).step_by(2).collect())
}

#[test]
fn every_member_of_an_event_is_documented() {
    let library = compile_library(&PlayOptions::default());
    let options = PlayOptions { library: Some(&library), ..PlayOptions::default() };
    let played = run_in_parallel(&paths(), ABREAST, &|_| {}, |path| async {
        let evidence = evidence::collect_evidence(&scenario(path), &options).await?;
        let events = evidence.tenants.into_iter().flat_map(|tenant| tenant.events);
        let mut missing = BTreeSet::new();
        for event in events {
            let Some(documented) = documented_members(&event.kind) else { continue };
            let members = event.body.as_object().into_iter().flat_map(|body| body.keys());
            let unknown = members.filter(|member| !documented.contains(&member.as_str()));
            missing.extend(unknown.map(|member| format!("`{member}` of `{}`", event.kind)));
        }
        Ok(missing)
    });
    let missing: BTreeSet<String> =
        played.expect("every scenario plays").into_iter().flatten().collect();
    assert!(missing.is_empty(), "not documented: {missing:?}");
}
