//! Determines what a message means: as a reply, as an approval, and as a wish of staff. All functions are pure.

use abide_agent::church::ChurchWords;
use abide_agent::language;
use abide_agent::mention::{clauses, mentions};
use abide_agent::reply::{self, ReplyLabel, ReplyPrompt};
use abide_agent::ruling::{self, RulingReading};
use abide_agent::staff::{self, Intents, StaffIntent, StaffText, WayOn};
use abide_agent::text::words;
use abide_engine::base::{Timestamp, Value};
use abide_engine::domain::DomainContext;
use abide_engine::policy::Settings;
use abide_engine::store::InboundRow;
use abide_engine::template::Language;
use jiff::Zoned;
use serde::{Deserialize, Serialize};

use super::church_words;
use super::decide::prompt;
use super::staff::MethodQuestion;
use super::view::{Standing, View};
use super::wish::StaffWish;
use crate::data::question::ClarificationKind;

/// What a message means. It is kept from the moment at which the message is read until the message is applied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Meaning {
    /// What it does as a reply; `None` if that is not clear.
    pub label: Option<ReplyLabel>,
    /// What else it does.
    #[serde(default)]
    pub also: Vec<ReplyLabel>,
    /// What its clauses say, if they answer different asks.
    #[serde(default)]
    pub parts: Vec<PartMeaning>,
    /// What it decides about an approval.
    #[serde(default)]
    pub ruling: Option<RulingReading>,
    /// What its sender wants as a member of staff; `None` if the sender is not staff.
    #[serde(default)]
    pub staff: Option<StaffWish>,
    /// What its sender wants as a member of staff if too few people have said yes.
    #[serde(default)]
    pub follow_up: Option<WayOn>,
    /// How sure the reading as a reply is, from 0 to 1.
    #[serde(default)]
    pub confidence: f32,
    /// How sure the reading as a wish of staff is, from 0 to 1.
    #[serde(default)]
    pub staff_confidence: f32,
    /// The index of the method that its sender chooses, if they were asked to.
    #[serde(default)]
    pub choice: Option<usize>,
    /// The language in which the message is clearly written.
    #[serde(default)]
    pub language: Option<Language>,
    /// Whether the sender speaks of themselves.
    #[serde(default)]
    pub is_personal: bool,
    /// Whether a person must see it at once.
    #[serde(default)]
    pub is_grave: bool,
}

/// What one clause of a message says about one ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PartMeaning {
    /// The index of the ask in the view.
    pub ask: usize,
    pub label: ReplyLabel,
}

/// A message that is to be read.
pub(super) struct MessageText<'t> {
    pub body: &'t str,
    pub received_at: Timestamp,
    /// The settings of the tenant.
    pub settings: &'t Settings,
    /// What staff can ask for.
    pub intents: &'t Intents,
}

impl<'t> MessageText<'t> {
    /// Returns what of a message is read.
    pub(super) fn of(
        cx: &DomainContext<'t>,
        inbound: &'t InboundRow,
        intents: &'t Intents,
    ) -> Self {
        Self {
            body: &inbound.body,
            received_at: inbound.received_at,
            settings: cx.settings,
            intents,
        }
    }

    /// Reads words as a text of staff. An intent of a domain that the tenant does not have means nothing.
    fn of_staff(&self, words: &str, church: &ChurchWords) -> StaffText {
        let mut read = staff::read(words, &self.received(church), church, self.intents);
        let is_elsewhere = |text: &StaffText| {
            let own = text.own.as_ref().and_then(|own| self.intents.own(&own.intent));
            let domain = own.and_then(|intent| intent.domain.as_deref());
            domain.is_some_and(|domain| !self.settings.has_domain(domain))
        };
        read.also.retain(|further| !is_elsewhere(further));
        if is_elsewhere(&read) {
            (read.intent, read.of, read.own) = (StaffIntent::Unrelated, None, None);
            read.missing.clear();
        }
        read
    }

