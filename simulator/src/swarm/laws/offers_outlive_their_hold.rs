//! Law: no offer expires before its invitation could be sent.
//! If quiet hours delay the invitation, the time until the offer expires starts when the quiet hours end.

use abide_engine::base::{Span, Timestamp, TypedId as _};
use abide_engine::facade::MessageView;
use abide_engine::store::MessageState;

use super::history::{INVITATIONS, ended, instant, lapsed, may_be_a_reply};
use crate::play::TenantEvidence;

/// The time that a running process may take to notice that quiet hours delay a message that is due.
const HELD_WITHIN: Span = Span::from_secs(60);

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    for (place, event) in evidence.events.iter().enumerate() {
        if !lapsed(event) || may_be_a_reply(evidence, place) {
            continue;
        }
        for offer in ended(event).filter_map(|id| evidence.offers.get(&id)) {
            let phone = evidence.phones.get(&offer.person);
            let invites = |message: &&MessageView| {
                Some(&message.to) == phone
                    && message.request_id.is_some_and(|id| id.uuid() == event.stream.uuid())
                    && INVITATIONS.contains(&message.kind.as_deref().unwrap_or_default())
            };
            let never_left = |message: &MessageView| {
                message.state == MessageState::Cancelled && message.attempts.unwrap_or(0) == 0
            };
            let invitations: Vec<_> = evidence.messages.iter().filter(invites).collect();
            let held = |message: &MessageView| held_back(evidence, message, offer.expires_at);
            let never_asked = invitations.iter().all(|message| never_left(message));
            if let Some(message) = invitations.iter().find(|message| never_asked && held(message)) {
                broken.push(format!("the offer to {} ended at {} unasked", message.to, event.at));
            }
        }
    }
    broken
}

/// Whether quiet hours delayed an invitation until after its offer had ended, although a running process
/// could have noticed the delay and kept the offer open. Any event during the delay shows that a process
/// was running.
/// `over` is the instant at which the offer ended.
fn held_back(evidence: &TenantEvidence, message: &MessageView, over: Timestamp) -> bool {
    let quiet = evidence.settings.quiet_hours;
    let decided = instant(Some(&message.created_at)).unwrap_or(over);
    // Of people who share a number, the invitation is meant for one.
    evidence.zones_at(&message.to).iter().all(|zone| {
        let until = quiet.permitted(over, zone);
        let in_the_same_night = |at: Timestamp| {
            at > decided && at + HELD_WITHIN < over && quiet.permitted(at, zone) == until
        };
        until > over && evidence.events.iter().any(|event| in_the_same_night(event.at))
    })
}
