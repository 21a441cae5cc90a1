//! `abide eval KIND`: reads one JSON object per line, and prints one line of JSON for each object.
//!
//! With the command, anyone can check the parsers on their own cases. The command needs no network and no
//! database, and calls the same functions as the engine.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use abide_agent::operator::OperatorIntents;
use abide_agent::staff::Intents;
use abide_engine::base::Problem;
use abide_engine::contract::Contracts;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod agenda;
mod cron;
mod durations;
mod obligations;
mod operator;
mod replies;
mod segments;
mod staff;
mod templates;

/// Maximum length of a line in bytes. The part of a longer line beyond this length is skipped.
/// Even the longest kind of line, a template with its data, takes only a few KiB.
const LINE_BYTES_MAX: usize = 1 << 20;

/// What the texts of staff can ask for: the intents and the tools of the program and of a home.
#[derive(Debug)]
pub struct EvalContext {
    /// What staff of a church can ask for.
    pub intents: Arc<Intents>,
    /// What staff of a trade can ask for.
    pub operator_intents: Arc<OperatorIntents>,
    /// The contracts of the tools.
    pub contracts: Arc<Contracts>,
}

/// A function that turns one line of input into one line of JSON.
/// Its error explains why the line is invalid. Staff can ask for what the context contains.
type Answer = fn(&str, &EvalContext) -> Result<String, String>;

/// All kinds of input, in the sequence in which the help lists them.
/// A kind with `None` is not implemented yet.
const KINDS: &[(&str, Option<Answer>)] = &[
    ("cron", Some(|line, _| answer(line, cron::eval))),
    ("durations", Some(|line, _| answer(line, durations::eval))),
    ("segments", Some(|line, _| answer(line, segments::eval))),
    ("templates", Some(|line, _| answer(line, templates::eval))),
    ("volunteer-replies", Some(|line, _| answer(line, replies::eval))),
    (
        "staff-requests",
        Some(|line, context| answer(line, |input| staff::eval(input, &context.intents))),
    ),
    ("ops-requests", Some(|line, context| answer(line, |input| operator::eval(input, context)))),
    ("obligations", Some(|line, _| answer(line, obligations::eval))),
    ("agenda", Some(|line, _| answer(line, agenda::eval))),
    ("times", Some(|line, _| abide_agent::times::eval(line))),
    ("twilio-signatures", None),
];

/// Writes one line of JSON to `output` for every line of `input`.
///
/// For an invalid line it writes `{"error": …}`, and goes on with the following lines. Each line of output
/// is flushed before the next line is read, so that another program can use the command interactively.
///
/// # Errors
/// `unknown_kind`, `not_configured` for a kind of a later version, and `stream_failed` if reading or
/// writing fails. It is not an error if the program that reads `output` has closed it.
pub fn run(
    kind: &str,
    context: &EvalContext,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Problem> {
    let answer = lookup(kind)?;
    let mut line = Vec::new();
    loop {
        let size = read_line(&mut input, &mut line).map_err(|e| failed("read", &e))?;
        if size == 0 {
            return Ok(());
        }
        let mut text = reply(|line| answer(line, context), &line, size);
        text.push('\n');
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written.map_err(|e| failed("write", &e))?,
        }
    }
}

/// Returns the names of all kinds, including the kinds that are not implemented yet.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

fn lookup(kind: &str) -> Result<Answer, Problem> {
    let answered = KINDS.iter().filter(|(_, answer)| answer.is_some()).map(|(name, _)| *name);
    let listed = || format!("use one of these kinds: {}", answered.collect::<Vec<_>>().join(", "));
    match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, Some(answer))) => Ok(*answer),
        Some((name, None)) => {
            let message = format!("`{name}` is not configured in this version");
            Err(Problem::operator("not_configured", message).with_hint(listed()))
        }
        None => {
            let shown: String = kind.chars().take(60).collect();
            let message = format!("unknown kind `{shown}`");
            Err(Problem::caller("unknown_kind", message).with_hint(listed()))
        }
    }
}

/// Reads up to the next line feed into `line`, which is cut at [`LINE_BYTES_MAX`]. Returns the length of
/// the whole line in bytes, including the line feed. Returns 0 at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    let mut size = 0;
    loop {
        let chunk = match input.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let (body, used) = match end {
            Some(at) => (&chunk[..at], at + 1),
            None => (chunk, chunk.len()),
        };
        line.extend_from_slice(&body[..body.len().min(LINE_BYTES_MAX - line.len())]);
        size += used;
        let done = end.is_some() || used == 0;
        input.consume(used);
        if done {
            return Ok(size);
        }
    }
}

fn reply(answer: impl FnOnce(&str) -> Result<String, String>, line: &[u8], size: usize) -> String {
    let checked = if size > LINE_BYTES_MAX {
        Err(format!("the line has {size} bytes, longer than the maximum of {LINE_BYTES_MAX}"))
    } else {
        std::str::from_utf8(line)
            .map_err(|e| format!("not UTF-8 from byte {} on", e.valid_up_to() + 1))
    };
    checked
        .and_then(answer)
        .unwrap_or_else(|error| serde_json::json!({ "error": error }).to_string())
}

/// Parses a line as `I`, evaluates it, and serializes the result `O`. Unknown fields are ignored,
/// because a file of cases often contains a name or the expected result.
fn answer<I: DeserializeOwned, O: Serialize>(
    line: &str,
    eval: impl FnOnce(I) -> Result<O, String>,
) -> Result<String, String> {
    if line.trim().is_empty() {
        return Err("empty line; each line must be one JSON object".into());
    }
    if !line.trim_start().starts_with('{') {
        return Err("not a JSON object".into());
    }
    let input = serde_json::from_str(line).map_err(|e| e.to_string())?;
    serde_json::to_string(&eval(input)?).map_err(|e| e.to_string())
}

fn failed(what: &str, error: &io::Error) -> Problem {
    Problem::operator("stream_failed", format!("cannot {what} the lines: {error}"))
}

#[cfg(test)]
mod tests;
