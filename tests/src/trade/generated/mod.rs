//! Tests that are generated from the contract of every tool that belongs to a domain, so that a new tool
//! has them without a line of test code. A tool that needs its rows in a certain state has a line in
//! `fixture.rs`; a pattern that no known text fits needs one in `input.rs`.

mod fixture;
mod input;
mod report;
mod wrong;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{CallId, Value};
use abide_engine::contract::{Contract, Contracts, Effect, Idempotency, Risk};
use abide_engine::facade::ToolCall;
use abide_engine::library::Sources;
use abide_engine::run::{ApprovalDecision, DENIED};
use abide_engine::store::{CommitPoint, FaultAction};

use crate::campaign::church::{Church, Setup, on_both};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;
use crate::tools::{call_of, finished, receipt};
use fixture::Fixture;
use input::{EXTENTS, Extent, Given};
use report::{Counts, Report, counts, fits, grown, same};

/// The least number of tools; fewer mean that the tests do not find them.
const TOOLS_MIN: usize = 99;

/// Returns the contracts of the program.
fn contracts() -> Contracts {
    let (contracts, findings) = Sources::builtin().contracts();
    assert!(findings.is_empty(), "{findings:#?}");
    assert!(tools(&contracts).count() >= TOOLS_MIN, "{} tools", tools(&contracts).count());
    contracts
}

/// Returns the tools that belong to a domain.
fn tools(contracts: &Contracts) -> impl Iterator<Item = &Contract> {
    contracts.iter().filter(|contract| contract.domain().is_some())
}

/// Returns a call to which a person has consented.
fn consented(tool: &Contract, input: Value) -> ToolCall {
    ToolCall { consented: true, ..call_of(&tool.name, input) }
}

on_both!(each_tool_answers_a_valid_input_as_its_contract_says, async |church: Church| {
    let contracts = contracts();
    let fixture = Fixture::new(&church, &contracts);
    let mut report = Report::default();
    for tool in tools(&contracts) {
        for extent in EXTENTS {
            let checked = valid(&church, &fixture, tool, extent).await;
            report.add(tool, &format!("{extent:?}"), checked);
        }
    }
    report.assert_complete(tools(&contracts).count());
    church.assert_consistent().await;
});

async fn valid(
    church: &Church,
    fixture: &Fixture<'_>,
    tool: &Contract,
    extent: Extent,
) -> Result<(), String> {
    let input = fixture.input(tool, extent).await?;
    let before = counts(church).await;
    let receipt = receipt(church, consented(tool, input)).await;
    let grown = grown(&before, &counts(church).await);
    fits(tool, &receipt)?;
    same("new receipts", &grown.receipts, &1)?;
    let run = receipt["run_id"].as_str().and_then(|id| id.parse().ok()).ok_or("no run")?;
    same("the receipts of the run", &church.receipts(run).await, &vec![receipt])?;
    if tool.effect == Effect::Read || !tool.is_implemented() {
        same("rows written", &grown.rows, &BTreeMap::new())?;
    }
    Ok(())
}

on_both!(each_wrong_input_is_refused_by_the_name_of_its_member, async |church: Church| {
    let contracts = contracts();
    let mut report = Report::default();
    for tool in tools(&contracts) {
        let before = counts(&church).await;
        match input_without_rows(tool) {
            Err(what) => report.add(tool, "a valid input", Err(what)),
            Ok(valid) => {
                for wrong in wrong::inputs(tool, &valid) {
                    let what = format!("`{}` {}", wrong.member, wrong.what);
                    let refused = refused(&church, tool, &wrong).await;
                    report.add(tool, &what, refused);
                }
            }
        }
        let unchanged = same("the counts", &counts(&church).await, &before);
        report.add(tool, "nothing written", unchanged);
    }
    report.assert_complete(tools(&contracts).count());
});

