//! The operator reads a text of staff of a trade as calls of tools.
//!
//! A text passes through four stages. `token` and `tag` find its words and what they are: ids, phones, names, times.
//! `segment` and `command` cut it into commands; a classifier and rules (`choose`) find the tool of each. `fill` takes
//! the input of the calls from the text and its context, by the schemas of the contracts. `refusal` finds what must not
//! be done, and `decide` says whether to execute, to refuse or to ask back: rather ask back than call the wrong tool.

mod again;
mod antecedent;
mod choose;
mod clause;
mod command;
mod content;
mod decide;
mod domain;
mod email;
mod features;
mod fill;
mod gazetteer;
mod id;
mod intents;
mod lexicon;
mod money;
mod name;
mod packet;
mod phone;
mod place;
mod proposal;
mod reading;
mod refusal;
mod segment;
mod tag;
mod terms;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod token;
mod urgency;
mod when;
mod wordlist;

use abide_language::contract::Contracts;
use jiff::Zoned;
use serde_json::{Map, Value, json};

pub use self::intents::{OperatorClassifier, OperatorIntents, builtin_examples, train};
pub use self::proposal::{ProposedTools, is_open, read_proposed};
pub use self::reading::{Conflict, IntentClassification, OperatorReading, ValueOf, WantedCall};
pub use self::terms::{Directive, OperatorDomain, OperatorIntent, Urgency};

use self::command::{Commands, Finder};
use self::decide::{Findings, decide};
use self::fill::Sources;
use self::refusal::Spoken;
use self::tag::{Tag, Tagged};

/// Most calls of one text.
const CALLS_MAX: usize = 64;

/// A text of staff, with all that its reading depends on.
#[derive(Clone, Copy)]
pub struct OperatorText<'t> {
    /// The text.
    pub text: &'t str,
    /// What is known besides the text. Its members have the names of the members of the tools' input.
    pub context: &'t Map<String, Value>,
    /// The tools that there are.
    pub contracts: &'t Contracts,
    /// What staff can ask for.
    pub intents: &'t OperatorIntents,
    /// The instant, in the time zone of the business.
    pub now: &'t Zoned,
}

/// Reads a text of staff at an instant in the time zone of the business. Its tools are those of `contracts` that
/// `intents` has examples of. What the text does not say, `context` may: its members have the names of the members of
/// the tools' input.
#[must_use]
pub fn read(
    text: &str,
    context: &Map<String, Value>,
    contracts: &Contracts,
    intents: &OperatorIntents,
    now: &Zoned,
) -> OperatorReading {
    read_with(&OperatorText { text, context, contracts, intents, now }, |commands| commands)
}

/// Reads a text whose commands are those that `choose` makes of the commands that were found.
fn read_with(
    said: &OperatorText<'_>,
    choose: impl FnOnce(Commands) -> Commands,
) -> OperatorReading {
    let OperatorText { text, context, contracts, intents, now } = *said;
    let mut tagged = Tagged::of(text, token::tokens(text), now);
    let forbidden = intents.refusal(&tagged);
    let finder = Finder { intents, contracts, given: id::given(context) };
    let mut commands = choose(command::find(&mut tagged, &finder));
    let records = commands.all.iter().any(|it| it.tools.iter().any(|tool| is_record(tool)));
    let refusal = refusal::find(&tagged, records);
    let spoken = Spoken::of(&tagged);
    let sources = Sources { text: &tagged, context, contracts, intents };
    let mut filled = Filled::default();
    match context.get(packet::MEMBER).and_then(Value::as_object) {
        Some(packet) if wants_packet(&commands) => {
            filled.calls = packet::calls(packet);
            commands = Commands::default();
        }
        _ => {
            filled.fill(&sources, &commands);
            filled.share_records(contracts);
        }
    }
    let decision = decide(&Findings {
        commands: &commands,
        calls: &filled.calls,
        refusal: refusal.as_ref(),
        forbidden,
        contracts,
        urgency: urgency::of(&spoken),
        asked: urgency::asked_risk(&spoken),
        unused: unused_record(&tagged, &filled.calls),
    });
    OperatorReading {
        classification: decision.classification,
        calls: filled.calls,
        conflict: decision.conflict,
        slots: filled.slots,
        is_proposed: false,
    }
}

/// Returns the first record that a text names by its id and that no call has in its input, not even in a text.
fn unused_record<'t>(text: &'t Tagged<'_>, calls: &[WantedCall]) -> Option<&'t str> {
    let inputs: Vec<String> = calls.iter().map(|call| json!(call.input).to_string()).collect();
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_used = |id: &str| inputs.iter().any(|input| input.contains(&digits(id)));
    let ids = (0..text.tokens.len()).filter(|at| text.tags[*at] == Tag::Id);
    ids.map(|at| text.word(at)).find(|id| !is_used(id))
}

/// Whether a tool only records what was said or seen.
fn is_record(tool: &str) -> bool {
    matches!(
        tool,
        "comms.log" | "os.create_note" | "leads.add_note" | "os.update_note" | "os.create_task"
    )
}

/// Whether a text with a packet beside it asks to file it: it names no other tool clearly.
fn wants_packet(commands: &Commands) -> bool {
    let about = |tool: &String| tool.starts_with("inspection.") || tool.starts_with("media.");
    commands.all.iter().all(|it| it.is_idle() || it.tools.iter().any(about) || it.probability < 0.5)
}

/// The calls of a text, and what it says.
#[derive(Debug, Default)]
struct Filled {
    calls: Vec<WantedCall>,
    slots: Map<String, Value>,
}

impl Filled {
    /// Gives a call the record of the next call that works on one of its kind: "tag and archive media_4".
    fn share_records(&mut self, contracts: &Contracts) {
        for at in 0..self.calls.len() {
            let (before, after) = self.calls.split_at_mut(at + 1);
            let Some(call) = before.last_mut() else { return };
            let Some(contract) = contracts.get(&call.tool) else { continue };
            let members = contract
                .input
                .members()
                .filter(|it| contract.input.requires(it) && it.ends_with("_id"));
            let bare = call.input.is_empty() && call.named.is_empty() && call.refs.is_empty();
            for member in members.filter(|_| bare) {
                if let Some(value) = after.first().and_then(|it| it.input.get(member)) {
                    call.input.insert(member.to_owned(), value.clone());
                }
            }
        }
    }

    fn fill(&mut self, sources: &Sources<'_>, commands: &Commands) {
        for command in &commands.all {
            for tool in &command.tools {
                let Some(contract) = sources.contracts.get(tool) else { continue };
                if self.calls.len() >= CALLS_MAX {
                    return;
                }
                let filled = fill::call(sources, command, contract, &self.calls);
                let known = |member: &String| !self.slots.contains_key(member);
                let input = filled
                    .call
                    .input
                    .iter()
                    .filter(|(member, _)| !filled.said.contains_key(*member));
                let said: Vec<(String, Value)> = filled
                    .said
                    .iter()
                    .chain(input)
                    .filter(|(member, _)| known(member))
                    .map(|(member, value)| (member.clone(), value.clone()))
                    .collect();
                self.slots.extend(said);
                let more = fill::further(sources, command, contract, &filled.call);
                self.calls.push(filled.call);
                let room = CALLS_MAX.saturating_sub(self.calls.len());
                self.calls.extend(more.into_iter().take(room));
            }
        }
    }
}
