//! Copies a live run from its database, so that a forecast can play the copy.

use abide_engine::base::{Problem, RunId, Span, Timestamp};
use abide_engine::boxed;
use abide_engine::facade::virtual_now;
use abide_engine::policy::Settings;
use abide_engine::run::RunOutcome;
use abide_engine::store::{RunRef, RunRow, Store, Tx};
use abide_engine::transaction;

use super::StartDatabase;
use crate::domains;
use crate::scenario::{Action, People, Scenario, ScenarioStep, SourcePosition};

/// A live run at one instant, with all rows of the database on which its future depends.
#[derive(Debug)]
pub struct RunSnapshot {
    /// The run's id.
    pub run: RunId,
    /// The name of the run's method.
    pub method: String,
    /// The run's status at the instant of the copy.
    pub status: String,
    /// The tenant that owns the run.
    pub tenant: String,
    /// Whether the tenant's kill switch is on.
    pub tenant_paused: bool,
    /// The instant of the copy, by the clock of the source database.
    pub at: Timestamp,
    /// The settings of the process that drives the run.
    /// The tenant's own settings are part of the copied rows.
    pub(crate) settings: Settings,
    /// The tenant's time zone, an IANA name.
    pub zone: String,
    pub(crate) start_database: StartDatabase,
}

/// Data of the run and its tenant that are read in addition to the copied rows.
struct RunDetails {
    row: RunRow,
    tenant_paused: bool,
    policy: abide_engine::base::Value,
    at: Timestamp,
}

impl RunSnapshot {
    /// Copies a tenant's run from an open database.
    /// `settings` must be those of the process that drives the run.
    ///
    /// # Errors
    /// `unknown_run` if the tenant has no such run, `wrong_state` if the run has ended,
    /// and `copy_too_large` if the copy would have too many rows to hold in memory.
    #[boxed]
    pub async fn copy(
        store: &Store,
        tenant: &str,
        run: RunId,
        settings: Settings,
    ) -> Result<Self, Problem> {
        let read = transaction!([tenant = tenant.to_owned()], |tx| {
            let details = read_details(tx, &tenant, run).await?;
            let copied = domains::copied_tables();
            let copy = tx.copy_run(RunRef { tenant: &tenant, run }, copied).await?;
            Ok((details, copy.ok_or_else(|| unknown(run))?))
        });
        let (details, copy) = store.read(read).await?;
        let zone = settings.overridden(&details.policy)?.time_zone;
        Ok(Self {
            run,
            method: details.row.method,
            status: details.row.status.as_str().to_owned(),
            tenant: tenant.to_owned(),
            tenant_paused: details.tenant_paused,
            at: details.at,
            settings,
            zone,
            start_database: StartDatabase::with_run(copy, details.at).await?,
        })
    }

    /// Builds a scenario that starts at the instant of the copy and ends after the time `lasts`.
    /// The scenario has no events from outside: only simulated people act in it.
    #[must_use]
    pub fn scenario(&self, lasts: Span, seed: u64) -> Scenario {
        let name = format!("{} {}", self.method, self.run);
        let place = SourcePosition { line: 1, col: 1, end_col: 2 };
        Scenario {
            file: name.clone(),
            name,
            description: None,
            start: self.at,
            zone: self.zone.clone(),
            seed,
            people: People::default(),
            config: std::collections::BTreeMap::new(),
            other_tenants: Vec::new(),
            steps: vec![ScenarioStep { at: lasts, action: Action::Advance, tenant: None, place }],
            expect: Vec::new(),
        }
    }
}

async fn read_details(tx: &mut Tx, tenant: &str, run: RunId) -> Result<RunDetails, Problem> {
    let row = tx.run(run).await?.filter(|row| row.tenant == tenant);
    let row = row.ok_or_else(|| unknown(run))?;
    if row.ended_at.is_some() {
        let how = row.outcome.map_or(row.status.as_str(), RunOutcome::as_str).replace('_', " ");
        return Err(Problem::caller("wrong_state", format!("`{run}` has ended: {how}"))
            .with_hint("choose a live run: `abide run list --waiting` lists them"));
    }
    let own = tx.tenant(tenant).await?;
    let (tenant_paused, policy) = own.map(|own| (own.paused, own.policy)).unwrap_or_default();
    // The simulation must not start before the run's latest
    // event, even if the clock shows an earlier time.
    let at = virtual_now(tx).await?.unwrap_or_else(|| tx.now()).max(row.last_at);
    Ok(RunDetails { row, tenant_paused, policy, at })
}

fn unknown(run: RunId) -> Problem {
    Problem::caller("unknown_run", format!("there is no run `{run}`"))
        .with_hint("list the runs with `abide run list`")
}
