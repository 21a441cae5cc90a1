//! The commands of a text, each with its tools, in the order in which they were said.

use std::ops::Range;

use abide_language::contract::{Contracts, Effect};

use super::again::{again, correct};
use super::antecedent::{names_another, names_nothing, resolve};
use super::choose::{Clause, intents as intents_of, intents_with_told};
use super::id::SaidId;
use super::intents::{OperatorIntents, REFUSE, SMALLTALK, ScoredIntent, VAGUE, is_idle};
use super::segment::{Segment, Sort, is_reason, segments};
use super::tag::{Tag, Tagged};

/// The probability from which a clause alone says what to do, without what was told before it.
pub(super) const ALONE_FROM: f32 = 0.4;
/// The probability from which a clause that only tells something asks for it.
const TOLD_FROM: f32 = 0.35;

/// The probability from which a clause without a verb asks to read something.
const READS_FROM: f32 = 0.6;

/// The share of the probability of all tools with which a tool is asked for, though the text is to be refused.
const ASKED_SHARE: f32 = 0.5;

/// A command with its tools.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Command {
    /// All that belongs to it, what was told before it included.
    pub(super) tokens: Range<usize>,
    /// The part that says what to do.
    pub(super) clause: Range<usize>,
    /// The intent; `refuse`, `smalltalk` and `vague` have no tools.
    pub(super) intent: String,
    pub(super) tools: Vec<String>,
    pub(super) probability: f32,
    /// Further intents that it may have.
    pub(super) rivals: Vec<ScoredIntent>,
    /// The probability that it is to be refused.
    pub(super) refused: f32,
}

/// What is chosen among the intents that a clause may have.
pub(super) struct Chosen {
    pub(super) intent: String,
    pub(super) tools: Vec<String>,
    pub(super) probability: f32,
    pub(super) rivals: Vec<ScoredIntent>,
    pub(super) refused: f32,
}

/// The commands of a text, and whether it denies something.
#[derive(Debug, Default)]
pub(super) struct Commands {
    pub(super) all: Vec<Command>,
    /// Whether something is not to be done.
    pub(super) denied: bool,
    /// Whether it takes back what was said and says nothing instead.
    pub(super) taken_back: bool,
    /// How many commands had been said when the text corrected itself.
    pub(super) corrected: usize,
}

/// What commands are found with.
pub(super) struct Finder<'f> {
    pub(super) intents: &'f OperatorIntents,
    pub(super) contracts: &'f Contracts,
    /// The record that the context names, if it names one.
    pub(super) given: Option<SaidId>,
}

impl Finder<'_> {
    /// Whether a tool only reads.
    pub(super) fn reads(&self, tool: &str) -> bool {
        self.contracts.get(tool).is_some_and(|it| matches!(it.effect, Effect::Read | Effect::Pure))
    }
}

/// Finds the commands of a text. Words that stand for a record that was named before, such as "it", become its id.
pub(super) fn find(text: &mut Tagged<'_>, finder: &Finder<'_>) -> Commands {
    let mut found = Commands::default();
    let mut told: Option<usize> = None;
    let segments = segments(text);
    for (ix, segment) in segments.iter().enumerate() {
        let start = told.unwrap_or(segment.tokens.start);
        if segment.corrects && correct(text, segment, &segments[ix..], &mut found) {
            continue;
        }
        match segment.sort {
            Sort::Denied => {
                found.denied = true;
                told = None;
                continue;
            }
            Sort::Told if is_reason(text, &segment.tokens) => continue,
            Sort::Again if again(text, segment, finder, &mut found) => continue,
            Sort::Listed
                if found.is_open()
                    && (!found.reads(finder) || !asks_alone(text, segment, finder)) =>
            {
                if let Some(last) = found.all.last_mut() {
                    last.tokens.end = segment.tokens.end;
                }
                continue;
            }
            Sort::Told
                if segments[ix + 1..].iter().any(|it| it.sort == Sort::Command)
                    && !found.is_open() =>
            {
                let next = segments[ix + 1..].iter().find(|it| it.sort == Sort::Command);
                let reads = next.is_none_or(|next| asks_alone(text, next, finder));
                if !reads || !asks_alone(text, segment, finder) {
                    told.get_or_insert(segment.tokens.start);
                    continue;
                }
            }
            _ => {}
        }
        told = None;
        let command = command(text, start, segment, &found, finder);
        push(text, command, finder, &mut found);
    }
    found
}

