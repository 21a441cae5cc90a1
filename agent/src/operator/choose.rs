//! Finds the tools of each command of a text: the classifier proposes, and what the command names decides.

use std::ops::Range;

use abide_language::contract::{Contract, Contracts, Effect};

use super::content;
use super::intents::{OperatorIntents, ScoredIntent, is_idle};
use super::lexicon::{Sense, cues};
use super::tag::{Tag, Tagged};

/// What remains of the probability of a tool that has no place for an id that the command names.
const WRONG_RECORD: f32 = 0.05;
/// The same for an id whose kind is unknown, for a phone or an address of email, and for an amount.
const NO_PLACE: f32 = 0.3;
/// What remains of the probability of a tool that writes, if the command is a question.
const ASKED: f32 = 1e-4;
/// Most intents that are compared.
const RIVALS_MAX: usize = 4;

/// A clause whose tools are to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) tokens: Range<usize>,
    /// The kind of a record that it means and does not name.
    pub(super) meant: Option<&'static str>,
}

/// The intents that a command may have, the most probable first.
pub(super) fn intents(
    text: &Tagged<'_>,
    clause: &Clause,
    known: &OperatorIntents,
    contracts: &Contracts,
) -> Vec<ScoredIntent> {
    ranked(scored(text, clause, known, contracts))
}

/// The intents of a command by its clause and by the clause with what was told before it: "they paid 300, record it".
pub(super) fn intents_with_told(
    text: &Tagged<'_>,
    [clause, whole]: [&Clause; 2],
    known: &OperatorIntents,
    contracts: &Contracts,
) -> Vec<ScoredIntent> {
    let mut scores = scored(text, clause, known, contracts);
    let told = scored(text, whole, known, contracts);
    let share = if is_bare(text, clause) { TOLD_SHARE_BARE } else { TOLD_SHARE };
    for score in &mut scores {
        let other = told.iter().find(|it| it.name == score.name).map_or(0.0, |it| it.probability);
        let log = |probability: f32| libm::logf(probability.max(LEAST));
        let sum = (1.0 - share) * log(score.probability) + share * log(other);
        score.probability = libm::expf(sum);
    }
    ranked(scores)
}

/// How much what was told before a clause counts: before one that names a record or a kind of records, and before one
/// that does not.
const TOLD_SHARE: f32 = 0.2;
const TOLD_SHARE_BARE: f32 = 0.6;
/// A probability below this one counts as this one.
const LEAST: f32 = 1e-6;

/// Whether a clause names neither a record nor a kind of records: "record it".
fn is_bare(text: &Tagged<'_>, clause: &Clause) -> bool {
    let words: Vec<&str> = clause.tokens.clone().map(|at| text.word(at)).collect();
    let named = cues(&words).iter().any(|it| it.sense == Sense::Noun);
    !named && clause.tokens.clone().all(|at| text.tags.get(at) != Some(&Tag::Id))
}

fn ranked(mut scores: Vec<ScoredIntent>) -> Vec<ScoredIntent> {
    let total: f32 = scores.iter().map(|it| it.probability).sum();
    scores.iter_mut().for_each(|it| it.probability /= total.max(f32::MIN_POSITIVE));
    scores.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    scores.truncate(RIVALS_MAX);
    scores
}

/// The intents that a command may have, in no order.
fn scored(
    text: &Tagged<'_>,
    clause: &Clause,
    known: &OperatorIntents,
    contracts: &Contracts,
) -> Vec<ScoredIntent> {
    let mut scores = known.scores(text, clause.tokens.clone(), clause.meant);
    let named = Named::of(text, clause);
    scores.retain_mut(|score| {
        let tools = known.tools_of(&score.name);
        let contracts: Option<Vec<&Contract>> = tools.iter().map(|it| contracts.get(it)).collect();
        let Some(contracts) = contracts else { return false };
        if !is_idle(&score.name) {
            score.probability *= named.fit(&contracts);
        }
        true
    });
    let total: f32 = scores.iter().map(|it| it.probability).sum();
    scores.iter_mut().for_each(|it| it.probability /= total.max(f32::MIN_POSITIVE));
    scores
}

