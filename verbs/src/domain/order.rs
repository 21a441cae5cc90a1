//! Finds the requests that a wish of staff is about, and what is to be done with them. All functions are pure.

use std::collections::BTreeMap;

use abide_agent::staff::{StaffIntent, WayOn};
use abide_engine::base::Timestamp;

use super::view::{LiveRequest, View};
use super::wish::StaffWish;

/// Maximum number of requests that one report tells about. A text message cannot hold more.
const REPORTED_MAX: usize = 5;

/// What is to be done for a member of staff.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// Ask people until enough of them hold a place of a role.
    Fill(FillOrder),
    /// Set new targets of a request.
    Retarget(RetargetOrder),
    /// Call requests off, or one team of a request.
    Cancel(CancelOrder),
    /// Tell how far requests are; with names if asked who.
    Report(ReportOrder),
    /// Start what a home adds.
    Own(StaffWish),
    /// Let the runs of requests wait, or go on.
    Hold { requests: Vec<LiveRequest>, pause: bool },
    /// Ask for what is missing.
    AskBack(StaffWish),
    /// Answer that there is no such request.
    NoSuchRequest(StaffWish),
}

/// An order to fill a role.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FillOrder {
    pub role: String,
    pub people: People,
    pub time: Timestamp,
    /// The people who are asked before the others, as the wish names them.
    pub prefer: Vec<String>,
    /// The people who are not to be asked, as the wish names them.
    pub exclude: Vec<String>,
    /// The number of people who would do.
    pub minimum: Option<i64>,
    /// When an answer is needed.
    pub deadline: Option<Timestamp>,
    /// The team whose people are asked, if it is not that of the role.
    pub team: Option<String>,
}

impl FillOrder {
    fn of(role: String, people: People, time: Timestamp) -> Self {
        let (prefer, exclude) = (Vec::new(), Vec::new());
        Self { role, people, time, prefer, exclude, minimum: None, deadline: None, team: None }
    }

    /// Returns the order with what a wish says about the people. Whoever must be able to do something is of the team of
    /// that name, if the tenant has one.
    fn asked_by(self, wish: &StaffWish, view: &View) -> Self {
        let deadline = wish.deadline.as_deref().and_then(|at| at.parse().ok());
        Self {
            prefer: wish.prefer.clone(),
            exclude: wish.exclude.clone(),
            minimum: wish.minimum,
            deadline: deadline.filter(|at| *at < self.time),
            team: wish.skill.clone().filter(|skill| view.roles.contains(skill)),
            ..self
        }
    }
}

/// How many people are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum People {
    /// So many in all.
    Total(i64),
    /// So many more than are wanted now.
    More(i64),
}

/// An order to change targets of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RetargetOrder {
    pub request: LiveRequest,
    /// The new targets of the roles that change.
    pub targets: BTreeMap<String, i64>,
}

/// An order to call something off.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CancelOrder {
    pub requests: Vec<LiveRequest>,
    /// The one team that is called off; `None` for all teams.
    pub role: Option<String>,
    /// The wish, which is kept with the question whether it is meant so.
    pub wish: StaffWish,
}

/// An order to report.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReportOrder {
    pub requests: Vec<LiveRequest>,
    pub role: Option<String>,
    pub with_names: bool,
}

/// Returns what is to be done for a wish.
pub(super) fn of(wish: &StaffWish, view: &View) -> Order {
    let meant = meant(wish, view);
    match wish.intent {
        StaffIntent::FillRole => fill(wish, view),
        StaffIntent::ReduceTarget | StaffIntent::IncreaseTarget => change(wish, &meant, view),
        StaffIntent::Rebalance => rebalance(wish, &meant),
        StaffIntent::CancelEvent => cancel(wish, meant),
        StaffIntent::Status | StaffIntent::List if meant.is_empty() && wish.names_something() => {
            Order::NoSuchRequest(wish.clone())
        }
        StaffIntent::Status | StaffIntent::List => Order::Report(ReportOrder {
            requests: meant.into_iter().take(REPORTED_MAX).collect(),
            role: wish.role.clone(),
            with_names: wish.intent == StaffIntent::List,
        }),
        StaffIntent::Pause => Order::Hold { requests: meant, pause: true },
        StaffIntent::Resume => Order::Hold { requests: meant, pause: false },
        StaffIntent::Own => Order::Own(wish.clone()),
        StaffIntent::Approve
        | StaffIntent::Reject
        | StaffIntent::Unrelated
        | StaffIntent::Clarify => Order::AskBack(wish.clone()),
    }
}

