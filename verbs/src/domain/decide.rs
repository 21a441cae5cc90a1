//! Decides how to handle a message, given its meaning and the sender's open asks. All functions are pure.

use abide_engine::base::{Problem, Value};
use abide_engine::domain::OpenAsks;

use super::view::{SenderAsk, Standing, View};
use crate::data::question::ClarificationKind;
use crate::reader::{Intent, Label, Reading, ReplyContext, StaffReading};

/// How to handle a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// The sender says yes to an open offer or question.
    Accept(SenderAsk),
    /// The sender says no to an open offer or question.
    Decline(SenderAsk),
    /// The sender gives up a place or a rank on the waitlist.
    Release(SenderAsk),
    /// The sender says yes to an offer that has ended, but the request is still live.
    Revive(SenderAsk),
    /// The sender says yes, but the request is cancelled or closed. Answer that it is too late.
    TooLate(SenderAsk),
    /// Do nothing, because the message changes nothing: for example, a person who has a place says yes.
    Ignore(SenderAsk),
    /// Ask the sender which of several asks the message answers. The label says
    /// how the message answers the ask that the sender then chooses.
    AskWhich(Vec<SenderAsk>, Label),
    /// Ask the sender to write more clearly: the message does not clearly answer the open ask.
    Unclear(SenderAsk),
    /// Start a run that fills a role, because a member of staff has asked for it in the message.
    Start(StaffReading),
    /// Ask the member of staff for the details that are missing, such as the time of the service.
    AskForMissing(StaffReading),
    /// Ask the member of staff to write more clearly, because the message was not understood.
    NotUnderstood,
    /// Put the message in the inbox of staff, because the sender has no open ask.
    Unmatched,
    /// Put the message in the inbox of staff, because the sender is not in the directory.
    Unknown,
}

/// The asks that a message can answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Focus {
    One(SenderAsk),
    Several(Vec<SenderAsk>),
    Nothing,
}

/// Returns the asks that a message can answer. These are the open asks. If no ask is open, they are the
/// places and waitlist ranks. If there are none of these either, it is the newest ask that has ended.
pub(super) fn focus(view: &View) -> Focus {
    let of = |wanted: &[Standing]| -> Vec<SenderAsk> {
        view.asks.iter().filter(|ask| wanted.contains(&ask.standing)).cloned().collect()
    };
    for rank in [&[Standing::Open][..], &[Standing::Place, Standing::Waiting]] {
        let mut found = of(rank);
        match found.len() {
            0 => {}
            1 => return Focus::One(found.remove(0)),
            _ => return Focus::Several(found),
        }
    }
    let newest = of(&[Standing::Past, Standing::Over]).into_iter().max_by_key(|ask| ask.offer);
    newest.map_or(Focus::Nothing, Focus::One)
}

/// Returns the context in which the interpreter reads the message: what the sender can answer.
pub(super) fn context(view: &View) -> ReplyContext {
    let standing = match focus(view) {
        Focus::One(ask) => ask.standing,
        Focus::Several(asks) => asks.first().map_or(Standing::Past, |ask| ask.standing),
        Focus::Nothing => return ReplyContext::Nothing,
    };
    match standing {
        Standing::Open => ReplyContext::Invite,
        Standing::Place | Standing::Waiting => ReplyContext::Place,
        Standing::Past | Standing::Over => ReplyContext::Nothing,
    }
}

/// Reads the stored view and meaning of a message. Returns the view and the decision about the message.
pub(super) fn decided(asks: &OpenAsks, meaning: &Value) -> Result<(View, Decision), Problem> {
    let view = View::from_value(&asks.view)?;
    let reply = Reading::from_value(meaning.get("reply").unwrap_or(&Value::Null));
    let staff = StaffReading::from_value(meaning.get("staff").unwrap_or(&Value::Null));
    let decision = decide(&view, reply, &staff);
    Ok((view, decision))
}

/// Decides how to handle a message. `reply` is the meaning that the message has as a reply to an ask;
/// `staff` is the meaning that it has as a message from staff.
pub(super) fn decide(view: &View, reply: Reading, staff: &StaffReading) -> Decision {
    if view.senders.is_empty() {
        return Decision::Unknown;
    }
    match (focus(view), label(view, reply)) {
        (Focus::One(ask), label) => decide_one(view, ask, label, staff),
        (Focus::Several(asks), label) => decide_several(view, asks, label, staff),
        (Focus::Nothing, _) => nothing_open(view, staff),
    }
}

