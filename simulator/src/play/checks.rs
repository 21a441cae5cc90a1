//! Checks the expectations of a scenario.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId, RunId, limits};
use abide_engine::facade::{Direction, MessageFilter, MessageView, RunView};
use abide_engine::store::{KeyRange, MessageState, RunFilter, Tx};
use abide_engine::transaction;
use abide_verbs::api::PageRequest;
use abide_verbs::api::people::{self, PeopleQuery, PersonView};
use abide_verbs::assignment::AssignmentState;
use abide_verbs::data;
use abide_verbs::request::RequestStatus;

use super::command::TENANT;
use super::condition::{Facts, Mismatch, PersonInRole, ReceiptFact, SentText, check_condition};
use super::observe::unless_crashed;
use super::{HEAD, Player};
use crate::scenario::{Condition, Expectation, RoleCounts};

impl Player<'_> {
    /// Checks one expectation. Records what was expected and what was found if the two differ.
    pub(super) async fn check(&mut self, expectation: &Expectation) -> Result<(), Problem> {
        self.totals.expectations += 1;
        let reader = self.start_reader().await?;
        let facts = self.facts(expectation).await;
        self.stop_reader(reader);
        let facts = facts?;
        if let Err(mismatch) = check_condition(&expectation.condition, &facts, &self.directory) {
            self.note_unmet(expectation.place, "unmet", mismatch);
        }
        Ok(())
    }

    /// Checks at the end of every scenario that the audit finds no broken invariant,
    /// and that the engine has a record of every message that the provider accepted.
    pub(super) async fn check_at_end(&mut self) -> Result<(), Problem> {
        if let Some(until) = self.process.down_until() {
            self.advance_to(until).await?;
        }
        let unknown = self.sent().iter().filter(|sent| sent.template == "unknown").count();
        if unknown > 0 {
            let expected = "every message at the provider to be in our records".to_owned();
            let found = format!("{unknown} are not");
            self.note_unmet(HEAD, "unmet", Mismatch { expected, found });
        }
        self.audit = self.breaches().await?;
        let asked = self
            .scenario
            .expect
            .iter()
            .any(|e| e.condition == Condition::AuditClean && e.at.is_none());
        if !asked && !self.audit.is_empty() {
            let found = self.audit.join("; ");
            let expected = "a clean audit".to_owned();
            self.note_unmet(HEAD, "unmet", Mismatch { expected, found });
        }
        Ok(())
    }

    async fn facts(&mut self, expectation: &Expectation) -> Result<Facts, Problem> {
        let mut facts = Facts::default();
        match &expectation.condition {
            Condition::Messages(_) => facts.sent = self.sent(),
            Condition::WouldSend(_) => facts.sent = self.would_send().await?,
            Condition::Answers(_) => facts.answers = self.answers().await?,
            Condition::Goals(_) => facts.goals = self.goals().await?,
            Condition::AuditClean => facts.breaches = self.breaches().await?,
            Condition::Stuck(_) => facts.stuck = self.stuck().await?,
            condition => {
                if let Some(run) = self.run_view(expectation.run.as_deref()).await? {
                    self.facts_of_run(condition, &run, &mut facts).await?;
                }
            }
        }
        Ok(facts)
    }

    async fn facts_of_run(
        &mut self,
        condition: &Condition,
        run: &RunView,
        facts: &mut Facts,
    ) -> Result<(), Problem> {
        match (condition, run.request_id) {
            (Condition::Outcome(_), _) => facts.outcome = Some(outcome(run)),
            (Condition::Receipts(_), _) => facts.receipts = self.receipts(run.id).await?,
            (Condition::Counts(_), Some(request)) => facts.counts = self.counts(request).await?,
            (Condition::RequestStatus(_), Some(request)) => {
                facts.request_status = self.request_status(request).await?;
            }
            (Condition::Holds { .. }, Some(request)) => {
                facts.assignments = self.assignments(request).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns what shadow runs would have sent, as far as one page of the newest messages shows it.
    async fn would_send(&mut self) -> Result<Vec<SentText>, Problem> {
        let direction = Some(Direction::Outbound);
        let filter = MessageFilter { direction, limit: limits::PAGE_MAX, ..Default::default() };
        let answer = self
            .ask_process(move |engine| async move { engine.messages(TENANT, &filter).await })
            .await;
        let found = unless_crashed(answer)?.map(|page| page.items).unwrap_or_default();
        let shadowed = found.into_iter().filter(|it| it.state == MessageState::Shadowed);
        let text = |message: MessageView| {
            let template = message.kind.unwrap_or_default();
            let template = template.split('~').next().unwrap_or_default().to_owned();
            SentText { to: message.to, template, body: message.body }
        };
        Ok(shadowed.map(text).collect())
    }

    /// Checks, while the process rests, that each run will be woken. A run that has missed a wake-up sleeps until its next
    /// timer, and then looks as if it had missed nothing.
    pub(super) async fn check_sleepers(&mut self) -> Result<(), Problem> {
        let task = transaction!(|tx| Ok(tx.broken_heads(KeyRange::ALL).await?));
        let answer = self.ask_process(move |engine| async move { engine.read(task).await }).await;
        let (found, now) = (unless_crashed(answer)?.unwrap_or_default(), self.now());
        let placed =
            found.into_iter().map(|(rule, run)| format!("at rest at {now}: {rule}: {run}"));
        self.broken.extend(placed);
        Ok(())
    }

    pub(super) async fn breaches(&mut self) -> Result<Vec<String>, Problem> {
        let answer = self.ask_process(|engine| async move { engine.audit().await }).await;
        let breaches = unless_crashed(answer)?.map(|report| report.breaches).unwrap_or_default();
        Ok(breaches.into_iter().map(|b| format!("{}: {}", b.rule, b.detail)).collect())
    }

    async fn stuck(&mut self) -> Result<Vec<String>, Problem> {
        let filter = RunFilter { stuck: true, ..RunFilter::default() };
        let answer =
            self.ask_process(move |engine| async move { engine.runs(TENANT, &filter).await }).await;
        let runs = unless_crashed(answer)?.map(|page| page.items).unwrap_or_default();
        Ok(runs.into_iter().map(|run| format!("{} {}", run.method, run.id)).collect())
    }

    async fn receipts(&mut self, run: RunId) -> Result<Vec<ReceiptFact>, Problem> {
        let answer =
            self.ask_process(move |engine| async move { engine.receipts(TENANT, run).await }).await;
        let receipts = unless_crashed(answer)?.unwrap_or_default();
        let word = |receipt: &abide_engine::base::Value, name: &str| {
            receipt.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned()
        };
        let fact = |r: &abide_engine::base::Value| ReceiptFact {
            tool: word(r, "tool"),
            status: word(r, "status"),
            idempotency_hit: r["effects"].get("idempotency_hit").is_some(),
        };
        Ok(receipts.iter().map(fact).collect())
    }

    async fn counts(&mut self, request: RequestId) -> Result<RoleCounts, Problem> {
        let read = transaction!(|tx| Ok(data::assignment::counts(tx, request).await?));
        let answer = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        let mut counts = RoleCounts::new();
        for ((role, state), n) in unless_crashed(answer)?.unwrap_or_default() {
            let n = u64::try_from(n).unwrap_or(0);
            counts.entry(role).or_default().insert(state, n);
        }
        Ok(counts)
    }

    async fn request_status(
        &mut self,
        request: RequestId,
    ) -> Result<Option<RequestStatus>, Problem> {
        let read = transaction!(|tx| Ok(data::request::by_id(tx, request).await?));
        let answer = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        Ok(unless_crashed(answer)?.flatten().map(|request| request.status))
    }

    /// Returns the assignment state of each person for each role of a request.
    /// Phone numbers identify the people.
    async fn assignments(
        &mut self,
        request: RequestId,
    ) -> Result<BTreeMap<PersonInRole, AssignmentState>, Problem> {
        let read = transaction!(|tx| {
            let people = list_people(tx, TENANT).await?.into_iter();
            let phones: BTreeMap<_, _> = people.map(|one| (one.id, one.phone)).collect();
            let places = data::audit::assignments_of(tx, request).await?.into_iter();
            let told = places.filter_map(|((person, role), place)| {
                let phone = phones.get(&person)?.clone();
                Some((PersonInRole { phone, role }, place.state))
            });
            Ok(told.collect())
        });
        let answer = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        Ok(unless_crashed(answer)?.unwrap_or_default())
    }

    /// Finds the run to which a scenario step gave the name `name`, with the key `as`.
    /// Without a name, finds the run that was started last.
    pub(super) async fn find_run(
        &mut self,
        tenant: &str,
        name: Option<&str>,
    ) -> Result<Option<RunId>, Problem> {
        if let Some(name) = name {
            return Ok(self.runs.get(name).copied());
        }
        let filter = RunFilter { limit: 1, ..RunFilter::default() };
        let tenant = tenant.to_owned();
        let answer = self
            .ask_process(move |engine| async move { engine.runs(&tenant, &filter).await })
            .await;
        Ok(unless_crashed(answer)?.and_then(|page| page.items.first().map(|run| run.id)))
    }

    async fn run_view(&mut self, name: Option<&str>) -> Result<Option<RunView>, Problem> {
        let Some(run) = self.find_run(TENANT, name).await? else { return Ok(None) };
        let answer =
            self.ask_process(move |engine| async move { engine.run(TENANT, run).await }).await;
        unless_crashed(answer)
    }
}

/// Returns all people in the directory of a tenant.
pub(super) async fn list_people(tx: &mut Tx, tenant: &str) -> Result<Vec<PersonView>, Problem> {
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let page = PageRequest { cursor, limit: Some(limits::PAGE_MAX) };
        let page =
            people::list(tx, tenant, &PeopleQuery { page, ..PeopleQuery::default() }).await?;
        found.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(found);
        }
    }
}

/// Returns the word with which scenario files describe how a run ended: the run's
/// outcome, its status if it has no outcome, or `open` if the run has not ended.
fn outcome(run: &RunView) -> String {
    let how = match run.outcome {
        Some(outcome) => outcome.as_str(),
        None if run.is_live() => "open",
        None => run.status.as_str(),
    };
    how.to_owned()
}
