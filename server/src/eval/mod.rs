//! `abide eval KIND`: one JSON object a line in, one a line out, in the same order.
//!
//! For anyone who wants to hold our parsers against cases of their own. No network and no
//! database: what answers here is the very function that the engine calls.

use std::io::{self, BufRead, Write};

use abide_engine::base::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod cron;
mod durations;
mod segments;
mod templates;

/// The longest line that is read; the rest of a longer one is skipped. A template with its data
/// takes a few KiB.
const LINE_BYTES_MAX: usize = 1 << 20;

/// One line in (without its end), one line of JSON out; the error says why the line is bad.
type Answer = fn(&str) -> Result<String, String>;

/// Every kind, in the order in which they are listed; none: a later version answers it.
const KINDS: &[(&str, Option<Answer>)] = &[
    ("cron", Some(|line| answer(line, cron::eval))),
    ("durations", Some(|line| answer(line, durations::eval))),
    ("segments", Some(|line| answer(line, segments::eval))),
    ("templates", Some(|line| answer(line, templates::eval))),
    ("volunteer-replies", None),
    ("staff-requests", None),
    ("ops-requests", None),
    ("obligations", None),
    ("agenda", None),
    ("times", None),
    ("twilio-signatures", None),
];

/// Answers every line of `input` with one line on `output`.
///
/// A line that cannot be read is answered with `{"error": …}` and the next one goes on. Each answer
/// is written as soon as its line has been read, so that a program may talk to us line by line.
///
/// # Errors
/// `unknown_kind` (the usage is wrong), `not_configured` for a kind of a later version, and
/// failures to read or write; a reader of our output that has gone away is no failure.
pub fn run(kind: &str, mut input: impl BufRead, mut output: impl Write) -> Result<(), Problem> {
    let answer = lookup(kind)?;
    let mut line = Vec::new();
    loop {
        let size = read_line(&mut input, &mut line).map_err(|e| failed("read", &e))?;
        if size == 0 {
            return Ok(());
        }
        let mut text = reply(answer, &line, size);
        text.push('\n');
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written.map_err(|e| failed("write", &e))?,
        }
    }
}

/// The names of all kinds, those of later versions included.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

fn lookup(kind: &str) -> Result<Answer, Problem> {
    let answered = KINDS.iter().filter(|(_, answer)| answer.is_some()).map(|(name, _)| *name);
    let listed = || format!("the kinds are: {}", answered.collect::<Vec<_>>().join(", "));
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

/// Reads up to the next line feed into `line`, which is cut at [`LINE_BYTES_MAX`]; the result is
/// how many bytes the whole line had, its end included, and 0 at the end of the input.
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

fn reply(answer: Answer, line: &[u8], size: usize) -> String {
    let checked = if size > LINE_BYTES_MAX {
        Err(format!("a line of {size} bytes is longer than {LINE_BYTES_MAX}"))
    } else {
        std::str::from_utf8(line)
            .map_err(|e| format!("not UTF-8 from byte {} on", e.valid_up_to() + 1))
    };
    checked
        .and_then(answer)
        .unwrap_or_else(|error| serde_json::json!({ "error": error }).to_string())
}

/// Reads the line as `I`, evaluates it, writes `O`. Members that `I` does not know are left alone:
/// a file of cases often carries a name or the answer that is expected.
fn answer<I: DeserializeOwned, O: Serialize>(
    line: &str,
    eval: impl FnOnce(I) -> Result<O, String>,
) -> Result<String, String> {
    if line.trim().is_empty() {
        return Err("an empty line; each line is one JSON object".into());
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
