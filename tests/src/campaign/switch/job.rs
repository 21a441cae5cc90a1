//! Turning the kill switch on or off creates a job, which survives every crash.
//! If the switch is turned several times, only the last change counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use abide_engine::base::{Problem, RunId};
use abide_engine::driver::DriveMode;
use abide_engine::facade::TenantView;
use abide_engine::run::RunOutcome;
use abide_engine::store::{
    ColumnType, CommitPart, CommitParts, CommitPoint, FaultAction, FaultHooks, Rows, RunRef,
    StatementHooks, SwitchPhase, tx_closure,
};
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};
use crate::campaign::probe::probed;
use crate::postgres::databases;

const PATIENT: &str = "
method: patient
steps:
  - await: { signal: go, timeout: 1h }
  - call: echo
    args: { value: 1 }
";

/// Counts the commits that turn the kill switch.
/// Crashes the process before or after the n-th of these commits.
#[derive(Default)]
struct CrashAtSwitch {
    nth: AtomicU64,
    seen: AtomicU64,
    before: bool,
}

impl StatementHooks for CrashAtSwitch {}

impl FaultHooks for CrashAtSwitch {
    fn at_commit(&self, point: CommitPoint, parts: CommitParts) -> FaultAction {
        let side = if self.before { CommitPoint::Before } else { CommitPoint::After };
        if point != side || !parts.has(CommitPart::Switch) {
            return FaultAction::Go;
        }
        let seen = self.seen.fetch_add(1, Ordering::SeqCst) + 1;
        if seen == self.nth.load(Ordering::SeqCst) { FaultAction::Crash } else { FaultAction::Go }
    }
}

impl CrashAtSwitch {
    fn arm(&self, nth: u64) {
        self.seen.store(0, Ordering::SeqCst);
        self.nth.store(nth, Ordering::SeqCst);
    }

    fn seen(&self) -> u64 {
        self.seen.load(Ordering::SeqCst)
    }
}

async fn tenant(church: &Church) -> TenantView {
    church.engine().tenant("default").await.expect("a tenant")
}

/// Turns the kill switch on or off in a process that may crash.
/// After a crash, a new process finishes the job.
async fn turn_switch(church: &mut Church, on: bool) {
    let turned: Result<i64, Problem> = church.engine().set_tenant_paused("default", on).await;
    if let Err(problem) = turned {
        assert_eq!(problem.code, "crashed", "{problem}");
        church.crash().await;
        if tenant(church).await.paused != on {
            church.engine().set_tenant_paused("default", on).await.expect("turned");
        }
    }
    church.engine().tick().await.expect("settled");
    assert_eq!(church.number("SELECT COUNT(*) FROM tenant_job").await, 0, "no job is left");
}

const HELD: &str = "SELECT COUNT(*) FROM turn WHERE held = 1";
const FREE: &str = "SELECT COUNT(*) FROM turn WHERE held = 0";

#[tokio::test]
async fn turning_the_switch_is_completed_after_a_crash_at_any_commit() {
    for before in [true, false] {
        for nth in 1..=6 {
            for database in databases() {
                let case = format!("{database}: at commit {nth}, before: {before}");
                let faults = Arc::new(CrashAtSwitch { before, ..CrashAtSwitch::default() });
                let setup = Setup { faults: faults.clone(), ..Setup::default() };
                let mut church = Church::with(database, setup).await;
                let run = church.fill(5).await.id;
                faults.arm(if nth <= 2 { nth } else { 0 });
                turn_switch(&mut church, true).await;
                assert_eq!(church.number(FREE).await, 0, "{case}");
                let before_it = church.provider.sent().len();
                church.say("A", "yes").await;
                church.advance("7h").await;
                assert_eq!(church.provider.sent().len(), before_it, "{case}: nothing is sent");
                faults.arm(nth.saturating_sub(2));
                turn_switch(&mut church, false).await;
                assert_eq!(church.number(HELD).await, 0, "{case}");
                church.advance("1min").await;
                assert_eq!(church.sent(&Church::phone('A'), "confirmed").await, 1, "{case}");
                assert_eq!(church.sent(&Church::phone('B'), "last_call").await, 1, "{case}");
                church.say("BCDE", "yes").await;
                assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded), "{case}");
                church.assert_consistent().await;
            }
        }
    }
}

/// Builds a setup whose engine works only when the test calls `tick`.
fn undriven() -> Setup {
    Setup { drive_mode: DriveMode::Tasks(4), ..probed(&[("patient", PATIENT)]) }
}