impl Commands {
    /// Whether nothing was found so far.
    fn is_open(&self) -> bool {
        !self.all.is_empty()
    }
}

impl Commands {
    /// Whether the last command only reads.
    fn reads(&self, finder: &Finder<'_>) -> bool {
        self.all.last().is_some_and(|it| it.tools.iter().all(|tool| finder.reads(tool)))
    }
}

impl Command {
    /// Whether it names no tool.
    pub(super) fn is_idle(&self) -> bool {
        is_idle(&self.intent)
    }
}

/// Whether a part that tells something says clearly what to do.
fn asks_alone(text: &Tagged<'_>, segment: &Segment, finder: &Finder<'_>) -> bool {
    let clause = Clause { tokens: segment.tokens.clone(), meant: None };
    let scores = intents_of(text, &clause, finder.intents, finder.contracts);
    scores.first().is_some_and(|it| {
        let tools = finder.intents.tools_of(&it.name);
        it.probability >= READS_FROM && !tools.is_empty() && tools.iter().all(|it| finder.reads(it))
    })
}

/// Finds the tools of a segment, with what was told before it from `start` on.
fn command(
    text: &mut Tagged<'_>,
    start: usize,
    segment: &Segment,
    before: &Commands,
    finder: &Finder<'_>,
) -> Command {
    let meant = resolve(text, segment, before, finder.given.as_ref());
    let clause = Clause { tokens: segment.tokens.clone(), meant };
    let told = Clause { tokens: start..clause.tokens.end, meant: None };
    let mut scores = if start < clause.tokens.start {
        intents_with_told(text, [&clause, &told], finder.intents, finder.contracts)
    } else {
        intents_of(text, &clause, finder.intents, finder.contracts)
    };
    let mut clause = clause.tokens;
    let weak = |scores: &[ScoredIntent]| {
        scores.first().is_none_or(|it| it.probability < ALONE_FROM || is_idle(&it.name))
    };
    if start < clause.start && weak(&scores) {
        let all = Clause { tokens: start..clause.end, meant: None };
        let whole = intents_of(text, &all, finder.intents, finder.contracts);
        if !weak(&whole) || weak(&scores) && whole.first().is_some_and(|it| it.name != SMALLTALK) {
            scores = whole;
            clause = all.tokens;
        }
    }
    let tokens = start..segment.tokens.end;
    let Chosen { intent, tools, probability, rivals, refused } = chosen(scores, finder);
    let mut command = Command { tokens, clause, intent, tools, probability, rivals, refused };
    note_of_lead(text, &mut command, before, finder);
    detail_of_person(text, &mut command, finder);
    command
}

/// A number or an address that somebody has changes what is known of that person: "Sarah's email is sarah@example.com".
fn detail_of_person(text: &Tagged<'_>, command: &mut Command, finder: &Finder<'_>) {
    const DETAILS: &[&str] = &["email", "e-mail", "mail", "phone", "number", "mobile"];
    const LINKS: &[&str] = &["is", "to", "address", "number", "now", "as", "should", "be"];
    let tokens = command.tokens.clone();
    let detail = tokens
        .clone()
        .skip(1)
        .find(|&at| DETAILS.contains(&text.word(at)) && text.tokens[at - 1].possessive);
    let value = |at: usize| matches!(text.tags.get(at), Some(Tag::Email | Tag::Phone));
    let Some(detail) = detail else { return };
    let links = (detail + 1..tokens.end).take_while(|&at| LINKS.contains(&text.word(at))).count();
    let value_at = detail + 1 + links;
    let says_only = value_at < tokens.end && (value_at..tokens.end).all(value);
    let known = finder.contracts.get(CHANGE_PERSON).is_some();
    if says_only && known && text.tags[detail - 1] == Tag::Name {
        command.tools = vec![CHANGE_PERSON.to_owned()];
        command.intent = CHANGE_PERSON.to_owned();
        command.probability = command.probability.max(SAID_CLEARLY);
        command.rivals = Vec::new();
    }
}

