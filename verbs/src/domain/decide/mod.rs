//! Decides how to handle a message, given its meaning and the sender's open asks. All functions are pure.

mod ruling;

use abide_agent::reply::{ReplyLabel, ReplyPrompt};
use abide_agent::staff::StaffIntent;
use abide_engine::base::{Problem, Value};
use abide_engine::domain::{OpenAsks, StartRun};
use abide_engine::run::ApprovalDecision;

use self::ruling::{decide_ruling, wants_something_else};
use super::meaning::{Meaning, PartMeaning};
use super::order::{self, Order};
use super::view::{SenderApproval, SenderAsk, Standing, View};
use super::wish::StaffWish;
use crate::data::question::ClarificationKind;
use crate::domain::staff::MethodQuestion;

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
    /// The sender says yes on a condition, or perhaps. The offer or question stays open.
    KeepOpen(SenderAsk, ReplyLabel),
    /// The sender may not be able to keep a place. The place stays, and staff are told.
    Doubt(SenderAsk),
    /// Answer a question of the sender from the knowledge base, or hand it to staff.
    Question(Option<SenderAsk>),
    /// Answer a question that stands beside a yes, unless the confirmation answers it.
    BesidesAsked(SenderAsk),
    /// Carry out several decisions, such as one for each clause of the message.
    Each(Vec<Decision>),
    /// Ask the sender which of several asks the message answers. The label says
    /// how the message answers the ask that the sender then chooses.
    AskWhich(Vec<SenderAsk>, Option<ReplyLabel>),
    /// Ask the sender to write more clearly: the message does not clearly answer the open ask.
    Unclear(SenderAsk),
    /// The sender wants messages again.
    OptIn,
    /// Tell the sender who writes, and why.
    Help,
    /// Show the message to staff at once, because somebody may be in danger.
    Grave,
    /// Approve or refuse what the sender was asked to decide.
    Rule(SenderApproval, ApprovalDecision),
    /// Answer that what the sender decides is decided already, or that the time is over.
    RuledBefore(SenderApproval),
    /// Ask the sender which of several approvals the message decides, and how, as far as it says so.
    AskWhichApproval(Vec<SenderApproval>, Option<ApprovalDecision>),
    /// Do what a member of staff wants.
    Obey(Vec<Order>),
    /// Do what a member of staff has confirmed.
    Confirmed(Box<Order>),
    /// Start a run with the method that a member of staff has chosen.
    Start(Box<StartRun>),
    /// A member of staff takes back what we have asked about.
    Dropped,
    /// Ask the member of staff to write more clearly, because the message was not understood.
    NotUnderstood,
    /// Put the message in the inbox of staff, because the sender has no open ask.
    Unmatched,
    /// Put the message in the inbox of staff, because the sender is not in the directory.
    Unknown,
}