on_both!(the_last_change_of_a_switch_counts, with undriven(), async |church: Church| {
    let run = church.start("patient", json!({})).await.expect("started").id;
    church.engine().tick().await.expect("settled");
    let turn_switch = async |on: bool| church.engine().set_tenant_paused("default", on).await.expect("turned");
    for on in [true, false, true] {
        turn_switch(on).await;
    }
    let left = tenant(&church).await;
    assert!(left.paused, "{left:?}");
    assert_eq!(left.switch.expect("a job").phase, SwitchPhase::Holding);
    church.advance("2h").await;
    assert_eq!(church.number(HELD).await, 1);
    assert_eq!(church.run(run).await.status.as_str(), "waiting", "no timer fires");
    for on in [false, true, false] {
        turn_switch(on).await;
    }
    let left = tenant(&church).await;
    assert!(!left.paused, "{left:?}: the operator's last change");
    assert_eq!(left.switch.expect("a job").phase, SwitchPhase::Permitting);
    church.engine().tick().await.expect("settled");
    assert_eq!(church.number(FREE).await, 0, "the run has ended");
    assert_eq!(church.run(run).await.status.as_str(), "completed");
    church.assert_consistent().await;
});

on_both!(no_run_continues_before_the_job_of_the_switch_holds_it, with undriven(), async |church: Church| {
    let run = church.start("patient", json!({})).await.expect("started").id;
    church.engine().tick().await.expect("settled");
    church.engine().set_tenant_paused("default", true).await.expect("turned");
    assert_eq!(church.number(HELD).await, 0, "the job has not begun");
    church.execute("DELETE FROM tenant_job").await;
    church.engine().signal(RunRef { tenant: "default", run }, "go", &json!(1), None).await.expect("sent");
    church.engine().tick().await.expect("settled");
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
});

/// Inserts the turns of waiting runs by SQL, without the runs. Turns are enough to count the job's commits.
async fn start_waiting_runs(church: &Church, count: usize) {
    let task = tx_closure(move |tx| {
        Box::pin(async move {
            let mut rows = Rows::new(&[("id", ColumnType::Id)]);
            for _ in 0..count {
                rows.push([tx.mint::<RunId>().into()]);
            }
            let sql = "INSERT INTO turn (run_id, tenant, held, epoch, wake, claims, due_at)
                SELECT v.id, 'default', 0, 1, 0, 0, 4000000000000000 FROM {rows}";
            Ok(tx.bulk(sql, &[], &rows).await.map(drop)?)
        })
    });
    church.engine().write(task).await.expect("made");
}

#[tokio::test]
async fn a_switch_costs_a_commit_for_each_thousand_runs() {
    for database in databases() {
        let faults = Arc::new(CrashAtSwitch::default());
        let setup = Setup { faults: faults.clone(), ..Setup::default() };
        let church = Church::with(database, setup).await;
        start_waiting_runs(&church, 2_500).await;
        for on in [true, false] {
            faults.arm(0);
            church.engine().set_tenant_paused("default", on).await.expect("turned");
            church.engine().tick().await.expect("settled");
            // One commit changes the switch.
            // Three more commits handle the runs, a batch of runs in each commit.
            // When the tenant is resumed, one more commit ends the phase `permitting`.
            assert_eq!(faults.seen(), if on { 4 } else { 5 });
            assert_eq!(church.number(if on { FREE } else { HELD }).await, 0);
        }
    }
}

on_both!(held_runs_are_counted_apart_and_runs_held_without_a_pause_are_stuck, with undriven(), async |church: Church| {
    let run = church.start("patient", json!({})).await.expect("started").id;
    church.engine().tick().await.expect("settled");
    let counts = async || {
        let seen = church.engine().overview("default", None).await.expect("seen");
        (seen.held, seen.stuck)
    };
    assert_eq!(counts().await, (0, 0));
    church.engine().set_tenant_paused("default", true).await.expect("turned");
    church.advance("3h").await;
    let view = church.run(run).await;
    assert!(view.held && view.stuck.is_none(), "{view:?}");
    assert_eq!(counts().await, (1, 0));
    church.assert_consistent().await;
    church.execute("UPDATE tenant SET paused = 0").await;
    let view = church.run(run).await;
    let stuck = view.stuck.expect("it is stuck");
    assert!(!view.held && stuck.must_act.contains("abide tenant resume default"), "{stuck:?}");
    assert_eq!(counts().await, (0, 1));
    let report = church.engine().audit().await.expect("audited");
    assert_eq!(report.breaches[0].rule, "held_without_pause");
    for on in [true, false] {
        church.engine().set_tenant_paused("default", on).await.expect("turned");
    }
    church.engine().tick().await.expect("settled");
    assert_eq!(church.run(run).await.status.as_str(), "completed", "the remedy frees the stuck run");
    church.assert_consistent().await;
});