    /// Whether a reading with this confidence counts.
    fn is_sure(&self, confidence: f32) -> bool {
        f64::from(confidence) >= self.settings.confidence_min
    }

    /// Returns when the message was received, by the church's clock.
    fn received(&self, church: &ChurchWords) -> Zoned {
        self.received_at.to_jiff().to_zoned(church.zone.clone())
    }
}

/// The least confidence with which a text in words undoes an opt-out: to text somebody who does not want it is worse
/// than to wait for a clearer word.
const OPT_IN_MIN: f32 = 0.9;
/// The confidence of a reading that rules decide.
const CERTAIN: f32 = 1.0;
/// How the ids of approvals begin: ours, and those that people make up.
const ID_STARTS: [&str; 2] = ["apr_", "act_"];
/// Words with which people speak of themselves.
const PERSONAL: &[&str] =
    &["i", "im", "ill", "ive", "id", "me", "my", "mine", "myself", "we", "were", "yo", "mi"];
/// Words that take back a wish of which we have asked a detail.
const DROPPED: &[&str] =
    &["never mind", "nevermind", "nvm", "forget it", "forget that", "scratch that"];

impl Meaning {
    /// Returns the meaning that was kept; a meaning without content for anything else.
    pub(super) fn from_value(value: &Value) -> Self {
        serde_json::from_value(value.clone()).unwrap_or_default()
    }
}

/// Reads a message, given what its sender can answer.
pub(super) fn of(text: &MessageText<'_>, view: &View) -> Meaning {
    let reply = reply::read(text.body, prompt(view));
    let label = Some(reply.label).filter(|label| match label {
        ReplyLabel::Unrelated => false,
        ReplyLabel::OptIn => text.is_sure(reply.confidence) && reply.confidence >= OPT_IN_MIN,
        _ => text.is_sure(reply.confidence),
    });
    let meaning = Meaning {
        label,
        also: reply.also,
        confidence: reply.confidence,
        ruling: ruling::read(text.body)
            .filter(|_| !view.approvals.is_empty() && !names_another(text.body, view)),
        choice: chosen_method(text, view),
        language: language::of(text.body),
        is_personal: words(text.body).iter().any(|word| PERSONAL.contains(&word.as_str())),
        is_grave: reply::is_grave(text.body),
        ..Meaning::default()
    };
    let is_staff = view.staff().is_some();
    let clauses = clauses_of_several_asks(text, view);
    if !is_staff && clauses.is_empty() {
        return meaning;
    }
    let church = church_words::of(view);
    let now = text.received(&church);
    let named = NamedThings { text, view, church: &church, now: &now };
    let wish = is_staff.then(|| named.wish());
    Meaning {
        parts: named.parts(&clauses),
        staff_confidence: wish.as_ref().map_or(0.0, |(_, confidence)| *confidence),
        staff: wish.map(|(wish, _)| wish),
        follow_up: staff::follow_up(text.body, &now, &church).filter(|_| is_staff),
        ..meaning
    }
}

/// Whether a message names an approval by an id that none of the sender's open approvals has.
fn names_another(body: &str, view: &View) -> bool {
    let parts = body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_id = |part: &&str| {
        let lower = part.to_ascii_lowercase();
        ID_STARTS.iter().any(|start| lower.starts_with(start))
    };
    let mut named = parts.filter(is_id);
    named.any(|id| view.approvals.iter().all(|open| !open.id.to_string().eq_ignore_ascii_case(id)))
}