impl Decision {
    /// Whether a clarifying question of ours needs no further answer after such a message.
    pub(super) fn is_an_answer(&self) -> bool {
        !matches!(
            self,
            Self::AskWhich(..)
                | Self::AskWhichApproval(..)
                | Self::Grave
                | Self::NotUnderstood
                | Self::Question(_)
                | Self::Unclear(_)
                | Self::Unknown
                | Self::Unmatched
        )
    }
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

/// Returns what the sender last got from us, as the reader of replies needs to know it.
pub(super) fn prompt(view: &View) -> ReplyPrompt {
    if view.question.as_ref().is_some_and(|it| it.kind == ClarificationKind::Confirm) {
        return ReplyPrompt::Invite;
    }
    let ask = match focus(view) {
        Focus::One(ask) => ask,
        Focus::Several(asks) => match asks.into_iter().next() {
            Some(ask) => ask,
            None => return ReplyPrompt::None,
        },
        Focus::Nothing => return ReplyPrompt::None,
    };
    match ask.standing {
        Standing::Open if ask.question.is_some() => ReplyPrompt::TransferQuestion,
        Standing::Place | Standing::Waiting => ReplyPrompt::Reminder,
        Standing::Open | Standing::Past | Standing::Over => ReplyPrompt::Invite,
    }
}

/// Reads the stored view and meaning of a message. Returns the view and the decision about the message.
pub(super) fn decided(asks: &OpenAsks, meaning: &Value) -> Result<(View, Decision), Problem> {
    let view = View::from_value(&asks.view)?;
    let decision = decide(&view, &Meaning::from_value(meaning));
    Ok((view, decision))
}

/// Decides how to handle a message.
pub(super) fn decide(view: &View, meaning: &Meaning) -> Decision {
    if meaning.is_grave {
        return Decision::Grave;
    }
    if view.senders.is_empty() {
        return Decision::Unknown;
    }
    let wish = meaning.staff.as_ref();
    let ruled = meaning.ruling.and_then(|ruling| decide_ruling(view, ruling, wish));
    if let Some(decision) = ruled.or_else(|| decide_question(view, meaning)) {
        return decision;
    }
    let follow_up = meaning
        .follow_up
        .as_ref()
        .filter(|_| !wish.is_some_and(|wish| wish.is_complete() && wants_something_else(wish)));
    if let Some(order) = follow_up.and_then(|wanted| order::of_follow_up(wanted, view)) {
        return Decision::Obey(vec![order]);
    }
    if let Some(wish) = wish.filter(|wish| comes_first(view, wish, meaning)) {
        return obey(view, wish);
    }
    if !meaning.parts.is_empty() {
        let part = |part: &PartMeaning| {
            let ask = view.asks.get(part.ask)?.clone();
            Some(decide_one(view, ask, Some(part.label)))
        };
        return Decision::Each(meaning.parts.iter().filter_map(part).collect());
    }
    match (meaning.label, focus(view)) {
        (Some(ReplyLabel::OptIn), _) => Decision::OptIn,
        (Some(ReplyLabel::Help), _) => Decision::Help,
        (Some(ReplyLabel::Accept), Focus::One(ask))
            if ask.standing == Standing::Open && meaning.also.contains(&ReplyLabel::Question) =>
        {
            Decision::Each(vec![Decision::Accept(ask.clone()), Decision::BesidesAsked(ask)])
        }
        (_, Focus::One(ask)) => decide_one(view, ask, label(view, meaning)),
        (_, Focus::Several(asks)) => decide_several(view, asks, label(view, meaning)),
        (label, Focus::Nothing) => nothing_open(view, label),
    }
}

/// Decides how to handle the answer to a question that a member of staff was asked about a wish.
fn decide_question(view: &View, meaning: &Meaning) -> Option<Decision> {
    let question = view.question.as_ref()?;
    match question.kind {
        ClarificationKind::Confirm => match meaning.label {
            Some(ReplyLabel::Accept) => {
                let wish = StaffWish::from_value(&question.about)?;
                Some(Decision::Confirmed(Box::new(order::of(&wish, view))))
            }
            Some(ReplyLabel::Decline | ReplyLabel::CancelLater) => Some(Decision::Dropped),
            _ => None,
        },
        ClarificationKind::Method => {
            let asked = MethodQuestion::from_value(&question.about)?;
            asked.answered(meaning.choice?).map(Decision::Start)
        }
        ClarificationKind::Staff => {
            let wish = meaning.staff.as_ref()?;
            let is_dropped = wish.intent == StaffIntent::Unrelated && !wish.missing.is_empty();
            is_dropped.then_some(Decision::Dropped)
        }
        _ => None,
    }
}

/// Whether a message of staff is a wish rather than an answer to an ask of the sender, who may serve as well.
fn comes_first(view: &View, wish: &StaffWish, meaning: &Meaning) -> bool {
    if !wants_something_else(wish) {
        return false;
    }
    let asked = view
        .asks
        .iter()
        .any(|ask| matches!(ask.standing, Standing::Open | Standing::Place | Standing::Waiting));
    let answers = matches!(
        meaning.label,
        Some(
            ReplyLabel::Accept
                | ReplyLabel::Decline
                | ReplyLabel::CancelLater
                | ReplyLabel::Conditional
                | ReplyLabel::Tentative
        )
    );
    let waits = view.question.as_ref().is_some_and(|it| it.kind == ClarificationKind::Staff);
    let is_whole = wish.is_complete()
        && (wish.role.is_some()
            || wish.time.is_some()
            || wish.own.is_some()
            || !wish.targets.is_empty());
    match (asked, answers) {
        (false, _) | (true, false) => true,
        (true, true) => (is_whole || waits) && !meaning.is_personal,
    }
}

fn obey(view: &View, wish: &StaffWish) -> Decision {
    let further = wish.also.iter().filter(|wish| wish.is_complete());
    Decision::Obey(std::iter::once(wish).chain(further).map(|wish| order::of(wish, view)).collect())
}

/// Returns what the message does. If the message only says which of several asks an earlier message meant,
/// returns what the earlier message does.
fn label(view: &View, meaning: &Meaning) -> Option<ReplyLabel> {
    let asked = view.question.as_ref().filter(|question| question.kind == ClarificationKind::Which);
    match (meaning.label, asked) {
        (None, Some(question)) if view.narrowed => {
            question.about["label"].as_str().and_then(ReplyLabel::parse)
        }
        (label, _) => label,
    }
}

fn decide_one(view: &View, ask: SenderAsk, label: Option<ReplyLabel>) -> Decision {
    use ReplyLabel::{Accept, CancelLater, Conditional, Decline, Question, Tentative};
    let places = || view.asks.iter().filter(|ask| ask.standing == Standing::Place);
    match (ask.standing, label) {
        (_, Some(Question)) => Decision::Question(Some(ask)),
        (Standing::Open, Some(Accept)) => Decision::Accept(ask),
        // "I can't make it any more" may refer to the open offer
        // or to a place that the person holds, so ask which one is meant.
        (Standing::Open, Some(CancelLater)) if places().next().is_some() => {
            Decision::AskWhich(places().cloned().chain([ask]).collect(), label)
        }
        (Standing::Open, Some(Decline | CancelLater)) => Decision::Decline(ask),
        (Standing::Open, Some(label @ (Conditional | Tentative))) => Decision::KeepOpen(ask, label),
        (Standing::Open, _) => Decision::Unclear(ask),
        (Standing::Place | Standing::Waiting, Some(Decline | CancelLater)) => {
            Decision::Release(ask)
        }
        (Standing::Place | Standing::Waiting, Some(Conditional | Tentative)) => {
            Decision::Doubt(ask)
        }
        (Standing::Past, Some(Accept)) => Decision::Revive(ask),
        (Standing::Over, Some(Accept)) => Decision::TooLate(ask),
        (Standing::Past | Standing::Over, Some(Conditional | Tentative)) | (_, None) => {
            nothing_open(view, None)
        }
        (_, _) => Decision::Ignore(ask),
    }
}

fn decide_several(view: &View, asks: Vec<SenderAsk>, label: Option<ReplyLabel>) -> Decision {
    use ReplyLabel::{Accept, Conditional, Question, Tentative};
    let open = asks.iter().all(|ask| ask.standing == Standing::Open);
    match (label, asks.first().cloned()) {
        (Some(Question), first) => Decision::Question(first),
        (None, _) if !open => nothing_open(view, None),
        (Some(label @ (Conditional | Tentative)), Some(first)) if open => {
            Decision::KeepOpen(first, label)
        }
        (Some(Conditional | Tentative), Some(first)) => Decision::Doubt(first),
        (Some(Accept), Some(first)) if !open => Decision::Ignore(first),
        _ => Decision::AskWhich(asks, label),
    }
}

fn nothing_open(view: &View, label: Option<ReplyLabel>) -> Decision {
    match view.staff() {
        _ if label == Some(ReplyLabel::Question) => Decision::Question(None),
        Some(_) => Decision::NotUnderstood,
        None => Decision::Unmatched,
    }
}

#[cfg(test)]
mod tests;
