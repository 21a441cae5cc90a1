//! Simulated people who answer at random, if the options have a model of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::base::{Problem, Timestamp};
use jiff::tz::TimeZone;

use super::act::Origin;
use super::{HEAD, Player};
use crate::crowd::{Answer, Asked, Model, answers, answers_after, asks};

/// What people were asked at random, and the texts that they will write.
pub(super) struct Crowd {
    model: Option<Model>,
    seed: u64,
    zone: TimeZone,
    /// Number of texts that asked each phone something.
    asked: BTreeMap<String, u32>,
    /// The texts to come, by time and then in the order in which they were drawn.
    to_come: BTreeMap<(Timestamp, u64), Thought>,
    /// Whether a text of the crowd is being delivered. Others that are due at the same instant wait until it
    /// is done, so that deliveries do not nest.
    is_heard: bool,
    thoughts: u64,
    /// Phones of people who ask rather than are asked; they do not answer at random.
    staff: BTreeSet<String>,
}

/// A text that a person will write, and to which tenant.
struct Thought {
    tenant: Arc<str>,
    phone: String,
    says: &'static str,
}

/// A text between a tenant and a person.
pub(super) enum Said {
    ToThem { phone: String, text: String, at: Timestamp },
    ByThem { phone: String },
}

impl Crowd {
    pub(super) fn new(model: Option<Model>, seed: u64, zone: &str) -> Self {
        Self {
            model,
            seed,
            zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC),
            asked: BTreeMap::new(),
            to_come: BTreeMap::new(),
            is_heard: false,
            thoughts: 0,
            staff: BTreeSet::new(),
        }
    }

    pub(super) fn leave_out(&mut self, phone: &str) {
        self.staff.insert(phone.to_owned());
    }

    /// Handles a text to a person: draws what they will answer.
    pub(super) fn get(&mut self, tenant: &Arc<str>, (phone, text): (&str, &str), at: Timestamp) {
        let Some(nth) = self.asked(phone, text) else { return };
        let Some(model) = &self.model else { return };
        let asked = Asked { seed: self.seed, person: phone, nth, at };
        let thought = answers(model, &asked, &self.zone);
        self.thinks((tenant, phone), thought);
    }

    /// Counts a text that asks a person something and returns its number, or `None` if it asks nothing.
    fn asked(&mut self, phone: &str, text: &str) -> Option<u32> {
        if self.staff.contains(phone) || !asks(text) {
            return None;
        }
        let nth = self.asked.entry(phone.to_owned()).or_default();
        *nth += 1;
        Some(*nth)
    }

    fn thinks(&mut self, (tenant, phone): (&Arc<str>, &str), thought: Vec<Answer>) {
        for Answer { at, says, .. } in thought {
            self.thoughts += 1;
            let thought = Thought { tenant: Arc::clone(tenant), phone: phone.to_owned(), says };
            self.to_come.insert((at, self.thoughts), thought);
        }
    }

    /// Takes over the texts from before the simulation, in order of time: a person who was asked and has not
    /// written since may still answer.
    pub(super) fn remember(&mut self, tenant: &Arc<str>, past: &[Said], now: Timestamp) {
        let mut open: BTreeMap<&str, (u32, Timestamp)> = BTreeMap::new();
        for said in past {
            match said {
                Said::ToThem { phone, text, at } => {
                    if let Some(nth) = self.asked(phone, text) {
                        open.insert(phone, (nth, *at));
                    }
                }
                Said::ByThem { phone } => {
                    open.remove(phone.as_str());
                }
            }
        }
        let Some(model) = self.model.clone() else { return };
        for (phone, (nth, at)) in open {
            let asked = Asked { seed: self.seed, person: phone, nth, at };
            let thought = answers_after(now, &model, &asked, &self.zone);
            self.thinks((tenant, phone), thought);
        }
    }

    /// Returns when the next person writes.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.to_come.first_key_value().map(|((at, _), _)| *at)
    }

    /// Removes and returns the next text that is due by now.
    fn take_due(&mut self, now: Timestamp) -> Option<Thought> {
        let due = self.to_come.first_entry().filter(|first| first.key().0 <= now)?;
        Some(due.remove())
    }
}

impl Player<'_> {
    /// Delivers the texts that people write by now; returns whether there were any.
    pub(super) async fn crowd_writes(&mut self) -> Result<bool, Problem> {
        let mut wrote = false;
        if std::mem::replace(&mut self.crowd.is_heard, true) {
            return Ok(false);
        }
        while let Some(Thought { tenant, phone, says }) = self.crowd.take_due(self.now()) {
            let now = self.now();
            let from = Origin { tenant, name: None, place: HEAD, verb: "reply" };
            self.deliver((&phone, says, None), now, from).await?;
            wrote = true;
        }
        self.crowd.is_heard = false;
        Ok(wrote)
    }
}
