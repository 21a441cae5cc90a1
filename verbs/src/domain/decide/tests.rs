use abide_agent::ruling;
use abide_engine::base::{ApprovalId, OfferId, PersonId, RequestId, TypedId};
use abide_engine::store::ApprovalState;
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
        senders: vec![PossibleSender {
            person: id(1),
            name: "Ana".to_owned(),
            staff,
            language: None,
        }],
        asks: standings.iter().zip(1..).map(|(standing, n)| ask(n, *standing)).collect(),
        zone: "America/Chicago".to_owned(),
        ..View::default()
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
        Decision::KeepOpen(ask, label) => format!("keep {} {label}", n(ask)),
        Decision::Doubt(ask) => format!("doubt {}", n(ask)),
        Decision::Question(ask) => format!("question {}", ask.as_ref().map_or(0, n)),
        Decision::BesidesAsked(ask) => format!("besides {}", n(ask)),
        Decision::Each(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
        Decision::AskWhich(asks, label) => {
            format!("which {} {}", asks.len(), label.map_or("unclear", ReplyLabel::as_str))
        }
        Decision::Rule(approval, decision) => {
            format!("{decision} {}", approval.id.uuid().as_u128())
        }
        Decision::RuledBefore(approval) => format!("before {}", approval.id.uuid().as_u128()),
        Decision::AskWhichApproval(approvals, _) => format!("which of {}", approvals.len()),
        Decision::OptIn => "opt_in".to_owned(),
        Decision::Help => "help".to_owned(),
        Decision::Grave => "grave".to_owned(),
        Decision::Obey(orders) => orders.iter().map(order_shown).collect::<Vec<_>>().join(", "),
        Decision::Confirmed(order) => format!("confirmed {}", order_shown(order)),
        Decision::Start(start) => format!("start {}", start.method),
        Decision::Dropped => "dropped".to_owned(),
        Decision::NotUnderstood => "beyond".to_owned(),
        Decision::Unmatched => "unmatched".to_owned(),
        Decision::Unknown => "unknown".to_owned(),
    }
}

fn order_shown(order: &Order) -> String {
    match order {
        Order::Fill(_) => "fill",
        Order::Cancel(_) => "cancel",
        Order::AskBack(_) => "missing",
        _ => "another order",
    }
    .to_owned()
}

/// The meaning of a message that does this; `None` for one that is not clear.
fn meaning(label: Option<ReplyLabel>) -> Meaning {
    Meaning { label, ..Meaning::default() }
}

#[test]
fn what_a_volunteer_says_meets_what_is_open() {
    use ReplyLabel::{Accept, CancelLater, Conditional, Decline, Help, OptIn, Question, Tentative};
    use Standing::{Open, Over, Past, Place, Waiting};
    let cases: &[(&[Standing], Option<ReplyLabel>, &str)] = &[
        (&[Open], Some(Accept), "accept 1"),
        (&[Open], Some(Decline), "decline 1"),
        (&[Open], Some(CancelLater), "decline 1"),
        (&[Open], Some(Conditional), "keep 1 conditional"),
        (&[Open], Some(Tentative), "keep 1 tentative"),
        (&[Open], Some(Question), "question 1"),
        (&[Open], None, "unclear 1"),
        (&[Place], Some(Accept), "settled 1"),
        (&[Place], Some(Decline), "release 1"),
        (&[Place], Some(CancelLater), "release 1"),
        (&[Place], Some(Tentative), "doubt 1"),
        (&[Place], Some(Question), "question 1"),
        (&[Place], None, "unmatched"),
        (&[Waiting], Some(CancelLater), "release 1"),
        (&[Waiting], Some(Accept), "settled 1"),
        (&[Past], Some(Accept), "revive 1"),
        (&[Past], Some(Decline), "settled 1"),
        (&[Past], Some(Tentative), "unmatched"),
        (&[Over], Some(Accept), "too_late 1"),
        (&[Past, Past], Some(Accept), "revive 2"),
        (&[Open, Open], Some(Accept), "which 2 accept"),
        (&[Open, Open], Some(Decline), "which 2 decline"),
        (&[Open, Open], Some(Tentative), "keep 1 tentative"),
        (&[Open, Open], None, "which 2 unclear"),
        (&[Open, Place], Some(Accept), "accept 1"),
        (&[Open, Place], Some(Decline), "decline 1"),
        (&[Open, Place], Some(CancelLater), "which 2 cancel_later"),
        (&[Place, Place], Some(CancelLater), "which 2 cancel_later"),
        (&[Place, Place], Some(Accept), "settled 1"),
        (&[Place, Past], Some(Accept), "settled 1"),
        (&[], Some(Accept), "unmatched"),
        (&[], Some(Question), "question 0"),
        (&[Open], Some(OptIn), "opt_in"),
        (&[], Some(Help), "help"),
    ];
    for (standings, label, expected) in cases {
        let found = decide(&view(standings, false), &meaning(*label));
        assert_eq!(shown(&found), *expected, "{standings:?} {label:?}");
    }
}

#[test]
fn a_question_beside_a_yes_is_answered_too() {
    let also = vec![ReplyLabel::Question];
    let meaning = Meaning { also, ..meaning(Some(ReplyLabel::Accept)) };
    assert_eq!(shown(&decide(&view(&[Standing::Open], false), &meaning)), "accept 1, besides 1");
    assert_eq!(shown(&decide(&view(&[Standing::Place], false), &meaning)), "settled 1");
}