/// Returns the index of the method that a message chooses, by its number or by all words of its name.
fn chosen_method(text: &MessageText<'_>, view: &View) -> Option<usize> {
    let asked = view.question.as_ref().filter(|it| it.kind == ClarificationKind::Method)?;
    let methods = MethodQuestion::from_value(&asked.about)?.methods;
    let numbered = ruling::read(text.body).and_then(|reading| reading.which?.checked_sub(1));
    if let Some(nth) = numbered {
        return Some(nth).filter(|nth| *nth < methods.len());
    }
    let spoken = words(text.body);
    let is_named =
        |method: &String| method.split('_').all(|part| spoken.iter().any(|it| it == part));
    let most = |method: &String| method.split('_').count();
    let named = methods.iter().enumerate().filter(|(_, method)| is_named(method));
    // Of two names of which one contains the other, the longer one is meant.
    named.max_by_key(|(_, method)| most(method)).map(|(nth, _)| nth)
}

/// Reads words that somebody else has found in a message of staff.
pub(super) fn wish_in(words: &str, text: &MessageText<'_>, view: &View) -> StaffWish {
    let church = church_words::of(view);
    StaffWish::read(text.of_staff(words, &church), text.intents)
}

/// Returns the clauses of a message if each of them may answer an ask of its own; otherwise none.
fn clauses_of_several_asks(text: &MessageText<'_>, view: &View) -> Vec<String> {
    let open = view.asks.iter().filter(|ask| ask.standing == Standing::Open).count();
    if open < 2 { Vec::new() } else { clauses(text.body) }
}

/// What is needed to read the roles, services and times that a message names.
struct NamedThings<'m> {
    text: &'m MessageText<'m>,
    view: &'m View,
    church: &'m ChurchWords,
    /// When the message was received, by the church's clock.
    now: &'m Zoned,
}

impl NamedThings<'_> {
    /// Reads the clauses of a message apart, if each of several names one ask of its own: "Rosa can, Sam can't".
    fn parts(&self, clauses: &[String]) -> Vec<PartMeaning> {
        if clauses.len() < 2 {
            return Vec::new();
        }
        let mut parts: Vec<PartMeaning> = Vec::new();
        for clause in clauses {
            let meant = self.view.named_asks(&mentions(clause, self.now, self.church));
            let [ask] = meant[..] else { continue };
            let reading = reply::read(clause, ReplyPrompt::Invite);
            let is_clear = self.text.is_sure(reading.confidence)
                && matches!(reading.label, ReplyLabel::Accept | ReplyLabel::Decline);
            if !is_clear || parts.iter().any(|part| part.ask == ask) {
                return Vec::new();
            }
            parts.push(PartMeaning { ask, label: reading.label });
        }
        if parts.len() < 2 { Vec::new() } else { parts }
    }

    /// Reads what a member of staff wants. If the message answers a question of ours about an earlier wish, returns
    /// that wish, completed. The number says how sure the reading is.
    fn wish(&self) -> (StaffWish, f32) {
        let body = self.text.body;
        let read = self.text.of_staff(body, self.church);
        let confidence = read.confidence;
        let own = match self.text.is_sure(read.confidence) {
            true => StaffWish::read(read, self.text.intents),
            // With the few examples of a home a classifier is seldom sure.
            false if read.own.is_some() => {
                StaffWish::read(read, self.text.intents).with_confirmation()
            }
            false => StaffWish::of(StaffIntent::Unrelated),
        };
        let asked = self.view.question.as_ref().filter(|it| it.kind == ClarificationKind::Staff);
        let Some(asked) = asked.and_then(|question| StaffWish::from_value(&question.about)) else {
            return (own, confidence);
        };
        let spoken = words(body).join(" ");
        if DROPPED.iter().any(|dropped| spoken.contains(dropped)) {
            return (StaffWish { intent: StaffIntent::Unrelated, of: None, ..asked }, CERTAIN);
        }
        if own.is_new_beside(&asked) {
            return (own, confidence);
        }
        let completed = match asked.own.as_ref().map(|own| self.text.intents.own(&own.intent)) {
            None => asked.completed_by(&staff::slots(body, self.now, self.church)),
            Some(Some(intent)) => {
                asked.completed_as(intent, &intent.named(body, self.now, self.church))
            }
            // The home no longer has the intent that we asked about.
            Some(None) => own,
        };
        (completed, CERTAIN)
    }
}