/// The tool that changes what is known of a person. Whether that is a customer or a lead, the database knows.
const CHANGE_PERSON: &str = "customer.update";
/// The probability of a command that a rule finds.
const SAID_CLEARLY: f32 = 0.95;

/// A note of a lead, or after a command on a lead, has a tool of its own.
fn note_of_lead(text: &Tagged<'_>, command: &mut Command, before: &Commands, finder: &Finder<'_>) {
    let mut named = text.ids.iter().filter(|it| command.tokens.contains(&it.tokens.start));
    let last = before.all.last().and_then(|it| it.tools.last());
    let of_lead = match named.next() {
        Some(id) => id.kind == Some("lead"),
        None => last.is_some_and(|it| super::id::kind_of_tool(it) == Some("lead")),
    };
    let known = finder.contracts.get(NOTE_OF_LEAD).is_some();
    if of_lead && known && command.tools == [NOTE] {
        command.tools = vec![NOTE_OF_LEAD.to_owned()];
        command.intent = NOTE_OF_LEAD.to_owned();
    }
}

/// The tools that add a note, of anything and of a lead.
const NOTE: &str = "os.create_note";
const NOTE_OF_LEAD: &str = "leads.add_note";

/// Chooses the most probable intent. If that is a refusal, the tools are those that are asked for nevertheless.
pub(super) fn chosen(scores: Vec<ScoredIntent>, finder: &Finder<'_>) -> Chosen {
    let refused = scores.iter().find(|it| it.name == REFUSE).map_or(0.0, |it| it.probability);
    let mut scores = scores.into_iter();
    let best = scores.next();
    let rivals: Vec<ScoredIntent> = scores.collect();
    let intent = best.as_ref().map_or(VAGUE.to_owned(), |it| it.name.clone());
    let of =
        |name: &str| finder.intents.tools_of(name).into_iter().map(ToOwned::to_owned).collect();
    let tools = match rivals.first() {
        Some(next) if intent == REFUSE && next.probability >= ASKED_SHARE * (1.0 - refused) => {
            of(&next.name)
        }
        _ => of(&intent),
    };
    Chosen { intent, tools, probability: best.map_or(0.0, |it| it.probability), rivals, refused }
}

/// Adds a command. What names no tool belongs to the command before it, if there is one.
fn push(text: &Tagged<'_>, command: Command, finder: &Finder<'_>, found: &mut Commands) {
    let again = |it: &Command| it.tools == command.tools && !it.is_idle();
    if let Some(at) = found.all.iter().take(found.corrected).position(again) {
        found.all.remove(at);
        found.corrected = found.corrected.saturating_sub(1);
    }
    if let Some(last) = found.all.last_mut() {
        if command.is_idle() && last.is_idle() || (command.is_idle() && command.intent != REFUSE) {
            last.tokens.end = command.tokens.end;
            if last.is_idle() {
                let all = Clause { tokens: last.tokens.clone(), meant: None };
                let scores = intents_of(text, &all, finder.intents, finder.contracts);
                take_over(last, scores, finder);
            }
            return;
        }
        let same = last.tools == command.tools && !names_another(text, &command);
        if same || (command.probability < TOLD_FROM && !last.is_idle()) {
            last.tokens.end = command.tokens.end;
            return;
        }
        let reads = command.tools.iter().all(|it| finder.reads(it));
        if reads
            && command.probability < READS_FROM
            && !last.is_idle()
            && names_nothing(text, &command)
        {
            last.tokens.end = command.tokens.end;
            return;
        }
        if last.is_idle() && last.intent != REFUSE {
            let start = last.tokens.start;
            *last = Command { tokens: start..command.tokens.end, ..command };
            return;
        }
    }
    found.all.push(command);
}

fn take_over(last: &mut Command, scores: Vec<ScoredIntent>, finder: &Finder<'_>) {
    let Chosen { intent, tools, probability, rivals, refused } = chosen(scores, finder);
    *last = Command { intent, tools, probability, rivals, refused, ..last.clone() };
}