/// What a command names, as far as it says which tools have a place for it.
struct Named {
    kinds: Vec<Option<&'static str>>,
    phone: bool,
    email: bool,
    money: bool,
    asks: bool,
    /// Whether a time of the day is said, and whether any time is.
    clock: bool,
    time: bool,
    /// Whether it begins with a word such as "handle", which says nothing.
    vague: bool,
    /// The kinds of records that words name, and whether a word stands for one.
    nouns: Vec<&'static str>,
    pronoun: bool,
    /// Whether several photos are named.
    photos: bool,
    /// The part of the names of the tools of another system that is named.
    system: Option<&'static str>,
    /// The word that says what to do, if it says it alone.
    plain_verb: Option<&'static PlainVerb>,
}

impl Named {
    fn of(text: &Tagged<'_>, clause: &Clause) -> Self {
        let command = clause.tokens.clone();
        let end = content::start(text, command.clone()).unwrap_or(command.end);
        let head = command.start..end;
        let has = |tag: Tag| head.clone().any(|at| text.tags.get(at) == Some(&tag));
        let ids = text.ids.iter().filter(|it| head.contains(&it.tokens.start));
        Self {
            kinds: ids.map(|it| it.kind).chain(clause.meant.map(Some)).collect(),
            phone: has(Tag::Phone),
            email: has(Tag::Email),
            money: has(Tag::Money),
            asks: is_question(text, &head),
            plain_verb: plain_verb(text, &head),
            clock: text.times.iter().any(|it| it.has_clock && head.contains(&it.tokens.start)),
            time: has(Tag::Time),
            vague: is_vague(text, &head),
            photos: head
                .clone()
                .any(|at| matches!(text.word(at), "photos" | "pictures" | "pics" | "images")),
            system: system(text, &head),
            nouns: head.clone().filter_map(|at| super::id::noun_of(text.word(at))).collect(),
            pronoun: head.clone().any(|at| {
                matches!(text.word(at), "it" | "that" | "this" | "them" | "one" | "those" | "these")
            }),
        }
    }

    /// Returns how well tools fit what is named, from 0 to 1.
    fn fit(&self, contracts: &[&Contract]) -> f32 {
        let any = |wanted: &dyn Fn(&str) -> bool| {
            contracts.iter().any(|contract| contract.input.members().any(wanted))
        };
        let mut fit = 1.0;
        for kind in &self.kinds {
            fit *= match kind {
                Some(kind) if any(&|it| it.strip_suffix("_id") == Some(*kind)) => 1.0,
                Some(_) if any(&|it| it == "entity_id") => 0.8,
                Some(_) => WRONG_RECORD,
                None if any(&|it| it.ends_with("_id")) => 1.0,
                None => NO_PLACE,
            };
        }
        if self.phone && !any(&|it| matches!(it, "phone" | "to" | "contact")) {
            fit *= NO_PLACE;
        }
        if self.email && !any(&|it| matches!(it, "email" | "to" | "contact" | "attendees")) {
            fit *= NO_PLACE;
        }
        if self.money && !any(&|it| matches!(it, "unit_price" | "amount")) {
            fit *= NO_PLACE;
        }
        fit *= self.fit_of_times(contracts)
            * self.fit_of_record(contracts)
            * self.fit_of_place(contracts);
        if self.vague {
            fit *= NO_PLACE;
        }
        if let Some(verb) = self.plain_verb.filter(|_| !self.asks) {
            let does = |contract: &&Contract| {
                verb.acts.iter().any(|act| {
                    contract.name.rsplit('.').next().is_some_and(|it| it.starts_with(act))
                })
            };
            if !contracts.iter().any(does) {
                fit *= OTHER_ACT;
            }
        }
        let reads = contracts.iter().all(|it| matches!(it.effect, Effect::Read | Effect::Pure));
        if self.asks && !reads {
            fit *= ASKED;
        }
        fit
    }
}