/// Returns what is to be done if staff say how to go on with the one request that is live and whose people are asked
/// for one role. Returns `None` if that is not clear, or if something of theirs waits for an answer.
pub(super) fn of_follow_up(wanted: &WayOn, view: &View) -> Option<Order> {
    let [request] = &view.requests[..] else { return None };
    let mut roles = request.targets.iter().filter(|(_, n)| **n > 0);
    let (role, target) = roles.next()?;
    if roles.next().is_some() || view.question.is_some() {
        return None;
    }
    let again = StaffWish {
        role: Some(role.clone()),
        time: Some(request.time.to_string()),
        count: Some(*target),
        ..StaffWish::of(StaffIntent::FillRole)
    };
    Some(match wanted {
        WayOn::WaitLonger => fill(&again, view),
        WayOn::AskTeam(Some(team)) => Order::Fill(FillOrder {
            team: Some(team.clone()),
            ..FillOrder::of(role.clone(), People::Total(*target), request.time)
        }),
        WayOn::AskTeam(None) => return None,
        WayOn::AimFor(count) => {
            let fewer = StaffWish { count: *count, intent: StaffIntent::ReduceTarget, ..again };
            change(&fewer, std::slice::from_ref(request), view)
        }
    })
}

/// Returns the live requests that a wish can be about, the earliest service first.
fn meant(wish: &StaffWish, view: &View) -> Vec<LiveRequest> {
    let zone = view.time_zone();
    let time = wish.service();
    let is_of_time = |request: &&LiveRequest| match (time, &wish.date) {
        (Some(time), _) => request.time == time,
        (None, Some(date)) => {
            request.time.to_jiff().to_zoned(zone.clone()).date().to_string() == *date
        }
        (None, None) => true,
    };
    let roles: Vec<&String> = wish.role.iter().chain(wish.targets.keys()).collect();
    let has_role = |request: &&LiveRequest| {
        roles.is_empty() || roles.iter().any(|role| request.target(role) > 0)
    };
    view.requests.iter().filter(is_of_time).filter(has_role).cloned().collect()
}

fn fill(wish: &StaffWish, view: &View) -> Order {
    let (Some(role), Some(time)) = (wish.role.clone(), wish.service()) else {
        return Order::AskBack(wish.clone().without("time"));
    };
    let people = match (wish.count, wish.delta) {
        (Some(n), _) => People::Total(n),
        (None, Some(n)) => People::More(n),
        (None, None) => return Order::AskBack(wish.clone().without("count")),
    };
    Order::Fill(FillOrder::of(role, people, time).asked_by(wish, view))
}

/// Lowers or raises the target of one role.
fn change(wish: &StaffWish, meant: &[LiveRequest], view: &View) -> Order {
    let raises = wish.intent == StaffIntent::IncreaseTarget;
    let Some(role) = wish.role.clone() else {
        return Order::AskBack(wish.clone().without("role"));
    };
    let request = match meant {
        [one] => one.clone(),
        [] if raises => return fill(wish, view),
        [] => return Order::NoSuchRequest(wish.clone()),
        _ => return Order::AskBack(wish.clone().without("time")),
    };
    let now = request.target(&role);
    let wanted = match (wish.count, wish.delta) {
        (Some(n), _) => n,
        (None, Some(n)) => now + n,
        (None, None) => return Order::AskBack(wish.clone().without("count")),
    };
    if wanted < 0 {
        return Order::AskBack(wish.clone().without("count"));
    }
    if wanted > now {
        let order = FillOrder::of(role, People::Total(wanted), request.time);
        return Order::Fill(order.asked_by(wish, view));
    }
    Order::Retarget(RetargetOrder { request, targets: BTreeMap::from([(role, wanted)]) })
}

fn rebalance(wish: &StaffWish, meant: &[LiveRequest]) -> Order {
    if wish.targets.is_empty() {
        return Order::AskBack(wish.clone().without("targets"));
    }
    match meant {
        [request] => Order::Retarget(RetargetOrder {
            request: request.clone(),
            targets: wish.targets.clone(),
        }),
        [] => Order::NoSuchRequest(wish.clone()),
        _ => Order::AskBack(wish.clone().without("time")),
    }
}

