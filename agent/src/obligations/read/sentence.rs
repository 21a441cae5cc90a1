//! Cuts a text into sentences, and a sentence where a further request can begin.

use super::clause::Clause;
use super::courtesy::bare;
use super::token::Kind;

/// Maximum number of sentences that are read: a text message has a handful.
const SENTENCES_MAX: usize = 12;
/// Maximum number of places in a sentence where it is tried to begin a further request, because they are tried in
/// all combinations.
const JOINTS_MAX: usize = 6;
/// Words and marks between two requests.
const JOINTS: &str = "and|,|then|also|but|;|:|-|so|or|, and|, then|, also|, but|and then|and also|, and then|\
    , and also|, so|as well as|oh and|oh";
/// Words that begin a request.
const OPENERS: &str = "what|whats|who|whos|whom|which|where|wheres|when|whens|how|hows|why|is|are|am|do|does|\
    did|can|could|will|would|should|list|show|tell|give|find|name|count|remind|schedule|book|set|add|put|\
    keep|never|dont|make|ensure|turn|switch|move|lock|unlock|open|close|shut|my|i|im|ive|ill|call|please|\
    calculate|compute|divide|multiply|subtract|work|number|time|any|avoid|maintain|always|let|get|we|were|\
    double|check|verify|explain|prove|wake|create|arrange|plan|nudge|ping|dim|heat|cool|warm|bring|start|\
    stop|also|remember|note|save|forget|change|update|pencil|text|got|anything|anyone|anybody|you|no|not|\
    actually|its|it|our|prevent|hold|at|in|on";

/// Words that begin a question within a sentence.
const QUESTIONS: &str = "what is|whats|what are|how many|how much is|who is|whos|who are|who lives|where do|\
    where does|where is|what time|how often|list my|calculate|compute|which of my|whats the|what does|\
    number of";
/// Maximum number of places in a sentence that are tried as the beginning or the end of a question.
const QUESTIONS_MAX: usize = 4;

/// Returns the sentences of a text, each with the marks at its end.
pub(super) fn sentences(clause: Clause<'_>) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..clause.len() {
        if !ends(clause, at) || found.len() + 1 == SENTENCES_MAX {
            continue;
        }
        found.push(clause.slice(start..at + 1));
        start = at + 1;
    }
    found.push(clause.from(start));
    found.retain(|sentence| !sentence.trimmed().is_empty());
    found
}

/// Whether a sentence ends with a token.
fn ends(clause: Clause<'_>, at: usize) -> bool {
    let next = clause.token(at + 1);
    let is_apart = next.is_none_or(|next| !next.is_glued);
    match clause.word(at) {
        "\n" | ";" => true,
        "?" => is_apart || next.is_some_and(|next| next.kind == Kind::Word),
        "." | "…" => is_apart,
        "!" => {
            // "5! + 3" goes on, "I have 5! What now" does not.
            let is_factorial = at > 0 && clause.is_number(at - 1) && clause.is_glued(at);
            is_apart && (!is_factorial || clause.is_capital(at + 1))
        }
        _ => false,
    }
}

/// A place where a sentence can be cut in two.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The first token of the joint.
    joint: usize,
    /// The first token behind the joint.
    start: usize,
    /// Whether the second part begins as requests do.
    opens: bool,
}

/// Cuts a sentence into parts of which each can be read. If the sentence as a whole cannot be cut so, returns the
/// end or else the beginning of it that can be read, or else the whole.
pub(super) fn parts<'t>(
    sentence: Clause<'t>,
    can_read: &dyn Fn(Clause<'t>) -> bool,
) -> Vec<Clause<'t>> {
    let cuts = cuts(sentence);
    if let Some(parts) = covered(sentence, 0, &cuts, can_read) {
        return parts;
    }
    let later = cuts.iter().enumerate();
    let mut later =
        later.filter_map(|(at, cut)| covered(sentence, cut.start, &cuts[at + 1..], can_read));
    if let Some(parts) = later.next() {
        return parts;
    }
    if let Some(embedded) = embedded(sentence, &cuts, can_read) {
        return vec![embedded];
    }
    let mut earlier = cuts.iter().rev().map(|cut| sentence.until(cut.joint));
    vec![earlier.find(|part| can_read(*part)).unwrap_or(sentence)]
}