impl Named {
    /// Returns how well texts that are sent now or later fit the times that are said.
    fn fit_of_times(&self, contracts: &[&Contract]) -> f32 {
        let is = |name: &str| contracts.iter().any(|it| it.name == name);
        let late = is("sms.schedule") && !self.time;
        let early = is("sms.send") && self.clock;
        if late || early { OTHER_ACT } else { 1.0 }
    }

    /// Returns how well tools fit another system that is named, and photos.
    fn fit_of_place(&self, contracts: &[&Contract]) -> f32 {
        let is_of = |part: &str| contracts.iter().any(|it| it.name.contains(part));
        let elsewhere = self.system.is_some_and(|it| !is_of(it));
        let reads = contracts.iter().all(|it| matches!(it.effect, Effect::Read | Effect::Pure));
        let other = self.photos && reads && !is_of("media");
        if elsewhere || other { NO_PLACE } else { 1.0 }
    }

    /// Returns how well tools fit that need a record of which nothing is said.
    fn fit_of_record(&self, contracts: &[&Contract]) -> f32 {
        let fits = contracts.iter().all(|contract| {
            let mut ids = contract.input.members().filter(|it| contract.input.requires(it));
            let Some(kind) = ids.find_map(|it| it.strip_suffix("_id")) else { return true };
            kind == "entity"
                || contract.name.starts_with("payment.")
                || self.pronoun
                || self.kinds.iter().any(|it| it.is_none() || *it == Some(kind))
                || self.nouns.contains(&kind)
        });
        if fits { 1.0 } else { UNSAID }
    }
}

/// Returns the part of the names of the tools of another system that a command names: "put it in xero".
fn system(text: &Tagged<'_>, head: &Range<usize>) -> Option<&'static str> {
    head.clone().skip(1).find_map(|at| match (text.word(at - 1), text.word(at)) {
        ("on" | "in" | "the" | "google" | "to", "drive") => Some("google_drive"),
        ("in" | "into" | "to" | "across" | "through", "xero") => Some("xero"),
        _ => None,
    })
}

/// What remains of the probability of a tool whose record nothing in a command names.
const UNSAID: f32 = 0.5;

/// What "do the" asks for without saying it.
const VAGUE_DEEDS: &[&str] = &[
    "usual",
    "thing",
    "things",
    "needful",
    "rest",
    "lot",
    "other",
    "same",
    "necessary",
    "paperwork",
];

/// Whether a command begins with a word that does not say what to do.
fn is_vague(text: &Tagged<'_>, head: &Range<usize>) -> bool {
    let polite = |at: usize| {
        matches!(text.word(at), "please" | "pls" | "can" | "could" | "you" | "just" | "to")
    };
    let Some(first) = head.clone().find(|&at| !polite(at)) else { return false };
    let next = text.word(first + 1);
    match text.word(first) {
        "sort" => next != "the",
        "handle" => true,
        "deal" => next == "with",
        "take" => next == "care",
        "clean" | "tidy" => next == "up",
        "look" => matches!(next, "into" | "after"),
        "do" => {
            let usual = || VAGUE_DEEDS.contains(&text.word(first + 2));
            matches!(next, "something" | "what") || (next == "the" && usual())
        }
        _ => false,
    }
}

/// A word at the start of a command that says alone what to do.
struct PlainVerb {
    words: &'static [&'static str],
    /// The beginnings of what the tools do for which it stands.
    acts: &'static [&'static str],
}

/// What remains of the probability of a tool that does something else.
const OTHER_ACT: f32 = 0.1;

