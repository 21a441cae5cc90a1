//! Reads the times of orders: until when they bind, and when they are to be carried out.

use abide_agent::obligations::{
    Obligation, ObligationType, ReadContext, is_bare_order, read, said_times, without_times,
};
use jiff::Zoned;
use serde_json::json;

use super::order::{Seeker, Sought, scheduled};

/// A text with orders.
#[derive(Clone, Copy)]
pub(in crate::obligations) struct OrderText<'a> {
    /// The text.
    pub(in crate::obligations) text: &'a str,
    /// When it was written, in the zone of the user.
    pub(in crate::obligations) now: &'a Zoned,
    /// Finds tools.
    pub(in crate::obligations) seeker: Seeker<'a>,
}

impl OrderText<'_> {
    /// Adds the times that the text says to its orders. An order that is to be carried out later becomes a SCHEDULE, if
    /// there are tools for it.
    pub(in crate::obligations) fn timed(&self, obligations: Vec<Obligation>) -> Vec<Obligation> {
        if let [only] = &obligations[..]
            && only.is(ObligationType::Clarify)
            && let Some(order) = self.without_times()
        {
            return vec![self.one(order)];
        }
        obligations.into_iter().map(|obligation| self.one(obligation)).collect()
    }

    /// Reads the text without its times, if it is an order then: "move the ball to the center by 5pm".
    fn without_times(&self) -> Option<Obligation> {
        let order = without_times(self.text, self.now)?;
        let mut read = read(&order, &ReadContext::new(Some(self.now.clone())));
        let only = read.pop().filter(|_| read.is_empty());
        only.filter(|order| order.text("pred").is_some())
    }

    fn one(&self, mut obligation: Obligation) -> Obligation {
        if obligation.is(ObligationType::Schedule) {
            return self.event(&obligation).unwrap_or(obligation);
        }
        if obligation.text("pred").is_none() {
            return obligation;
        }
        let said = said_times(self.text, self.now);
        if let Some(deadline) = said.deadline.filter(|_| obligation.text("deadline").is_none()) {
            obligation.payload.insert("deadline".to_owned(), instant(&deadline).into());
        }
        let later = said.starts.and_then(|starts| {
            let event = self.text.trim();
            self.if_there_are_tools(event, &instant(&starts), &obligation)
        });
        later.unwrap_or(obligation)
    }

    /// Reads an event that is an order: "at 5pm put the ball back". A reminder of it stays an event of the calendar.
    fn event(&self, obligation: &Obligation) -> Option<Obligation> {
        let (event, time) = (obligation.text("event")?, obligation.text("time")?);
        if scheduled(obligation).is_some() || !is_bare_order(self.text, event, self.now) {
            return None;
        }
        match &read(event, &ReadContext::new(Some(self.now.clone())))[..] {
            [inner] if inner.text("pred").is_some() => self.if_there_are_tools(event, time, inner),
            _ => None,
        }
    }

    fn if_there_are_tools(
        &self,
        event: &str,
        time: &str,
        inner: &Obligation,
    ) -> Option<Obligation> {
        let mut later = Obligation::schedule(event, Some(time));
        later.payload.insert("obligation".to_owned(), json!(inner));
        matches!(self.seeker.seek(&later), Sought::Order(_)).then_some(later)
    }
}

fn instant(time: &Zoned) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
