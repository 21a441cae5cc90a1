//! A run as it stands, taken out of the database that it lives in.

use abide_engine::base::{Problem, RunId, Span, Timestamp};
use abide_engine::domain::Domain as _;
use abide_engine::facade::virtual_now;
use abide_engine::policy::Settings;
use abide_engine::store::{RunRow, Store, Tx, work};
use abide_verbs::ChurchDomain;

use crate::play::Template;
use crate::scenario::{Action, People, Place, Scenario, Step};

/// A run as it stands at one instant, with all that its way on hangs on.
#[derive(Debug)]
pub struct Live {
    /// The run.
    pub run: RunId,
    /// Its method.
    pub method: String,
    /// Where it is in its life.
    pub status: String,
    /// Its tenant.
    pub tenant: String,
    /// True where the tenant's kill switch is on.
    pub tenant_paused: bool,
    /// The instant of the copy, by the clock of its database.
    pub at: Timestamp,
    /// The process's settings; the tenant's own stand in the copy.
    pub(crate) settings: Settings,
    /// The time zone in which the tenant tells times.
    pub zone: String,
    pub(crate) template: Template,
}

/// What is read of a run besides its copy.
struct Stand {
    row: RunRow,
    tenant_paused: bool,
    policy: abide_engine::base::Value,
    at: Timestamp,
}

impl Live {
    /// Copies a run of a tenant out of an open database. `settings` are those of the process that drives it.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` where nothing will happen any more; `copy_too_large`.
    pub async fn copy(
        store: &Store,
        (tenant, run): (&str, RunId),
        settings: Settings,
    ) -> Result<Self, Problem> {
        let owned = tenant.to_owned();
        let read = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move {
                let stand = stand(tx, (&tenant, run)).await?;
                let copied = ChurchDomain::default().copied();
                let copy = tx.copy_run((&tenant, run), copied).await?;
                Ok((stand, copy.ok_or_else(|| unknown(run))?))
            })
        });
        let (stand, copy) = store.read(read).await?;
        let zone = settings.overridden(&stand.policy)?.time_zone;
        Ok(Self {
            run,
            method: stand.row.method,
            status: stand.row.status,
            tenant: tenant.to_owned(),
            tenant_paused: stand.tenant_paused,
            at: stand.at,
            settings,
            zone,
            template: Template::of(copy, stand.at).await?,
        })
    }

    /// The story in which time passes from the copy on, for so long at most, and nobody does anything but
    /// answer.
    #[must_use]
    pub fn scenario(&self, lasts: Span, seed: u64) -> Scenario {
        let name = format!("{} {}", self.method, self.run);
        let place = Place { line: 1, col: 1, end_col: 2 };
        Scenario {
            file: name.clone(),
            name,
            description: None,
            start: self.at,
            zone: self.zone.clone(),
            seed,
            people: People::default(),
            config: std::collections::BTreeMap::new(),
            neighbours: Vec::new(),
            steps: vec![Step { at: lasts, action: Action::Advance, tenant: None, place }],
            expect: Vec::new(),
        }
    }
}

async fn stand(tx: &mut Tx, (tenant, run): (&str, RunId)) -> Result<Stand, Problem> {
    let row = tx.run(run).await?.filter(|row| row.tenant == tenant);
    let row = row.ok_or_else(|| unknown(run))?;
    if row.ended_at.is_some() {
        let how = row.outcome.as_deref().unwrap_or(&row.status).replace('_', " ");
        return Err(Problem::caller("wrong_state", format!("`{run}` has ended: {how}"))
            .with_hint("`abide run list --waiting` shows runs that go on"));
    }
    let own = tx.tenant(tenant).await?;
    let (tenant_paused, policy) = own.map(|own| (own.paused, own.policy)).unwrap_or_default();
    // A run never goes back behind its latest event, whatever the clock says.
    let at = virtual_now(tx).await?.unwrap_or_else(|| tx.now()).max(row.last_at);
    Ok(Stand { row, tenant_paused, policy, at })
}

fn unknown(run: RunId) -> Problem {
    Problem::caller("unknown_run", format!("there is no run `{run}`"))
        .with_hint("`abide run list` shows them")
}
