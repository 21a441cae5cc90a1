//! The people of a story who answer by chance, as far as it has any.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{Problem, Timestamp};
use jiff::tz::TimeZone;

use super::{HEAD, Player};
use crate::crowd::{Asked, Model, answers, asks};

/// What the crowd was asked and will say.
pub(super) struct Crowd {
    model: Option<Model>,
    seed: u64,
    zone: TimeZone,
    /// How many texts have asked each phone something.
    asked: BTreeMap<String, u32>,
    /// By time, then in the order in which it was thought of.
    to_come: BTreeMap<(Timestamp, u64), (String, &'static str)>,
    thoughts: u64,
    /// Phones of those who ask rather than are asked: staff answers nothing by chance.
    staff: BTreeSet<String>,
}

impl Crowd {
    pub(super) fn new(model: Option<Model>, seed: u64, zone: &str) -> Self {
        Self {
            model,
            seed,
            zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC),
            asked: BTreeMap::new(),
            to_come: BTreeMap::new(),
            thoughts: 0,
            staff: BTreeSet::new(),
        }
    }

    pub(super) fn leave_out(&mut self, phone: &str) {
        self.staff.insert(phone.to_owned());
    }

    /// Somebody gets a text: what they will say to it is thought of now.
    pub(super) fn get(&mut self, phone: &str, text: &str, at: Timestamp) {
        let Some(model) = &self.model else { return };
        if self.staff.contains(phone) || !asks(text) {
            return;
        }
        let nth = self.asked.entry(phone.to_owned()).or_default();
        *nth += 1;
        let asked = Asked { seed: self.seed, person: phone, nth: *nth, at };
        for answer in answers(model, &asked, &self.zone) {
            self.thoughts += 1;
            self.to_come.insert((answer.at, self.thoughts), (phone.to_owned(), answer.says));
        }
    }

    /// When the next of them writes.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.to_come.first_key_value().map(|((at, _), _)| *at)
    }

    /// Who writes by now, and what.
    fn take_due(&mut self, now: Timestamp) -> Option<(String, &'static str)> {
        let due = self.to_come.first_entry().filter(|first| first.key().0 <= now)?;
        Some(due.remove())
    }
}

impl Player<'_> {
    /// Whoever of the crowd writes by now does; true if anybody did.
    pub(super) async fn crowd_writes(&mut self) -> Result<bool, Problem> {
        let mut wrote = false;
        while let Some((phone, says)) = self.crowd.take_due(self.now()) {
            let now = self.now();
            self.deliver((&phone, says, None), now, (None, HEAD, "reply")).await?;
            wrote = true;
        }
        Ok(wrote)
    }
}
