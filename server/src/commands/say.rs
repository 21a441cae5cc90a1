//! `abide say --from PHONE TEXT`: delivers an inbound message as the gateway would.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::ask::Ask;
use crate::cli::SayArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::view::{items, text};
use crate::problem::ProblemDocument;

/// How often a server is polled for replies, and how many times at most: 2 s in total.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOKS_MAX: usize = 20;

pub(super) async fn run(context: &Context, args: SayArgs) -> Outcome {
    let link = context.link().await?;
    let to = args.to.as_deref().unwrap_or(&context.settings.sms_from);
    let mut talk = Talk::begin(&link, (&args.from, to)).await?;
    let said = talk.say(args.id, &args.text.join(" ")).await?;
    said.tell(context);
    Ok(Exit::Done)
}

/// A conversation between a person's phone and a number of the tenant.
pub(super) struct Talk<'a> {
    link: &'a Link,
    from: &'a str,
    to: &'a str,
    known: BTreeSet<String>,
}

/// How a text was handled, and the replies to it.
pub(super) struct Said {
    answer: Value,
    replies: Vec<Value>,
}

impl Said {
    /// Prints the replies as data, and how the text was handled as a note.
    pub(super) fn tell(mut self, context: &Context) {
        if context.global.json {
            self.answer["replies"] = Value::Array(self.replies);
            output::json(&self.answer);
            return;
        }
        for reply in &self.replies {
            output::line(text(reply, "body"));
        }
        output::note(heard(&self.answer, self.replies.len()));
    }
}

impl<'a> Talk<'a> {
    /// Begins a conversation. Messages that were sent to `from` before are not printed.
    pub(super) async fn begin(
        link: &'a Link,
        (from, to): (&'a str, &'a str),
    ) -> Result<Self, ProblemDocument> {
        let mut talk = Self { link, from, to, known: BTreeSet::new() };
        talk.received().await?;
        Ok(talk)
    }

    /// Sends a text, and waits up to 2 s for replies.
    pub(super) async fn say(
        &mut self,
        id: Option<String>,
        body: &str,
    ) -> Result<Said, ProblemDocument> {
        let id = id.unwrap_or_else(|| crate::fresh_key("say"));
        let body = json!({"id": id, "from": self.from, "to": self.to, "body": body});
        let answer = self.link.send(Ask::post("/v1/messages/inbound", body)).await?;
        let mut looks = tokio::time::interval(LOOK_EVERY);
        // This process handles the text before it answers; a server does so a little later.
        for _ in 0..if self.link.drives_itself() { LOOKS_MAX } else { 1 } {
            looks.tick().await;
            let replies = self.received().await?;
            if !replies.is_empty() {
                return Ok(Said { answer, replies });
            }
        }
        Ok(Said { answer, replies: Vec::new() })
    }

    /// Returns the messages sent to the phone since the last call.
    pub(super) async fn received(&mut self) -> Result<Vec<Value>, ProblemDocument> {
        let mut new = sent_to(self.link, self.from).await?;
        new.retain(|message| self.known.insert(text(message, "id").to_owned()));
        Ok(new)
    }
}

/// Describes how a text was handled.
fn heard(answer: &Value, replies: usize) -> String {
    let handled = match text(answer, "handled_as") {
        "stored" => "stored; it will be interpreted later".to_owned(),
        "unknown_sender" => "kept for staff: no person has that number".to_owned(),
        "unmatched" => "kept for staff: no question was open".to_owned(),
        other => format!("understood as {}", other.replace('_', " ")),
    };
    let again = if answer["duplicate"] == true { ", received before" } else { "" };
    let run = text(answer, "run_id");
    let run = if run.is_empty() { String::new() } else { format!(", for {run}") };
    let back = if replies == 0 { "; no reply was sent" } else { "" };
    format!("({handled}{again}{run}{back})")
}

/// Returns the newest 100 messages to a phone, oldest first.
async fn sent_to(link: &Link, phone: &str) -> Result<Vec<Value>, ProblemDocument> {
    let ask = Ask::get("/v1/messages").with("to", Some(phone)).with("direction", Some("outbound"));
    let mut messages = items(&link.send(ask.with("limit", Some(100))).await?).to_vec();
    messages.sort_by(|a, b| {
        (text(a, "created_at"), text(a, "id")).cmp(&(text(b, "created_at"), text(b, "id")))
    });
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_text_is_said_in_words() {
        let said = |answer: Value, replies| heard(&answer, replies);
        assert_eq!(
            said(json!({"duplicate": false, "handled_as": "staff_request", "run_id": "run_1"}), 1),
            "(understood as staff request, for run_1)"
        );
        assert_eq!(
            said(json!({"duplicate": true, "handled_as": "reply"}), 0),
            "(understood as reply, received before; no reply was sent)"
        );
    }
}