/// Finds a question within a sentence: "my teacher asked what's seven times six and I forgot".
fn embedded<'t>(
    sentence: Clause<'t>,
    cuts: &[Cut],
    can_read: &dyn Fn(Clause<'t>) -> bool,
) -> Option<Clause<'t>> {
    let starts = (1..sentence.len()).filter(|at| sentence.from(*at).starts(QUESTIONS) > 0);
    starts.take(QUESTIONS_MAX).find_map(|start| {
        let ends = cuts.iter().rev().map(|cut| cut.joint).filter(|end| *end > start + 1);
        let parts =
            std::iter::once(sentence.len()).chain(ends).map(|end| sentence.slice(start..end));
        let mut parts = parts.take(QUESTIONS_MAX);
        parts.find(|part| can_read(*part))
    })
}

/// Cuts a sentence from a place on into the shortest parts that can all be read. Goes from the end to the start, so
/// that each pair of places is tried once.
fn covered<'t>(
    sentence: Clause<'t>,
    from: usize,
    cuts: &[Cut],
    can_read: &dyn Fn(Clause<'t>) -> bool,
) -> Option<Vec<Clause<'t>>> {
    let cuts: Vec<&Cut> = cuts.iter().filter(|cut| cut.opens).collect();
    // The parts from each place to the end; the first place is `from`.
    let mut best: Vec<Option<Vec<Clause<'t>>>> = vec![None; cuts.len() + 1];
    for at in (0..=cuts.len()).rev() {
        let start = if at == 0 { from } else { cuts[at - 1].start };
        let short = (at..cuts.len()).find_map(|next| {
            let rest = best[next + 1].as_ref()?;
            let part = sentence.slice(start..cuts[next].joint);
            can_read(part).then(|| [vec![part], rest.clone()].concat())
        });
        let whole =
            || Some(sentence.from(start)).filter(|part| can_read(*part)).map(|part| vec![part]);
        best[at] = short.or_else(whole);
    }
    best.swap_remove(0)
}

/// Whether a token can stand beside a sign of arithmetic.
fn is_operand(clause: Clause<'_>, at: usize) -> bool {
    clause.is_number(at)
        || matches!(clause.word(at), "(" | ")" | "%" | "squared" | "cubed" | "percent")
}

/// Whether a part can be a request without a word that asks: "3+3", "e's in apple".
fn opens_alone(before: Clause<'_>, after: Clause<'_>) -> bool {
    let is_formula = after.is_number(0)
        && after.slice(1..3).has("+|-|*|/|x|times|plus|minus|divided|%|^|squared");
    let is_letter = after.until(1).raw().chars().count() == 3
        && after.until(1).raw().contains(['\'', '’'])
        && after.from(1).starts("in|are") > 0
        && before.has("in|inside|of|does");
    is_formula || is_letter
}

/// Returns the places where a sentence can be cut in two, in their order.
fn cuts(sentence: Clause<'_>) -> Vec<Cut> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < sentence.len() && found.len() < JOINTS_MAX {
        let joint = sentence.from(at).starts(JOINTS);
        // "3-2" and "7/8 - 1/4" have no joint.
        let is_sign = matches!(sentence.word(at), "-" | ":")
            && is_operand(sentence, at - 1)
            && is_operand(sentence, at + 1);
        if joint == 0 || is_sign || (sentence.is_glued(at) && sentence.word(at) == "-") {
            at += 1;
            continue;
        }
        let after = sentence.from(at + joint);
        if !after.trimmed().is_empty() {
            let opens = after.starts(OPENERS) > 0
                || bare(after).starts(OPENERS) > 0
                || opens_alone(sentence.until(at), after);
            found.push(Cut { joint: at, start: at + joint, opens });
        }
        at += joint;
    }
    found
}