const PLAIN_VERBS: &[PlainVerb] = &[
    PlainVerb { words: &["void"], acts: &["void"] },
    PlainVerb { words: &["refund", "reimburse"], acts: &["refund"] },
    PlainVerb { words: &["archive", "shelve"], acts: &["archive"] },
    PlainVerb { words: &["finalise", "finalize"], acts: &["finalize"] },
    PlainVerb { words: &["reschedule", "postpone"], acts: &["reschedule", "update_event"] },
    PlainVerb {
        words: &["jot", "note"],
        acts: &["create_note", "add_note", "update_note", "log", "add_items"],
    },
    PlainVerb { words: &["remind"], acts: &["create_task", "update_task"] },
    PlainVerb { words: &["tag"], acts: &["tag"] },
    PlainVerb { words: &["submit", "lodge"], acts: &["submit"] },
    PlainVerb { words: &["draft"], acts: &["draft", "create"] },
    PlainVerb { words: &["cancel"], acts: &["cancel", "void"] },
    PlainVerb { words: &["assign", "reassign"], acts: &["assign", "update_task", "create_task"] },
    PlainVerb {
        words: &["list"],
        acts: &["list", "get", "search", "find", "pipeline", "revenue", "jobs_due", "follow_ups"],
    },
    PlainVerb {
        words: &["summarise", "summarize"],
        acts: &["generate", "get", "list", "pipeline", "revenue"],
    },
    PlainVerb { words: &["calculate", "recalculate", "tally"], acts: &["calculate"] },
];

/// Returns the word that says alone what a command does: its first word, but for words of politeness.
fn plain_verb(text: &Tagged<'_>, head: &Range<usize>) -> Option<&'static PlainVerb> {
    let polite = |at: usize| {
        matches!(
            text.word(at),
            "please"
                | "pls"
                | "can"
                | "could"
                | "you"
                | "just"
                | "and"
                | "then"
                | "now"
                | "lets"
                | "also"
                | "to"
        )
    };
    let first = head.clone().find(|&at| !polite(at))?;
    let word = super::lexicon::corrected(text.word(first)).unwrap_or(text.word(first));
    PLAIN_VERBS.iter().find(|it| it.words.contains(&word))
}

/// Words that begin a question about how things are.
const QUESTIONS: &[&str] = &[
    "whats", "what", "hows", "how", "wheres", "where", "whos", "who", "which", "has", "have", "is",
    "are", "did", "does", "was", "were", "when", "any", "do",
];

/// Words after "were" in a question.
const ASKED_ABOUT: &[&str] =
    &["we", "you", "they", "the", "there", "any", "those", "these", "his", "her", "our", "their"];

/// Whether a command is a question about how things are, not a polite request.
fn is_question(text: &Tagged<'_>, head: &Range<usize>) -> bool {
    let Some(first) = head
        .clone()
        .find(|&at| !matches!(text.word(at), "hey" | "so" | "and" | "just" | "hi" | "ok"))
    else {
        return false;
    };
    let (word, next) = (text.word(first), text.word(first + 1));
    let polite = match word {
        "can" | "could" | "would" | "will" => true,
        "do" => {
            !matches!(next, "we" | "you" | "they" | "i" | "any" | "he" | "she")
                || text.word(first + 2) == "mind"
        }
        "have" => !matches!(next, "we" | "you" | "they" | "i" | "any" | "all"),
        "when" => matches!(
            next,
            "you" | "ur" | "u" | "youre" | "we" | "youve" | "hes" | "shes" | "theyre" | "its"
        ),
        "is" => {
            next == "it" && matches!(text.word(first + 2), "possible" | "ok" | "okay" | "alright")
        }
        "any" => matches!(next, "chance" | "way"),
        "how" | "what" => next == "about",
        // "we're on site", not "were the tiles there"
        "were" => !ASKED_ABOUT.contains(&next),
        _ => false,
    };
    let asked = text.tokens.get(head.clone()).is_some_and(|it| it.iter().any(|it| it.asks));
    let opens = text.tags[first] == Tag::Word && QUESTIONS.contains(&text.word(first));
    !polite && (opens || asked)
}
