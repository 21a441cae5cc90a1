//! Fills a role, or asks more people for a role that is being filled.

use std::collections::BTreeMap;

use abide_agent::staff::StaffIntent;
use abide_agent::text::words;
use abide_engine::base::{PersonId, Problem, Timestamp, Value};
use abide_engine::domain::{Applied, HandledAs};
use abide_engine::store::Tx;
use serde_json::json;

use super::OrderHandler;
use crate::data;
use crate::data::person::PersonFilter;
use crate::domain::handler::done;
use crate::domain::open::FILL_ROLE;
use crate::domain::order::{FillOrder, People};
use crate::domain::wish::StaffWish;
use crate::operations::amend::{self, Amendment};
use crate::operations::{OperationContext, messages, requests};
use crate::request::targets::TARGET_MAX;
use crate::request::{Request, Targets};

/// The place in a request that a message from staff wants filled, and how many people it wants there.
struct Wanted<'w> {
    role: &'w str,
    time: Timestamp,
    count: i64,
    /// The team whose people are asked.
    team: &'w str,
}

impl OrderHandler<'_> {
    /// Starts a run that fills a role. If a run already fills the role, raises the target for that run, or reports its progress.
    pub(super) async fn fill(&self, tx: &mut Tx, order: &FillOrder) -> Result<Applied, Problem> {
        let tenant = self.message.context.tenant;
        let known = data::request::live_at(tx, tenant, "", order.time).await?;
        let before = known.as_ref().map_or(0, |request| request.targets.of(&order.role));
        let count = match order.people {
            People::Total(n) => n,
            People::More(n) => before + n,
        };
        if !(1..=TARGET_MAX).contains(&count) {
            return self.ask_back(tx, &uncounted(order)).await;
        }
        let wanted = Wanted {
            role: &order.role,
            time: order.time,
            count,
            team: order.team.as_ref().unwrap_or(&order.role),
        };
        let run = match &known {
            Some(request) => data::live_fill::of_role(tx, request.id, &order.role).await?,
            None => None,
        };
        if let (Some(request), Some(run)) = (known, run) {
            match count > before {
                true => self.raise(tx, request, &wanted).await?,
                false => self.report_progress(tx, &request, &order.role).await?,
            }
            return Ok(Applied { run: Some(run), ..done(HandledAs::StaffRequest) });
        }
        let named = self.named(tx, &wanted, [&order.prefer, &order.exclude]).await?;
        let mut goal = json!({
            "kind": FILL_ROLE, "role": order.role, "count": count, "time": order.time.to_string(),
        });
        if let Some(team) = &order.team {
            goal["team"] = json!(team);
        }
        for (member, people) in ["prefer", "exclude"].into_iter().zip(named) {
            if !people.is_empty() {
                goal[member] = json!(people);
            }
        }
        if let Some(minimum) = order.minimum.filter(|minimum| (1..count).contains(minimum)) {
            goal["minimum"] = json!(minimum);
        }
        if let Some(deadline) = order.deadline.filter(|at| *at > self.message.context.now) {
            goal["deadline"] = json!(deadline.to_string());
        }
        Ok(self.started(self.start(goal)))
    }

    /// Raises the target of a role that a run fills. The run then waits for more people; everybody who can serve
    /// has been asked already.
    async fn raise(
        &self,
        tx: &mut Tx,
        request: Request,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let context = &self.message.context;
        let mut request = requests::lock(tx, context.tenant, request.id).await?;
        let mut targets = Targets::default();
        targets.set(wanted.role, wanted.count)?;
        let wanted_change = Amendment { targets: Some(targets), ..Amendment::default() };
        amend::request(tx, context, &mut request, &wanted_change).await?;
        let targets = BTreeMap::from([(wanted.role.to_owned(), wanted.count)]);
        self.tell_targets(tx, wanted.time, &targets).await
    }

    /// Tells the staff member how many places are taken in a role that a run already fills.
    async fn report_progress(
        &self,
        tx: &mut Tx,
        request: &Request,
        role: &str,
    ) -> Result<(), Problem> {
        let taken = requests::accepted(tx, request.id).await?.get(role).copied().unwrap_or(0);
        let mut vars = messages::role_variables(request, role);
        vars["n"] = Value::from(taken);
        vars["m"] = Value::from(request.targets.of(role));
        vars["asking"] = Value::from(true);
        self.answer(tx, "filled_n_of_m", &vars).await
    }

    /// Returns, for each list of texts, those of the people who could be asked whom the texts name.
    async fn named<const N: usize>(
        &self,
        tx: &mut Tx,
        wanted: &Wanted<'_>,
        lists: [&Vec<String>; N],
    ) -> Result<[Vec<PersonId>; N], Problem> {
        if lists.iter().all(|texts| texts.is_empty()) {
            return Ok([(); N].map(|()| Vec::new()));
        }
        let context = &self.message.context;
        let candidates = candidates(tx, context, wanted.team, wanted.time).await?;
        let people = data::person::by_ids(tx, context.tenant, &candidates).await?;
        Ok(lists.map(|texts| {
            let is_named = |name: &str| texts.iter().any(|text| names(text, name));
            people.iter().filter(|it| is_named(&it.name)).map(|it| it.id).collect()
        }))
    }
}

/// Returns the people of a team who could be asked for a service.
pub(super) async fn candidates(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    team: &str,
    time: Timestamp,
) -> Result<Vec<PersonId>, Problem> {
    let filter =
        PersonFilter { roles: vec![team.to_owned()], limit: i64::MAX, ..PersonFilter::default() };
    let period = requests::service_period(tx, context, time).await?;
    Ok(data::person::candidates(tx, context.tenant, &filter, Some(period)).await?)
}

/// Whether a text names a person: by the first name, or by the family.
fn names(text: &str, person: &str) -> bool {
    let spoken = words(text);
    words(person).iter().any(|part| spoken.contains(part))
}

/// Returns the wish that belongs to an order whose number of people makes no sense.
fn uncounted(order: &FillOrder) -> StaffWish {
    let wish = StaffWish {
        role: Some(order.role.clone()),
        time: Some(order.time.to_string()),
        ..StaffWish::of(StaffIntent::FillRole)
    };
    wish.without("count")
}
