//! Checks expectations.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId, RunId, limits};
use abide_engine::facade::RunView;
use abide_engine::store::{RunFilter, Tx, work};
use abide_verbs::api::PageRequest;
use abide_verbs::api::people::{self, PeopleQuery, PersonView};
use abide_verbs::data;

use super::ask::TENANT;
use super::judge::{Facts, judge};
use super::observe::alive;
use super::{HEAD, Player};
use crate::scenario::{Claim, Expectation};

impl Player<'_> {
    /// Checks one expectation.
    pub(super) async fn look(&mut self, expectation: &Expectation) -> Result<(), Problem> {
        self.totals.expectations += 1;
        let lent = self.lend().await?;
        let facts = self.facts(expectation).await;
        self.give_back(lent);
        let facts = facts?;
        if let Err(contradiction) = judge(&expectation.claim, &facts, &self.cast) {
            self.note(expectation.place, "unmet", contradiction);
        }
        Ok(())
    }

    /// Makes the checks of every simulation: a clean audit, and a record of every message of the provider.
    pub(super) async fn last_look(&mut self) -> Result<(), Problem> {
        if let Some(until) = self.life.down_until() {
            self.reach(until).await?;
        }
        let unknown = self.sent().iter().filter(|sent| sent.template == "unknown").count();
        if unknown > 0 {
            let expected = "every message at the provider to be in our records".to_owned();
            self.note(HEAD, "unmet", (expected, format!("{unknown} are not")));
        }
        self.audit = self.breaches().await?;
        let asked =
            self.scenario.expect.iter().any(|e| e.claim == Claim::AuditClean && e.at.is_none());
        if !asked && !self.audit.is_empty() {
            let found = self.audit.join("; ");
            self.note(HEAD, "unmet", ("a clean audit".to_owned(), found));
        }
        Ok(())
    }

    async fn facts(&mut self, expectation: &Expectation) -> Result<Facts, Problem> {
        let mut facts = Facts::default();
        match &expectation.claim {
            Claim::Messages(_) => facts.sent = self.sent(),
            Claim::AuditClean => facts.breaches = self.breaches().await?,
            Claim::Stuck(_) => facts.stuck = self.stuck().await?,
            claim => {
                if let Some(run) = self.run_view(expectation.run.as_deref()).await? {
                    self.facts_of_run(claim, &run, &mut facts).await?;
                }
            }
        }
        Ok(facts)
    }

    async fn facts_of_run(
        &mut self,
        claim: &Claim,
        run: &RunView,
        facts: &mut Facts,
    ) -> Result<(), Problem> {
        match (claim, run.request_id) {
            (Claim::Outcome(_), _) => facts.outcome = Some(outcome(run)),
            (Claim::Receipts(_), _) => facts.receipts = self.receipts(run.id).await?,
            (Claim::Counts(_), Some(request)) => facts.counts = self.counts(request).await?,
            (Claim::RequestStatus(_), Some(request)) => {
                facts.request_status = self.request_status(request).await?;
            }
            (Claim::Holds { .. }, Some(request)) => {
                facts.assignments = self.assignments(request).await?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) async fn breaches(&mut self) -> Result<Vec<String>, Problem> {
        let answer = self.process_ask(|engine| async move { engine.audit().await }).await;
        let breaches = alive(answer)?.map(|report| report.breaches).unwrap_or_default();
        Ok(breaches.into_iter().map(|b| format!("{}: {}", b.rule, b.detail)).collect())
    }

    async fn stuck(&mut self) -> Result<Vec<String>, Problem> {
        let filter = RunFilter { stuck: true, ..RunFilter::default() };
        let answer =
            self.process_ask(move |engine| async move { engine.runs(TENANT, &filter).await }).await;
        let runs = alive(answer)?.map(|page| page.items).unwrap_or_default();
        Ok(runs.into_iter().map(|run| format!("{} {}", run.method, run.id)).collect())
    }

    async fn receipts(&mut self, run: RunId) -> Result<Vec<(String, String)>, Problem> {
        let answer =
            self.process_ask(move |engine| async move { engine.receipts(TENANT, run).await }).await;
        let receipts = alive(answer)?.unwrap_or_default();
        let word = |receipt: &abide_engine::base::Value, name: &str| {
            receipt.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned()
        };
        Ok(receipts.iter().map(|r| (word(r, "tool"), word(r, "status"))).collect())
    }

    async fn counts(
        &mut self,
        request: RequestId,
    ) -> Result<BTreeMap<String, BTreeMap<String, u64>>, Problem> {
        let read = work(move |tx| {
            Box::pin(async move { Ok(data::assignment::counts(tx, request).await?) })
        });
        let answer = self.process_ask(move |engine| async move { engine.read(read).await }).await;
        let mut counts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for ((role, state), n) in alive(answer)?.unwrap_or_default() {
            let n = u64::try_from(n).unwrap_or(0);
            counts.entry(role).or_default().insert(state.as_str().to_owned(), n);
        }
        Ok(counts)
    }

    async fn request_status(&mut self, request: RequestId) -> Result<Option<String>, Problem> {
        let read =
            work(move |tx| Box::pin(async move { Ok(data::request::by_id(tx, request).await?) }));
        let answer = self.process_ask(move |engine| async move { engine.read(read).await }).await;
        Ok(alive(answer)?.flatten().map(|request| request.status.as_str().to_owned()))
    }

    /// Returns the state of each person in the directory for each role of a request, by phone.
    async fn assignments(
        &mut self,
        request: RequestId,
    ) -> Result<BTreeMap<(String, String), String>, Problem> {
        let read = work(move |tx| {
            Box::pin(async move {
                let people = everybody(tx, TENANT).await?.into_iter();
                let phones: BTreeMap<_, _> = people.map(|one| (one.id, one.phone)).collect();
                let places = data::audit::assignments_of(tx, request).await?.into_iter();
                let told = places.filter_map(|((person, role), place)| {
                    let phone = phones.get(&person)?.clone();
                    Some(((phone, role), place.state.as_str().to_owned()))
                });
                Ok(told.collect())
            })
        });
        let answer = self.process_ask(move |engine| async move { engine.read(read).await }).await;
        Ok(alive(answer)?.unwrap_or_default())
    }

    /// Finds a run: by its `as` if a name is given, else the one started last.
    pub(super) async fn run_called(
        &mut self,
        (tenant, name): (&str, Option<&str>),
    ) -> Result<Option<RunId>, Problem> {
        if let Some(name) = name {
            return Ok(self.runs.get(name).copied());
        }
        let filter = RunFilter { limit: 1, ..RunFilter::default() };
        let tenant = tenant.to_owned();
        let answer = self
            .process_ask(move |engine| async move { engine.runs(&tenant, &filter).await })
            .await;
        Ok(alive(answer)?.and_then(|page| page.items.first().map(|run| run.id)))
    }

    async fn run_view(&mut self, name: Option<&str>) -> Result<Option<RunView>, Problem> {
        let Some(run) = self.run_called((TENANT, name)).await? else { return Ok(None) };
        let answer =
            self.process_ask(move |engine| async move { engine.run(TENANT, run).await }).await;
        alive(answer)
    }
}

/// Returns everyone in the directory.
pub(super) async fn everybody(tx: &mut Tx, tenant: &str) -> Result<Vec<PersonView>, Problem> {
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

/// Returns how a run ended, as scenarios name it.
fn outcome(run: &RunView) -> String {
    match (&run.outcome, run.status.as_str()) {
        (Some(outcome), _) => outcome.clone(),
        (None, status @ ("failed" | "cancelled" | "completed")) => status.to_owned(),
        (None, _) => "open".to_owned(),
    }
}
