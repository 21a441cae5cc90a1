//! Lets simulated people answer at random, if the options contain a model of how people answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::base::{Problem, Timestamp};
use jiff::tz::TimeZone;

use super::Player;
use super::command::StepRef;
use super::steps::WrittenText;
use crate::crowd::{
    CrowdAnswer, CrowdModel, TextToAnswer, draw_answers, draw_answers_after, is_question,
};
use crate::scenario::StepKind;

/// The simulated people: how many questions each person got, and the messages that they will write.
pub(super) struct Crowd {
    model: Option<CrowdModel>,
    seed: u64,
    zone: TimeZone,
    /// Number of messages that asked something, by the recipient's phone number.
    asked: BTreeMap<String, u32>,
    /// The messages that people will write, sorted by time and then by the order in which they were drawn.
    planned: BTreeMap<(Timestamp, u64), PlannedText>,
    /// Whether a message of the crowd is being delivered. Other messages
    /// that are due at the same instant wait until the delivery is done, so that deliveries do not nest.
    is_delivering: bool,
    planned_count: u64,
    /// Phone numbers of staff. Staff do not answer at random: they write only what the scenario says.
    staff: BTreeSet<String>,
}

/// A message that a person will write to a tenant.
struct PlannedText {
    tenant: Arc<str>,
    phone: String,
    body: &'static str,
}

/// A message between a tenant and a person that was sent before the simulation started.
pub(super) enum PastText {
    ToThem { phone: String, text: String, at: Timestamp },
    ByThem { phone: String },
}

impl Crowd {
    pub(super) fn new(model: Option<CrowdModel>, seed: u64, zone: &str) -> Self {
        Self {
            model,
            seed,
            zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC),
            asked: BTreeMap::new(),
            planned: BTreeMap::new(),
            is_delivering: false,
            planned_count: 0,
            staff: BTreeSet::new(),
        }
    }

    pub(super) fn exclude(&mut self, phone: &str) {
        self.staff.insert(phone.to_owned());
    }

    /// Draws a person's answers to a message, and plans when the answers are delivered.
    pub(super) fn receive(&mut self, tenant: &Arc<str>, phone: &str, text: &str, at: Timestamp) {
        let Some(nth) = self.asked(phone, text) else { return };
        let Some(model) = &self.model else { return };
        let asked = TextToAnswer { seed: self.seed, person: phone, nth, at };
        let answers = draw_answers(model, &asked, &self.zone);
        self.plan(tenant, phone, answers);
    }

    /// Counts a message that asks a person something,
    /// and returns the number of such messages to this person so far.
    /// Returns `None` if the message asks nothing or the person is staff.
    fn asked(&mut self, phone: &str, text: &str) -> Option<u32> {
        if self.staff.contains(phone) || !is_question(text) {
            return None;
        }
        let nth = self.asked.entry(phone.to_owned()).or_default();
        *nth += 1;
        Some(*nth)
    }

    fn plan(&mut self, tenant: &Arc<str>, phone: &str, answers: Vec<CrowdAnswer>) {
        for CrowdAnswer { at, body } in answers {
            self.planned_count += 1;
            let text = PlannedText { tenant: Arc::clone(tenant), phone: phone.to_owned(), body };
            self.planned.insert((at, self.planned_count), text);
        }
    }

    /// Takes over the messages `past`, which were sent before the simulation and must be in order of time.
    /// A person who was asked and has not written since then may still answer.
    pub(super) fn remember(&mut self, tenant: &Arc<str>, past: &[PastText], now: Timestamp) {
        let mut open: BTreeMap<&str, (u32, Timestamp)> = BTreeMap::new();
        for text in past {
            match text {
                PastText::ToThem { phone, text, at } => {
                    if let Some(nth) = self.asked(phone, text) {
                        open.insert(phone, (nth, *at));
                    }
                }
                PastText::ByThem { phone } => {
                    open.remove(phone.as_str());
                }
            }
        }
        let Some(model) = self.model.clone() else { return };
        for (phone, (nth, at)) in open {
            let asked = TextToAnswer { seed: self.seed, person: phone, nth, at };
            let answers = draw_answers_after(now, &model, &asked, &self.zone);
            self.plan(tenant, phone, answers);
        }
    }

    /// Returns the instant at which the next simulated person writes; `None` if nobody will write.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.planned.first_key_value().map(|((at, _), _)| *at)
    }

    /// Removes and returns the next message that is due by `now`.
    fn take_due(&mut self, now: Timestamp) -> Option<PlannedText> {
        let due = self.planned.first_entry().filter(|first| first.key().0 <= now)?;
        Some(due.remove())
    }
}

impl Player<'_> {
    /// Delivers the messages that simulated people have written by now.
    /// Returns whether any message was delivered.
    pub(super) async fn deliver_crowd_texts(&mut self) -> Result<bool, Problem> {
        let mut wrote = false;
        if std::mem::replace(&mut self.crowd.is_delivering, true) {
            return Ok(false);
        }
        while let Some(PlannedText { tenant, phone, body }) = self.crowd.take_due(self.now()) {
            let text = WrittenText {
                tenant,
                from: &phone,
                body,
                id: None,
                received_at: self.now(),
                run_name: None,
                step: StepRef::none(StepKind::Reply.as_str()),
            };
            self.deliver(text).await?;
            wrote = true;
        }
        self.crowd.is_delivering = false;
        Ok(wrote)
    }
}
