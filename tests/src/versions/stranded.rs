//! If a program cannot continue a run, the run is reported and left to other programs.
//! The program still drives all runs that it can continue.

use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::facade::StrandedRuns;
use abide_engine::store::RunRef;
use abide_engine::verb::Verbs;
use abide_trade::DataTools;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};
use crate::campaign::probe::probed;

const LATER: &str = r#"
method: later
limits: { max_duration: 30days }
steps:
  - { id: hold, await: { signal: go, timeout: 6h } }
  - { id: say, call: echo, args: { value: 1 } }
"#;

/// Removes the verb `echo`, which the runs need, from a setup.
fn without_echo(setup: &mut Setup) {
    let all = std::mem::take(&mut setup.verbs);
    let others = all.names().filter(|name| *name != "echo");
    setup.verbs = others.fold(Verbs::new().with_data(Arc::new(DataTools)), |verbs, name| {
        let verb = all.get(name).cloned().expect("a verb");
        verbs.with(name, verb)
    });
    // The contract of the verb, up to the contract of the next verb, and the method that calls the verb.
    let contracts = setup.sources.contracts.get_mut("probes.yaml").expect("the contracts");
    let (begin, end) = (contracts.find("  echo:"), contracts.find("  slip:"));
    contracts.replace_range(begin.expect("echo")..end.expect("slip"), "");
    setup.sources.methods.remove("later.yaml");
}

on_both!(
    a_program_that_cannot_continue_runs_refuses_to_start_or_parks_them,
    with probed(&[("later", LATER)]),
    async |mut church: Church| {
        let run = church.start("later", json!({})).await.expect("started").id;
        let stays = church.fill(1).await.id;
        church.stop_process();
        let (verbs, sources) = (church.setup().verbs.clone(), church.setup().sources.clone());
        without_echo(church.setup());
        church.setup().stranded_runs = StrandedRuns::Refuse;
        let refused: Problem = church.open().await.err().expect("refused");
        assert_eq!(refused.code, "runs_stranded");
        assert!(refused.message.contains("step `say`, verb `echo`"), "{}", refused.message);
        assert!(refused.hint.is_some_and(|hint| hint.contains("--hold")));

        church.reopen_with(|setup| setup.stranded_runs = StrandedRuns::Hold).await;
        let view = church.run(run).await;
        assert_eq!(view.waiting_on.expect("a reason").kind.as_str(), "capable_node");
        assert!(view.stuck.expect("stuck").must_act.contains("version of abide"));
        church.engine().signal(RunRef { tenant: "default", run }, "go", &json!({}), None).await.expect("kept");
        assert_eq!(church.run(run).await.position.expect("a position").step_id, "hold");
        church.say("A", "yes").await;
        assert_eq!(church.run(stays).await.status.as_str(), "completed", "other runs continue");

        church.reopen_with(|setup| (setup.verbs, setup.sources) = (verbs, sources)).await;
        church.engine().tick().await.expect("driven");
        assert_eq!(church.run(run).await.status.as_str(), "completed");
        church.assert_consistent().await;
    }
);

/// A migration that only a newer program contains.
const NEXT: abide_engine::store::Migration = abide_engine::store::Migration {
    number: 1_000,
    name: "next",
    sqlite: "CREATE TABLE next (n INTEGER) STRICT",
    postgres: "CREATE TABLE next (n BIGINT)",
};

on_both!(an_older_program_on_a_newer_schema_takes_no_more_work, async |mut church: Church| {
    let run = church.fill(1).await.id;
    church.engine().check_schema().await.expect("looked");
    church.engine().ready().expect("ready");
    church.migrate_to(NEXT).await;
    church.engine().check_schema().await.expect("looked");
    let problem = church.engine().ready().expect_err("the schema is newer");
    assert_eq!(problem.code, "schema_newer");

    let events = "SELECT COUNT(*) FROM ledger";
    let before = church.number(events).await;
    church.move_clock("7h");
    assert_eq!(church.engine().tick().await.expect("ticks").done, 0);
    assert_eq!(church.number(events).await, before, "nothing was written");
    assert_eq!(church.run(run).await.status.as_str(), "waiting");

    church.setup().migrations.push(NEXT);
    church.crash().await;
    church.engine().ready().expect("the newer program is ready");
    assert_ne!(church.run(run).await.position.map(|at| at.step_id), Some("wait".to_owned()));
    church.assert_consistent().await;
});
