//! Stores an order, starts its run, and says what has become of it so far.

use std::time::Duration;

use abide_agent::obligations::Obligation;
use abide_engine::base::{Problem, RowId, Timestamp};
use abide_engine::facade::PlanRunView;
use abide_engine::transaction;
use serde_json::json;

use super::super::conductor::{Conductor, Discharged};
use super::super::say::{self, Kept};
use super::super::trace::TracedObligation;
use super::method::method_of;
use super::order::{Seeker, Sought, StandingOrder};
use super::watch::{START_GRACE, link, start_of};
use crate::data::asked::{self, ObligationStatus};
use crate::data::standing::{self, StandingRow};

/// How long an answer waits for a run to do what it can do at once.
const RUN_WAIT: Duration = Duration::from_secs(5);

/// An order with its run.
struct Stood {
    row: StandingRow,
    status: ObligationStatus,
    /// Whether the same order was given before.
    is_known: bool,
    /// Whether the run waits for an approval.
    is_asked: bool,
    /// Why the run could not act last.
    failure: Option<String>,
}

impl Conductor<'_> {
    /// Keeps an order up, or brings it about, with a run; `None` if the obligation is discharged at once, by one call.
    pub(in crate::obligations) async fn keep(
        &self,
        id: RowId,
        obligation: &Obligation,
    ) -> Result<Option<Discharged>, Problem> {
        let library = self.engine.library();
        let seeker = Seeker {
            contracts: &library.contracts,
            adapters: self.adapters,
            user: self.user,
            now: self.asked_at,
        };
        let mut done =
            Discharged { traced: TracedObligation::of(obligation), ..Discharged::default() };
        match seeker.seek(obligation) {
            Sought::AtOnce => return Ok(None),
            Sought::Order(order) => {
                let stood = self.stand(id, &order).await?;
                done.traced.status = stood.status;
                done.traced.run_id = stood.row.run.map(|run| run.to_string());
                self.tell(&order, &stood, &mut done).await?;
                return Ok(Some(done));
            }
            Sought::Missing(slot) => done.arose.push(Obligation::clarify(&slot)),
            Sought::NoTool(operation) => {
                done.traced.discover_op = Some(operation);
                done.traced.status = ObligationStatus::Deferred;
            }
        }
        self.settle(id, done.traced.status).await?;
        Ok(Some(done))
    }

    /// Stores an order and starts its run. The order is stored before the run begins, so that it is taken up even if
    /// this process ends in between.
    async fn stand(&self, id: RowId, order: &StandingOrder) -> Result<Stood, Problem> {
        let new = StandingRow {
            id,
            user: self.user.to_owned(),
            kind: order.kind,
            predicate: order.predicate.clone(),
            digest: order.digest().to_string(),
            method: method_of(order),
            goal: order.goal(&id.to_string()),
            from: order.times.starts.unwrap_or(self.asked_at),
            until: order.times.until,
            run: None,
        };
        let (tenant, now) = (self.tenant.to_owned(), self.now);
        let task = transaction!([tenant, new = new.clone()], |tx| {
            let known = standing::put(tx, &tenant, &new, now + START_GRACE).await?;
            let is_other = known.as_ref().is_some_and(|known| known.id != new.id);
            if is_other {
                // The earlier order goes on; this one adds nothing to it.
                asked::settle(tx, new.id, ObligationStatus::Resolved, now).await?;
            }
            Ok((known, is_other))
        });
        // After a crash, the order that is known may be this one.
        let (known, is_known) = self.engine.write(task).await?;
        let mut row = known.unwrap_or(new);
        match self.engine.start(self.tenant, start_of(&row)).await {
            Ok(started) => row.run = Some(started.run),
            Err(problem) if problem.is_transient() => return Err(problem),
            Err(problem) => return self.refused(row, &problem).await,
        }
        let run = row.run;
        if let Some(run) = run {
            let id = row.id;
            let task = transaction!(|tx| link(tx, id, run).await);
            self.engine.write(task).await?;
            self.engine.wait_until_at_rest(self.tenant, run, RUN_WAIT).await?;
        }
        self.stood(row, is_known).await
    }

    /// Reads how far the run of an order has got.
    async fn stood(&self, row: StandingRow, is_known: bool) -> Result<Stood, Problem> {
        let key = start_of(&row).key.unwrap_or_default();
        let (tenant, id) = (self.tenant.to_owned(), row.id);
        let task = transaction!([tenant, key], |tx| {
            let view = PlanRunView::by_key(tx, &tenant, &key).await?;
            Ok((asked::status(tx, id).await?, view))
        });
        let (status, view) = self.engine.read(task).await?;
        let last = view.as_ref().and_then(|view| view.receipts.last());
        let failure = last.and_then(|receipt| receipt["error"]["message"].as_str());
        Ok(Stood {
            is_known,
            is_asked: view.as_ref().is_some_and(|view| view.approval.is_some()),
            failure: failure.map(str::to_owned),
            status: status.unwrap_or(ObligationStatus::Active),
            row,
        })
    }

    /// Notes that the run of an order cannot begin.
    async fn refused(&self, row: StandingRow, problem: &Problem) -> Result<Stood, Problem> {
        let (id, now) = (row.id, self.now);
        let task = transaction!(|tx| {
            asked::settle(tx, id, ObligationStatus::Failed, now).await?;
            Ok(standing::end(tx, id, now).await?)
        });
        self.engine.write(task).await?;
        let failure = Some(problem.message.clone());
        let status = ObligationStatus::Failed;
        Ok(Stood { row, status, is_known: false, is_asked: false, failure })
    }

    /// Says honestly what is being done, and until when.
    async fn tell(
        &self,
        order: &StandingOrder,
        stood: &Stood,
        done: &mut Discharged,
    ) -> Result<(), Problem> {
        let zone = self.engine.settings(self.tenant).await?.zone();
        let time = |at: Timestamp| {
            at.to_jiff().to_zoned(zone.clone()).strftime("%a %-d %b %H:%M").to_string()
        };
        if let Some(run) = stood.row.run {
            done.sources.push(json!({ "run_id": run.to_string() }));
        }
        match stood.status {
            ObligationStatus::Active => {
                done.says = Some(say::kept(&Kept {
                    kind: order.kind,
                    state: say::state(&order.predicate, &order.args),
                    starts: order.times.starts.map(time),
                    until: time(stood.row.until),
                    every: order.sense.as_ref().map(|_| order.times.every.to_string()),
                    is_known: stood.is_known,
                    is_asked: stood.is_asked,
                }));
            }
            ObligationStatus::Resolved => done.says = Some(say::DONE.to_owned()),
            _ => {
                let why =
                    stood.failure.clone().unwrap_or_else(|| "the state was not reached".to_owned());
                done.arose.push(Obligation::justify(&why));
            }
        }
        Ok(())
    }
}