/// Returns the label of the message, such as `accept`. If the message only says which of several asks
/// an earlier message meant, returns the label of the earlier message.
fn label(view: &View, reply: Reading) -> Label {
    let asked = view.question.as_ref().filter(|question| question.kind == ClarificationKind::Which);
    match (reply.label, asked) {
        (Label::Unclear, Some(question)) if view.narrowed => {
            Reading::from_value(&question.about).label
        }
        (label, _) => label,
    }
}

fn decide_one(view: &View, ask: SenderAsk, label: Label, staff: &StaffReading) -> Decision {
    let places = || view.asks.iter().filter(|ask| ask.standing == Standing::Place);
    match (ask.standing, label) {
        (_, Label::Unclear) if understood(staff) => requested(staff),
        (Standing::Open, Label::Accept) => Decision::Accept(ask),
        // "I can't make it any more" may refer to the open offer
        // or to a place that the person holds, so ask which one is meant.
        (Standing::Open, Label::CancelLater) if places().next().is_some() => {
            Decision::AskWhich(places().cloned().chain([ask]).collect(), label)
        }
        (Standing::Open, Label::Decline | Label::CancelLater) => Decision::Decline(ask),
        (Standing::Open, Label::Unclear) => Decision::Unclear(ask),
        (Standing::Place | Standing::Waiting, Label::Decline | Label::CancelLater) => {
            Decision::Release(ask)
        }
        (Standing::Past, Label::Accept) => Decision::Revive(ask),
        (Standing::Over, Label::Accept) => Decision::TooLate(ask),
        (_, Label::Unclear) => nothing_open(view, staff),
        (_, _) => Decision::Ignore(ask),
    }
}

fn decide_several(
    view: &View,
    asks: Vec<SenderAsk>,
    label: Label,
    staff: &StaffReading,
) -> Decision {
    let open = asks.iter().all(|ask| ask.standing == Standing::Open);
    match (label, asks.first().cloned()) {
        (Label::Unclear, _) if understood(staff) => requested(staff),
        (Label::Unclear, _) if !open => nothing_open(view, staff),
        (Label::Accept, Some(first)) if !open => Decision::Ignore(first),
        _ => Decision::AskWhich(asks, label),
    }
}

fn nothing_open(view: &View, staff: &StaffReading) -> Decision {
    match view.staff() {
        Some(_) if understood(staff) => requested(staff),
        Some(_) => Decision::NotUnderstood,
        None => Decision::Unmatched,
    }
}

fn understood(staff: &StaffReading) -> bool {
    staff.intent != Intent::Unclear
}