/// A wish to fill the nursery.
fn fill() -> StaffWish {
    StaffWish {
        role: Some("nursery".to_owned()),
        count: Some(5),
        time: Some("2025-10-05T09:00:00-05:00".to_owned()),
        ..StaffWish::of(StaffIntent::FillRole)
    }
}

#[test]
fn staff_are_heard_unless_they_answer_an_offer() {
    use ReplyLabel::{Accept, CancelLater};
    let unclear = || StaffWish::of(StaffIntent::Unrelated);
    let asks = || fill().without("time");
    let off = || StaffWish {
        role: Some("nursery".to_owned()),
        ..StaffWish::of(StaffIntent::CancelEvent)
    };
    type Case<'c> = (&'c [Standing], Option<ReplyLabel>, StaffWish, bool, &'c str);
    let cases: &[Case<'_>] = &[
        (&[], None, fill(), false, "fill"),
        (&[], Some(Accept), fill(), false, "fill"),
        (&[], None, asks(), false, "missing"),
        (&[], None, unclear(), false, "beyond"),
        (&[Standing::Open], Some(Accept), unclear(), false, "accept 1"),
        (&[Standing::Open], None, fill(), false, "fill"),
        (&[Standing::Open], Some(Accept), fill(), false, "fill"),
        (&[Standing::Open], Some(Accept), asks(), true, "accept 1"),
        (&[Standing::Open], None, unclear(), false, "unclear 1"),
        (&[Standing::Place], None, asks(), false, "missing"),
        (&[Standing::Place], Some(CancelLater), off(), true, "release 1"),
        (&[Standing::Place], Some(CancelLater), off(), false, "another order"),
    ];
    for (standings, label, wish, is_personal, expected) in cases {
        let meaning =
            Meaning { staff: Some(wish.clone()), is_personal: *is_personal, ..meaning(*label) };
        let found = decide(&view(standings, true), &meaning);
        assert_eq!(shown(&found), *expected, "{standings:?} {label:?} {wish:?}");
    }
}

#[test]
fn what_would_touch_many_is_done_after_a_yes() {
    let mut view = view(&[], true);
    view.question = Some(OpenClarification {
        person: id(1),
        kind: ClarificationKind::Confirm,
        about: serde_json::to_value(fill()).expect("JSON"),
    });
    let decided = |label| shown(&decide(&view, &meaning(Some(label))));
    assert_eq!(decided(ReplyLabel::Accept), "confirmed fill");
    assert_eq!(decided(ReplyLabel::Decline), "dropped");
    assert_eq!(decided(ReplyLabel::Question), "question 0");
}

#[test]
fn danger_comes_before_everything() {
    let grave = Meaning { is_grave: true, ..meaning(Some(ReplyLabel::Decline)) };
    assert_eq!(decide(&view(&[Standing::Open], false), &grave), Decision::Grave);
    assert_eq!(decide(&View::default(), &grave), Decision::Grave);
}

#[test]
fn each_clause_answers_an_ask_of_its_own() {
    let part = |ask, label| PartMeaning { ask, label };
    let parts = vec![part(0, ReplyLabel::Accept), part(1, ReplyLabel::Decline)];
    let found = decide(
        &view(&[Standing::Open, Standing::Open], false),
        &Meaning { parts, ..meaning(Some(ReplyLabel::Accept)) },
    );
    assert_eq!(shown(&found), "accept 1, decline 2");
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
        (&[Pending, Pending], false, "yes 2", "which of 2"),
        (&[Pending], false, "yes 1", "approve 1"),
        (&[Pending, Pending], true, "deny 1", "which of 2"),
        (&[Pending, Pending], false, "approve 3", "which of 2"),
        (&[Approved], false, "yes", "before 1"),
        (&[Approved, Pending], false, "yes", "approve 2"),
        (&[Approved], true, "yes", "-"),
        (&[Pending], false, "2", "-"),
    ];
    for (states, invited, text, expected) in cases {
        let reading = ruling::read(text).expect("a ruling");
        let view = supervisor(states, *invited);
        let found = decide_ruling(&view, reading, None);
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
        let found = decide_ruling(&view, reading, None);
        found.map_or("-".to_owned(), |decision| shown(&decision))
    };
    assert_eq!(decided("2"), "deny 2");
    assert_eq!(decided("deny 3"), "which of 2");
    assert_eq!(decided("yes"), "-", "a plain yes now answers the invitation");
}

#[test]
fn a_request_of_staff_is_no_approval() {
    let reading = ruling::read("yes").expect("a ruling");
    assert_eq!(
        decide_ruling(&supervisor(&[ApprovalState::Pending], false), reading, Some(&fill())),
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
        about: json!({"label": "decline"}),
    });
    let found = decide(&view, &meaning(None));
    assert_eq!(shown(&found), "decline 1");
}

#[test]
fn a_stranger_is_never_understood() {
    let mut view = view(&[], false);
    view.senders.clear();
    let found = decide(&view, &meaning(Some(ReplyLabel::Accept)));
    assert_eq!(found, Decision::Unknown);
}
