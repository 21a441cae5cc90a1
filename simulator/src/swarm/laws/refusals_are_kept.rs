//! Law: no message goes to a number that has opted out,
//! no message is sent while the kill switch is on, and no invitation is sent in quiet hours.
//!
//! Opt-outs and the kill switch are judged by the order in which the provider accepts and receives messages
//! and the engine acknowledges commands, because clocks may be wrong. Quiet hours are judged by the time at
//! which a message was handed to the provider.
//! A message whose request to the provider began at least [`START_WITHIN`] before an answer may still arrive after it.
//! An opt-out applies to every message that the provider accepts
//! after the engine has acknowledged the opt-out, unless the provider received an opt-in after the opt-out.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::driver::START_WITHIN;
use abide_engine::policy::QuietHours;

use super::history::BEGINS_WITHIN;
use crate::play::{
    AcceptedMessage, EngineCommand, Exchange, JournalEntry, SendBegin, TenantEvidence,
};

/// Messages by which a person who has opted out consents to messages again: the words of carriers, and what somebody
/// writes so in a scenario.
const OPT_IN: [&str; 5] =
    ["start", "unstop", "yes", "subscribe", "don't stop texting me, i like these"];
/// Templates of messages that the recipient has not asked for.
const UNASKED: [&str; 2] = ["invite", "last_call"];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut refusals = Refusals::of(evidence.settings.quiet_hours);
    let mut journal = evidence.journal.iter().peekable();
    let kinds: BTreeMap<_, &str> = evidence
        .messages
        .iter()
        .map(|message| (message.id, message.kind.as_deref().unwrap_or_default()))
        .collect();
    let mut broken = Vec::new();
    for AcceptedMessage { nth, begin, message: sent } in &evidence.sent {
        while let Some(entry) = journal.next_if(|entry| entry.sent <= *nth) {
            refusals.learn(entry);
        }
        let unasked = kinds.get(&sent.id).is_some_and(|kind| UNASKED.contains(kind));
        let forbids = |answer: &&JournalEntry| !was_on_its_way(*begin, answer);
        if let Some(paused) = refusals.paused.filter(forbids) {
            broken.push(format!(
                "{} was sent under the kill switch, at {}; the switch was answered at {}",
                sent.id, sent.at, paused.at
            ));
        }
        if refusals.out.get(sent.to.as_str()).copied().filter(forbids).is_some() {
            broken.push(format!("{} was sent to {}, who has opted out", sent.id, sent.to));
        }
        // Of people who share a number, it is meant for one.
        let mut zones = evidence.zones_at(&sent.to).iter();
        let asleep = zones.all(|zone| refusals.quiet.permitted(sent.at, zone) != sent.at);
        // A message that was released before the quiet hours
        // changed may still leave shortly after the change.
        if unasked
            && asleep
            && sent.at > refusals.changed + BEGINS_WITHIN + evidence.clock_tolerance
        {
            broken.push(format!(
                "{} was sent to {} in quiet hours, at {}",
                sent.id, sent.to, sent.at
            ));
        }
    }
    broken
}

/// Whether a message was already on its way to the provider when the engine gave an answer, and the engine had waited
/// for it as long as it promises. The provider may get such a message later, however slow the network is.
fn was_on_its_way(begin: Option<SendBegin>, answer: &JournalEntry) -> bool {
    begin.is_some_and(|begin| begin.nth < answer.begun && answer.at >= begin.at + START_WITHIN)
}

/// What forbids sending at one point of the simulation: the kill switch, opt-outs and quiet hours.
struct Refusals<'e> {
    /// The answer that the kill switch is on; `None` if it is off.
    paused: Option<&'e JournalEntry>,
    /// The phone numbers that have opted out, each with the answer to the opt-out.
    out: BTreeMap<&'e str, &'e JournalEntry>,
    quiet: QuietHours,
    /// When the quiet hours last changed.
    changed: Timestamp,
    /// The last opt-in of each phone number:
    /// when the provider received the message, and the position of the message among all received messages.
    opted_in: BTreeMap<&'e str, (Timestamp, usize)>,
    /// By message id: when the provider received the message, and
    /// the position of the message among all received messages.
    heard: BTreeMap<&'e str, (Timestamp, usize)>,
}

impl<'e> Refusals<'e> {
    fn of(quiet: QuietHours) -> Self {
        let (out, opted_in, heard) = Default::default();
        Self { paused: None, out, quiet, changed: Timestamp::EPOCH, opted_in, heard }
    }

    fn learn(&mut self, entry: &'e JournalEntry) {
        match &entry.what {
            Exchange::TextReceived { id, from, body } => {
                let taken = (entry.at, self.heard.len());
                self.heard.entry(id).or_insert(taken);
                let word = body.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
                if OPT_IN.contains(&word.as_str()) {
                    self.opted_in.insert(from, taken);
                    self.out.remove(from.as_str());
                }
            }
            Exchange::CommandSent(EngineCommand::Tenant { paused: false }) => self.paused = None,
            // Until the change is acknowledged, the old or the
            // new quiet hours may apply, so no quiet hours are checked.
            Exchange::CommandSent(EngineCommand::Configure(changes))
                if changes.get("quiet_hours").is_some() =>
            {
                self.quiet = QuietHours::NONE;
            }
            Exchange::CommandDone(EngineCommand::Configure(changes), _) => {
                if let Some(quiet) = changes.get("quiet_hours").cloned() {
                    self.quiet = serde_json::from_value(quiet).unwrap_or(QuietHours::NONE);
                    self.changed = entry.at;
                }
            }
            Exchange::CommandDone(EngineCommand::Tenant { paused: true }, _) => {
                self.paused = Some(entry);
            }
            Exchange::CommandDone(EngineCommand::Receive(message), Some(handled))
                if handled == "opt_out" =>
            {
                let taken = self.heard.get(message.id.as_str());
                if taken > self.opted_in.get(message.from.as_str()) {
                    self.out.insert(&message.from, entry);
                }
            }
            _ => {}
        }
    }
}