/// Returns an input with all members, whose rows do not exist.
fn input_without_rows(tool: &Contract) -> Result<Value, String> {
    let members = input::members(tool, Extent::All);
    let rows = members.iter().filter_map(|member| input::row_of(tool, member));
    let rows: BTreeMap<String, Value> = rows.map(|row| (row, "nothing".into())).collect();
    input::input(tool, Extent::All, &Given { rows: &rows, number: 0 })
}

async fn refused(
    church: &Church,
    tool: &Contract,
    wrong: &wrong::WrongInput,
) -> Result<(), String> {
    let call = consented(tool, wrong.input.clone());
    match church.engine().call_tool("default", call).await {
        Ok(_) => Err("the call is made".to_owned()),
        Err(problem) if problem.code != "args_invalid" => Err(format!("{problem:?}")),
        Err(problem) if !problem.message.contains(&wrong.member) => {
            Err(format!("the message does not name the member: {}", problem.message))
        }
        Err(_) => Ok(()),
    }
}

on_both!(a_second_call_does_what_the_idempotency_of_the_tool_says, async |church: Church| {
    let contracts = contracts();
    let fixture = Fixture::new(&church, &contracts);
    let mut report = Report::default();
    for tool in tools(&contracts) {
        let checked = twice(&church, &fixture, tool).await;
        report.add(tool, tool.idempotency.as_str(), checked);
    }
    report.assert_complete(tools(&contracts).count());
    church.assert_consistent().await;
});

async fn twice(church: &Church, fixture: &Fixture<'_>, tool: &Contract) -> Result<(), String> {
    let input = fixture.input(tool, Extent::All).await?;
    let key = match tool.idempotency {
        Idempotency::Keyed => None,
        _ => Some(format!("the key of {}", tool.name)),
    };
    let call = || ToolCall { key: key.clone(), ..consented(tool, input.clone()) };
    let before = counts(church).await;
    let first = receipt(church, call()).await;
    let between = counts(church).await;
    let second = receipt(church, call()).await;
    let after = counts(church).await;
    fits(tool, &first)?;
    fits(tool, &second)?;
    let (once, again) = (grown(&before, &between), grown(&between, &after));
    match tool.idempotency {
        Idempotency::SafeRetry => {
            same("the receipt of the second call", &second, &first)?;
            same("what the second call adds", &again, &Counts::default())
        }
        Idempotency::None => {
            same("what the second call adds", &again, &once)?;
            differ(tool, &first, &second)
        }
        Idempotency::Keyed => {
            same("the result of the second call", &second["result"], &first["result"])?;
            same("the rows of the second call", &again.rows, &BTreeMap::new())?;
            same("the receipts of the second call", &again.receipts, &1)?;
            let hit = !second["effects"]["idempotency_hit"].is_null();
            same("the second call hits the key", &hit, &tool.is_implemented())
        }
    }
}

/// Checks that two calls of a tool without idempotency have both acted.
fn differ(tool: &Contract, first: &Value, second: &Value) -> Result<(), String> {
    same("both receipts are one", &(first["id"] == second["id"]), &false)?;
    if tool.is_implemented() {
        same("both results are one", &(first["result"] == second["result"]), &false)?;
    }
    Ok(())
}

/// The highest number of the commit, counted from the call on, that is lost.
const COMMITS: u32 = 3;

#[tokio::test]
async fn a_writing_call_whose_commit_is_lost_has_one_receipt_and_acts_once() {
    for database in databases() {
        let loss = Arc::new(FaultAtCommit::new(FaultAction::Lose));
        let setup = Setup { faults: loss.clone(), ..Setup::default() };
        let church = Church::with(database, setup).await;
        let contracts = contracts();
        let writing = || tools(&contracts).filter(|tool| tool.effect != Effect::Read);
        let fixture = Fixture::new(&church, &contracts);
        let mut report = Report::default();
        for tool in writing() {
            let once = acts(&church, &fixture, tool, None).await;
            for side in [CommitPoint::Before, CommitPoint::After] {
                for nth in 1..=COMMITS {
                    let lost = Lost { loss: &loss, side, nth };
                    let acted = acts(&church, &fixture, tool, Some(lost)).await;
                    let checked =
                        acted.and_then(|acted| same("what it adds", &acted, once.as_ref()?));
                    let kind = church.database();
                    report.add(tool, &format!("{kind}, commit {nth}, {side:?}"), checked);
                }
            }
        }
        report.assert_complete(writing().count());
        church.assert_consistent().await;
    }
}