fn requested(staff: &StaffReading) -> Decision {
    match staff.intent {
        Intent::FillRole => Decision::Start(staff.clone()),
        Intent::Clarify | Intent::Unclear => Decision::AskForMissing(staff.clone()),
    }
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{OfferId, PersonId, RequestId, TypedId};
    use serde_json::json;

    use super::*;
    use crate::domain::view::{OpenClarification, PossibleSender};

    fn id<T: TypedId>(n: u128) -> T {
        T::from_uuid(uuid::Uuid::from_u128(n))
    }

    /// Builds an ask. The id of the person is 1, and the id of the request is `n`.
    fn ask(n: u128, standing: Standing) -> SenderAsk {
        SenderAsk {
            person: id::<PersonId>(1),
            request: id::<RequestId>(n),
            role: "nursery".to_owned(),
            time: "2025-10-05T14:00:00Z".parse().expect("an instant"),
            standing,
            offer: Some(id::<OfferId>(n)),
            question: None,
        }
    }

    fn view(standings: &[Standing], staff: bool) -> View {
        View {
            senders: vec![PossibleSender { person: id(1), name: "Ana".to_owned(), staff }],
            asks: standings.iter().zip(1..).map(|(standing, n)| ask(n, *standing)).collect(),
            narrowed: false,
            question: None,
            zone: "America/Chicago".to_owned(),
            services: Vec::new(),
        }
    }

    fn shown(decision: &Decision) -> String {
        let n = |ask: &SenderAsk| ask.request.uuid().as_u128();
        match decision {
            Decision::Accept(ask) => format!("accept {}", n(ask)),
            Decision::Decline(ask) => format!("decline {}", n(ask)),
            Decision::Release(ask) => format!("release {}", n(ask)),
            Decision::Revive(ask) => format!("revive {}", n(ask)),
            Decision::TooLate(ask) => format!("too_late {}", n(ask)),
            Decision::Ignore(ask) => format!("settled {}", n(ask)),
            Decision::Unclear(ask) => format!("unclear {}", n(ask)),
            Decision::AskWhich(asks, label) => format!("which {} {label}", asks.len()),
            Decision::Start(_) => "start".to_owned(),
            Decision::AskForMissing(_) => "missing".to_owned(),
            Decision::NotUnderstood => "beyond".to_owned(),
            Decision::Unmatched => "unmatched".to_owned(),
            Decision::Unknown => "unknown".to_owned(),
        }
    }

    fn reading(label: Label) -> Reading {
        Reading { label, confidence: 0.9 }
    }

    #[test]
    fn what_a_volunteer_says_meets_what_is_open() {
        use Label::{Accept, CancelLater, Decline, Unclear};
        use Standing::{Open, Over, Past, Place, Waiting};
        let cases: &[(&[Standing], Label, &str)] = &[
            (&[Open], Accept, "accept 1"),
            (&[Open], Decline, "decline 1"),
            (&[Open], CancelLater, "decline 1"),
            (&[Open], Unclear, "unclear 1"),
            (&[Place], Accept, "settled 1"),
            (&[Place], Decline, "release 1"),
            (&[Place], CancelLater, "release 1"),
            (&[Place], Unclear, "unmatched"),
            (&[Waiting], CancelLater, "release 1"),
            (&[Waiting], Accept, "settled 1"),
            (&[Past], Accept, "revive 1"),
            (&[Past], Decline, "settled 1"),
            (&[Over], Accept, "too_late 1"),
            (&[Past, Past], Accept, "revive 2"),
            (&[Open, Open], Accept, "which 2 accept"),
            (&[Open, Open], Decline, "which 2 decline"),
            (&[Open, Open], Unclear, "which 2 unclear"),
            (&[Open, Place], Accept, "accept 1"),
            (&[Open, Place], Decline, "decline 1"),
            (&[Open, Place], CancelLater, "which 2 cancel_later"),
            (&[Place, Place], CancelLater, "which 2 cancel_later"),
            (&[Place, Place], Accept, "settled 1"),
            (&[Place, Past], Accept, "settled 1"),
            (&[], Accept, "unmatched"),
        ];
        for (standings, label, expected) in cases {
            let found = decide(&view(standings, false), reading(*label), &StaffReading::unclear());
            assert_eq!(shown(&found), *expected, "{standings:?} {label}");
        }
    }

    #[test]
    fn staff_are_heard_unless_they_answer_an_offer() {
        let request = |intent| StaffReading { intent, ..StaffReading::unclear() };
        let cases: &[(&[Standing], Label, Intent, &str)] = &[
            (&[], Label::Unclear, Intent::FillRole, "start"),
            (&[], Label::Unclear, Intent::Clarify, "missing"),
            (&[], Label::Unclear, Intent::Unclear, "beyond"),
            (&[Standing::Open], Label::Accept, Intent::Unclear, "accept 1"),
            (&[Standing::Open], Label::Unclear, Intent::FillRole, "start"),
            (&[Standing::Open], Label::Unclear, Intent::Unclear, "unclear 1"),
            (&[Standing::Place], Label::Unclear, Intent::Clarify, "missing"),
        ];
        for (standings, label, intent, expected) in cases {
            let found = decide(&view(standings, true), reading(*label), &request(*intent));
            assert_eq!(shown(&found), *expected, "{standings:?} {label} {intent}");
        }
    }

    #[test]
    fn the_answer_to_which_keeps_the_earlier_label() {
        let mut view = view(&[Standing::Open], false);
        view.narrowed = true;
        view.question = Some(OpenClarification {
            person: id(1),
            kind: ClarificationKind::Which,
            about: json!({"label": "decline", "confidence": 0.9}),
        });
        let found = decide(&view, Reading::UNCLEAR, &StaffReading::unclear());
        assert_eq!(shown(&found), "decline 1");
    }

    #[test]
    fn a_stranger_is_never_understood() {
        let mut view = view(&[], false);
        view.senders.clear();
        let found = decide(&view, reading(Label::Accept), &StaffReading::unclear());
        assert_eq!(found, Decision::Unknown);
    }
}
