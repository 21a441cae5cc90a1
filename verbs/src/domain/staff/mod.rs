//! Does what members of staff want by text, and answers them.

mod ask_back;
mod cancel;
mod fill;
mod hold;
mod method;
mod own;
mod report;
mod retarget;
mod started;

use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::domain::{Applied, HandledAs, StartRun};
use abide_engine::store::Tx;
use serde_json::json;

pub(super) use self::method::{MethodQuestion, ask_method};
pub(super) use self::started::tell_started;
use super::handler::{MessageHandler, done};
use super::order::Order;
use super::wish::StaffWish;
use crate::data::question::ClarificationKind;
use crate::operations::messages::{self, MessageDraft};

/// One of the orders in a message of staff, while it is carried out.
struct OrderHandler<'h> {
    message: &'h MessageHandler<'h>,
    staff: PersonId,
    /// The number of the order in the message, from 0.
    nth: usize,
}

/// Carries out the orders in a message, one after the other.
pub(super) async fn obey(
    tx: &mut Tx,
    message: &MessageHandler<'_>,
    orders: &[Order],
) -> Result<Applied, Problem> {
    let Some(staff) = message.view.staff().map(|staff| staff.person) else {
        return Ok(done(HandledAs::Unmatched));
    };
    let mut applied = done(message.answered_staff());
    for (nth, order) in orders.iter().enumerate() {
        let handler = OrderHandler { message, staff, nth };
        let done = handler.carry_out(tx, order).await?;
        applied.run = applied.run.or(done.run);
        applied.starts.extend(done.starts);
        if done.handled_as == HandledAs::StaffRequest {
            applied.handled_as = done.handled_as;
        }
    }
    Ok(applied)
}

/// Carries out what a member of staff has confirmed.
pub(super) async fn confirmed(
    tx: &mut Tx,
    message: &MessageHandler<'_>,
    order: &Order,
) -> Result<Applied, Problem> {
    let Some(staff) = message.view.staff().map(|staff| staff.person) else {
        return Ok(done(HandledAs::Unmatched));
    };
    let handler = OrderHandler { message, staff, nth: 0 };
    match order {
        Order::Cancel(order) => Ok(handler.call_off(order)),
        Order::Own(StaffWish { own: Some(own), .. }) => Ok(handler.start_own(own)),
        other => handler.carry_out(tx, other).await,
    }
}

impl OrderHandler<'_> {
    async fn carry_out(&self, tx: &mut Tx, order: &Order) -> Result<Applied, Problem> {
        match order {
            Order::Fill(order) => self.fill(tx, order).await,
            Order::Retarget(order) => self.retarget(tx, order).await,
            Order::Cancel(order) => self.cancel(tx, order).await,
            Order::Report(order) => self.report(tx, order).await,
            Order::Own(wish) => self.own(tx, wish).await,
            Order::Hold { requests, pause } => self.hold(tx, requests, *pause).await,
            Order::AskBack(wish) => self.ask_back(tx, wish).await,
            Order::NoSuchRequest(wish) => self.no_such_request(tx, wish).await,
        }
    }

    /// Answers the member of staff.
    async fn answer(&self, tx: &mut Tx, template: &str, vars: &Value) -> Result<(), Problem> {
        let draft = MessageDraft::nth_answer(self.staff, self.message.inbound.id, self.nth);
        messages::send(tx, &self.message.context, template, &[draft], vars).await.map(drop)
    }

    /// Returns the start of a run for a goal, whose method the planner chooses. Each order of a message starts at most
    /// one run.
    fn start(&self, goal: Value) -> StartRun {
        let inbound = self.message.inbound.id;
        let key = match self.nth {
            0 => format!("inbound:{inbound}"),
            nth => format!("inbound:{inbound}:{}", nth + 1),
        };
        StartRun { goal, key: Some(key), ..StartRun::default() }
    }

    /// Returns the result for an order that starts a run.
    fn started(&self, start: StartRun) -> Applied {
        Applied { starts: vec![start], ..done(self.message.answered_staff()) }
    }

    async fn no_such_request(&self, tx: &mut Tx, wish: &StaffWish) -> Result<Applied, Problem> {
        let mut vars = json!({});
        let role = wish.role.clone().or_else(|| wish.targets.keys().next().cloned());
        if let Some(role) = role {
            vars["role"] = role.into();
        }
        if let Some(time) = &wish.time {
            vars["time"] = time.as_str().into();
        }
        self.answer(tx, "no_request", &vars).await?;
        Ok(done(self.message.answered_staff()))
    }

    /// Asks the member of staff a question about a wish, which is kept for the answer.
    async fn keep(
        &self,
        tx: &mut Tx,
        kind: ClarificationKind,
        wish: &StaffWish,
    ) -> Result<(), Problem> {
        let about = serde_json::to_value(wish)
            .map_err(|e| Problem::bug(format!("a wish cannot be written as JSON: {e}")))?;
        self.message.ask_clarification(tx, self.staff, kind, about).await
    }
}
