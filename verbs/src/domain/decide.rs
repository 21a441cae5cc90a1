//! Decides how to handle a message, given its meaning and the sender's open asks. All functions are pure.

use abide_engine::base::{ApprovalId, Problem, Value};
use abide_engine::domain::OpenAsks;
use abide_engine::run::ApprovalDecision;
use abide_engine::store::ApprovalState;
use serde::Deserialize;

use super::view::{SenderApproval, SenderAsk, Standing, View};
use crate::data::question::ClarificationKind;
use crate::reader::ruling::RulingReading;
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
    /// Approve or refuse what the sender was asked to decide.
    Rule(SenderApproval, ApprovalDecision),
    /// Answer that what the sender decides is decided already, or that the time is over.
    RuledBefore(SenderApproval),
    /// Ask the sender which of several approvals the message decides, and how, as far as it says so.
    AskWhichApproval(Vec<SenderApproval>, Option<ApprovalDecision>),
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
    let ruling = meaning.get("ruling").and_then(RulingReading::from_value);
    let ruled = ruling.and_then(|ruling| decide_ruling(&view, ruling, &staff));
    let decision = ruled.unwrap_or_else(|| decide(&view, reply, &staff));
    Ok((view, decision))
}

/// What the sender was asked about several approvals.
#[derive(Deserialize)]
struct AskedWhich {
    approvals: Vec<ApprovalId>,
    decision: Option<ApprovalDecision>,
}

/// Decides how to handle a message that may decide an approval. Returns `None` if it is meant for something
/// else. A yes or a no that does not say that it approves goes to an open invitation or question first, after
/// the sender was asked once which it is meant for.
fn decide_ruling(view: &View, reading: RulingReading, staff: &StaffReading) -> Option<Decision> {
    let question = view.question.as_ref();
    let asked: Option<AskedWhich> = question
        .filter(|question| question.kind == ClarificationKind::Approval)
        .and_then(|question| serde_json::from_value(question.about.clone()).ok());
    let invited = view.asks.iter().any(|ask| ask.standing == Standing::Open);
    if !reading.explicit && reading.which.is_none() {
        let elsewhere = match question.map(|question| question.kind) {
            Some(ClarificationKind::Approval | ClarificationKind::Again) => invited,
            Some(ClarificationKind::Unmatched) | None => false,
            Some(_) => true,
        };
        if elsewhere || understood(staff) {
            return None;
        }
    }
    let decision = reading.decision.or_else(|| asked.as_ref()?.decision)?;
    let open: Vec<SenderApproval> =
        view.approvals.iter().filter(|it| it.state == ApprovalState::Pending).cloned().collect();
    let meant = match (reading.which, &asked) {
        (Some(n), Some(asked)) => {
            let id = asked.approvals.get(n - 1)?;
            view.approvals.iter().find(|approval| approval.id == *id).cloned()
        }
        (Some(n), None) => open.get(n - 1).cloned(),
        (None, _) if open.len() == 1 => open.first().cloned(),
        (None, _) => None,
    };
    Some(match meant {
        Some(approval) if approval.state != ApprovalState::Pending => {
            Decision::RuledBefore(approval)
        }
        Some(_) if invited && !reading.explicit && reading.which.is_none() => {
            Decision::AskWhichApproval(open, Some(decision))
        }
        Some(approval) => Decision::Rule(approval, decision),
        None if open.is_empty() => {
            let is_free = reading.explicit || matches!(focus(view), Focus::Nothing);
            Decision::RuledBefore(view.approvals.last().filter(|_| is_free)?.clone())
        }
        None => Decision::AskWhichApproval(open, Some(decision)),
    })
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
    use crate::reader::ruling;

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
            approvals: Vec::new(),
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
            Decision::Rule(approval, decision) => {
                format!("{decision} {}", approval.id.uuid().as_u128())
            }
            Decision::RuledBefore(approval) => format!("before {}", approval.id.uuid().as_u128()),
            Decision::AskWhichApproval(approvals, _) => format!("which of {}", approvals.len()),
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

    /// A supervisor with these approvals, and with an invitation if `invited`.
    fn supervisor(states: &[ApprovalState], invited: bool) -> View {
        let standings: &[Standing] = if invited { &[Standing::Open] } else { &[] };
        let approval = |(state, n): (&ApprovalState, u128)| SenderApproval {
            person: id(1),
            id: id(n),
            what: "text 60 people".to_owned(),
            state: *state,
        };
        let approvals = states.iter().zip(1..).map(approval).collect();
        View { approvals, ..view(standings, true) }
    }

    #[test]
    fn a_supervisor_decides_by_text_what_the_text_can_mean_alone() {
        use ApprovalState::{Approved, Pending};
        let cases: &[(&[ApprovalState], bool, &str, &str)] = &[
            (&[Pending], false, "yes", "approve 1"),
            (&[Pending], false, "no", "deny 1"),
            (&[Pending], false, "approve", "approve 1"),
            (&[Pending], true, "approve", "approve 1"),
            (&[Pending], true, "yes", "which of 1"),
            (&[Pending, Pending], false, "yes", "which of 2"),
            (&[Pending, Pending], false, "yes 2", "approve 2"),
            (&[Pending, Pending], true, "deny 1", "deny 1"),
            (&[Pending, Pending], false, "approve 3", "which of 2"),
            (&[Approved], false, "yes", "before 1"),
            (&[Approved, Pending], false, "yes", "approve 2"),
            (&[Approved], true, "yes", "-"),
            (&[Pending], false, "2", "-"),
        ];
        for (states, invited, text, expected) in cases {
            let reading = ruling::read(text).expect("a ruling");
            let view = supervisor(states, *invited);
            let found = decide_ruling(&view, reading, &StaffReading::unclear());
            let found = found.map_or("-".to_owned(), |decision| shown(&decision));
            assert_eq!(found, *expected, "{states:?} {invited} {text}");
        }
    }

    #[test]
    fn the_answer_to_which_approval_keeps_the_decision() {
        let mut view = supervisor(&[ApprovalState::Pending, ApprovalState::Pending], true);
        let ids: Vec<ApprovalId> = view.approvals.iter().map(|approval| approval.id).collect();
        view.question = Some(OpenClarification {
            person: id(1),
            kind: ClarificationKind::Approval,
            about: json!({"approvals": ids, "decision": "deny"}),
        });
        let decided = |text| {
            let reading = ruling::read(text).expect("a ruling");
            let found = decide_ruling(&view, reading, &StaffReading::unclear());
            found.map_or("-".to_owned(), |decision| shown(&decision))
        };
        assert_eq!(decided("2"), "deny 2");
        assert_eq!(decided("yes"), "-", "a plain yes now answers the invitation");
    }

    #[test]
    fn a_request_of_staff_is_no_approval() {
        let fill = StaffReading { intent: Intent::FillRole, ..StaffReading::unclear() };
        let reading = ruling::read("yes").expect("a ruling");
        assert_eq!(
            decide_ruling(&supervisor(&[ApprovalState::Pending], false), reading, &fill),
            None
        );
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
