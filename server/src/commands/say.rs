//! `abide say --from PHONE TEXT`: an inbound message, as the gateway would deliver it.

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

/// How often a server is looked at for what it sends back, and how often in all: 2 s.
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

/// A phone that talks with us.
pub(super) struct Talk<'a> {
    link: &'a Link,
    from: &'a str,
    to: &'a str,
    known: BTreeSet<String>,
}

/// What was made of a text, and what came back.
pub(super) struct Said {
    answer: Value,
    replies: Vec<Value>,
}

impl Said {
    /// Prints it: what came back as data, the rest as a remark.
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
    /// From one number to one of ours; what was sent before is not told again.
    pub(super) async fn begin(
        link: &'a Link,
        (from, to): (&'a str, &'a str),
    ) -> Result<Self, ProblemDocument> {
        let mut talk = Self { link, from, to, known: BTreeSet::new() };
        talk.received().await?;
        Ok(talk)
    }

    /// Says something, and waits a little for what comes back.
    pub(super) async fn say(
        &mut self,
        id: Option<String>,
        body: &str,
    ) -> Result<Said, ProblemDocument> {
        let id = id.unwrap_or_else(|| crate::fresh_key("say"));
        let body = json!({"id": id, "from": self.from, "to": self.to, "body": body});
        let answer = self.link.send(Ask::post("/v1/messages/inbound", body)).await?;
        let mut looks = tokio::time::interval(LOOK_EVERY);
        // At once where we drive ourselves, else as soon as the server has got to it.
        for _ in 0..if self.link.drives_itself() { LOOKS_MAX } else { 1 } {
            looks.tick().await;
            let replies = self.received().await?;
            if !replies.is_empty() {
                return Ok(Said { answer, replies });
            }
        }
        Ok(Said { answer, replies: Vec::new() })
    }

    /// What was sent to the phone since the last look.
    pub(super) async fn received(&mut self) -> Result<Vec<Value>, ProblemDocument> {
        let mut new = sent_to(self.link, self.from).await?;
        new.retain(|message| self.known.insert(text(message, "id").to_owned()));
        Ok(new)
    }
}

/// What came of it, in words.
fn heard(answer: &Value, replies: usize) -> String {
    let handled = match text(answer, "handled_as") {
        "stored" => "kept; it will be read when the work goes on".to_owned(),
        "unknown_sender" => "kept for staff: nobody here has that number".to_owned(),
        "unmatched" => "kept for staff: nothing had been asked".to_owned(),
        other => format!("understood as {}", other.replace('_', " ")),
    };
    let again = if answer["duplicate"] == true { ", heard before" } else { "" };
    let run = text(answer, "run_id");
    let run = if run.is_empty() { String::new() } else { format!(", for {run}") };
    let back = if replies == 0 { "; nothing was sent back" } else { "" };
    format!("({handled}{again}{run}{back})")
}

/// The newest messages to a phone, oldest of them first.
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
            "(understood as reply, heard before; nothing was sent back)"
        );
    }
}