fn cancel(wish: &StaffWish, meant: Vec<LiveRequest>) -> Order {
    let names_one = wish.time.is_some() || wish.date.is_some();
    match (&wish.role, &meant[..]) {
        (_, []) => Order::NoSuchRequest(wish.clone()),
        (_, [_, _, ..]) if !names_one => Order::AskBack(wish.clone().without("time")),
        (role, _) => {
            let has_others =
                |request: &LiveRequest| request.targets.values().filter(|n| **n > 0).count() > 1;
            let role = role.clone().filter(|_| meant.iter().any(has_others));
            Order::Cancel(CancelOrder { requests: meant, role, wish: wish.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{RequestId, TypedId as _};

    use super::*;

    fn wish(intent: StaffIntent) -> StaffWish {
        StaffWish::of(intent)
    }

    const NINE: &str = "2025-10-05T09:00:00-05:00";
    const ELEVEN: &str = "2025-10-05T11:00:00-05:00";

    fn request(n: u128, time: &str, targets: &[(&str, i64)]) -> LiveRequest {
        LiveRequest {
            id: RequestId::from_uuid(uuid::Uuid::from_u128(n)),
            time: time.parse().expect("an instant"),
            targets: targets.iter().map(|(role, n)| ((*role).to_owned(), *n)).collect(),
        }
    }

    fn view(requests: Vec<LiveRequest>) -> View {
        View { requests, zone: "America/Chicago".to_owned(), ..View::default() }
    }

    fn shown(order: &Order) -> String {
        match order {
            Order::Fill(fill) => format!("fill {} {:?}", fill.role, fill.people),
            Order::Retarget(it) => format!("retarget {:?}", it.targets),
            Order::Cancel(it) => format!("cancel {} {:?}", it.requests.len(), it.role),
            Order::Report(it) => format!("report {} {}", it.requests.len(), it.with_names),
            Order::Own(wish) => format!("own {:?}", wish.own.as_ref().map(|own| &own.intent)),
            Order::Hold { requests, pause } => format!("hold {} {pause}", requests.len()),
            Order::AskBack(wish) => format!("ask {}", wish.missing.join(" ")),
            Order::NoSuchRequest(_) => "none".to_owned(),
        }
    }

    #[test]
    fn a_wish_meets_the_requests_that_are_live() {
        use StaffIntent::{
            CancelEvent, IncreaseTarget, List, Pause, Rebalance, ReduceTarget, Status,
        };
        let nursery = || Some("nursery".to_owned());
        let one = || view(vec![request(1, NINE, &[("nursery", 5)])]);
        let both = || {
            view(vec![
                request(1, NINE, &[("nursery", 5), ("children", 2)]),
                request(2, ELEVEN, &[("nursery", 4)]),
            ])
        };
        let reduce = StaffWish { role: nursery(), count: Some(3), ..wish(ReduceTarget) };
        let fewer = StaffWish { role: nursery(), delta: Some(-2), ..wish(ReduceTarget) };
        let more = StaffWish { role: nursery(), delta: Some(2), ..wish(IncreaseTarget) };
        let at_nine = |wish: &StaffWish| StaffWish { time: Some(NINE.to_owned()), ..wish.clone() };
        let moved = StaffWish {
            targets: BTreeMap::from([("nursery".to_owned(), 4), ("children".to_owned(), 3)]),
            ..wish(Rebalance)
        };
        let off = StaffWish { role: nursery(), ..wish(CancelEvent) };
        let cases = [
            (&reduce, one(), "retarget {\"nursery\": 3}"),
            (&fewer, one(), "retarget {\"nursery\": 3}"),
            (&reduce, both(), "ask time"),
            (&at_nine(&reduce), both(), "retarget {\"nursery\": 3}"),
            (&reduce, view(Vec::new()), "none"),
            (&more, one(), "fill nursery Total(7)"),
            (&more, view(Vec::new()), "ask time"),
            (&at_nine(&more), view(Vec::new()), "fill nursery More(2)"),
            (&moved, one(), "retarget {\"children\": 3, \"nursery\": 4}"),
            (&moved, both(), "ask time"),
            (&off, one(), "cancel 1 None"),
            (&off, both(), "ask time"),
            (&at_nine(&off), both(), "cancel 1 Some(\"nursery\")"),
            (&at_nine(&wish(CancelEvent)), both(), "cancel 1 None"),
            (
                &StaffWish { date: Some("2025-10-05".to_owned()), ..wish(CancelEvent) },
                both(),
                "cancel 2 None",
            ),
            (&wish(Status), both(), "report 2 false"),
            (&wish(List), one(), "report 1 true"),
            (&wish(Pause), both(), "hold 2 true"),
        ];
        for (wish, view, expected) in cases {
            assert_eq!(shown(&of(wish, &view)), expected, "{wish:?}");
        }
    }
}