/// A commit whose answer is lost.
#[derive(Clone, Copy)]
struct Lost<'a> {
    loss: &'a FaultAtCommit,
    side: CommitPoint,
    nth: u32,
}

/// Makes a call, asks for it again if the answer is lost, and returns what the call adds.
async fn acts(
    church: &Church,
    fixture: &Fixture<'_>,
    tool: &Contract,
    lost: Option<Lost<'_>>,
) -> Result<Counts, String> {
    let input = fixture.input(tool, Extent::Required).await?;
    let before = counts(church).await;
    let request = format!("request {} {}", before.runs, tool.name);
    let call = || ToolCall { request_key: Some(request.clone()), ..consented(tool, input.clone()) };
    if let Some(Lost { loss, side, nth }) = lost {
        loss.arm(side, nth);
    }
    let id = match church.engine().call_tool("default", call()).await {
        Ok(id) => id,
        Err(_) => church.engine().call_tool("default", call()).await.map_err(|it| it.message)?,
    };
    if let Some(Lost { loss, .. }) = lost {
        recover(church, id).await;
        loss.disarm();
    }
    fits(tool, &finished(church, id).await)?;
    let grown = grown(&before, &counts(church).await);
    same("new receipts", &grown.receipts, &1)?;
    Ok(grown)
}

/// Does what is due until a call is finished. The lost commit can be one of these ticks; the next tick then
/// does the work.
async fn recover(church: &Church, id: CallId) {
    for _ in 0..3 {
        let call = church.engine().wait_for_call("default", id, Duration::ZERO).await;
        if call.is_ok_and(|call| call.receipt.is_some()) {
            return;
        }
        church.move_clock("1m"); // longer than the time after which an outside call is in doubt
        let _ = church.engine().tick().await;
    }
}

on_both!(without_consent_a_risky_tool_does_nothing, async |church: Church| {
    let contracts = contracts();
    let risky = || tools(&contracts).filter(|tool| tool.risk >= Risk::T2);
    let fixture = Fixture::new(&church, &contracts);
    let mut report = Report::default();
    for tool in risky() {
        let checked = unapproved(&church, &fixture, tool).await;
        report.add(tool, "without consent", checked);
    }
    report.assert_complete(risky().count());
    church.assert_consistent().await;
});

async fn unapproved(church: &Church, fixture: &Fixture<'_>, tool: &Contract) -> Result<(), String> {
    let input = fixture.input(tool, Extent::All).await?;
    let before = counts(church).await;
    let engine = church.engine();
    let call = engine.call_tool("default", call_of(&tool.name, input)).await;
    let call = call.map_err(|problem| problem.to_string())?;
    if tool.is_implemented() {
        let asked = church.pending().await;
        same("rows written", &grown(&before, &counts(church).await).rows, &BTreeMap::new())?;
        church.decide(asked.id, ApprovalDecision::Deny).await?;
    }
    let receipt = finished(church, call).await;
    let grown = grown(&before, &counts(church).await);
    same("rows written", &grown.rows, &BTreeMap::new())?;
    same("new receipts", &grown.receipts, &1)?;
    if !tool.is_implemented() {
        return fits(tool, &receipt);
    }
    same("status", &receipt["status"], &"failed".into())?;
    same("code", &receipt["error"]["code"], &DENIED.into())?;
    same("writes", &receipt["effects"]["db_writes"], &Vec::<Value>::new().into())
}
