//! `abide say --from PHONE TEXT`: delivers an inbound message to abide, as the gateway would.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::SayArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::{items, text};
use crate::problem::ProblemDocument;

/// Interval at which a server is polled for replies, and maximum number of polls. All polls take 2 s.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const POLLS_MAX: usize = 20;

pub(super) async fn run(context: &Context, args: SayArgs) -> CommandResult {
    let link = context.link().await?;
    let to = args.to.as_deref().unwrap_or(&context.settings.sms_from);
    let mut conversation = Conversation::begin(&link, &args.from, to).await?;
    let sent = conversation.send(args.id, &args.text.join(" ")).await?;
    sent.print(context);
    Ok(Exit::Success)
}

/// A conversation between a person's phone and a number of the tenant.
pub(super) struct Conversation<'a> {
    link: &'a Link,
    /// The person's phone number.
    from: &'a str,
    /// The tenant's phone number.
    to: &'a str,
    /// Ids of those messages to the phone that [`Self::received`] has returned.
    /// They are kept so that each message is printed only once.
    known: BTreeSet<String>,
}

/// The result of sending a message: how the message was handled, and the replies.
pub(super) struct SentText {
    answer: Value,
    replies: Vec<Value>,
}

impl SentText {
    /// Prints the replies to stdout, and a note on how the message was handled to stderr.
    pub(super) fn print(mut self, context: &Context) {
        if context.global.json {
            self.answer["replies"] = Value::Array(self.replies);
            output::json(&self.answer);
            return;
        }
        for reply in &self.replies {
            output::line(text(reply, "body"));
        }
        output::note(describe_handling(&self.answer, self.replies.len()));
    }
}

impl<'a> Conversation<'a> {
    /// Begins a conversation. Messages that were sent to the person's phone earlier are never printed.
    pub(super) async fn begin(
        link: &'a Link,
        from: &'a str,
        to: &'a str,
    ) -> Result<Self, ProblemDocument> {
        let mut conversation = Self { link, from, to, known: BTreeSet::new() };
        conversation.received().await?;
        Ok(conversation)
    }

    /// Sends a message, and waits up to 2 s for replies.
    pub(super) async fn send(
        &mut self,
        id: Option<String>,
        body: &str,
    ) -> Result<SentText, ProblemDocument> {
        let id = id.unwrap_or_else(|| crate::random::fresh_key("say"));
        let body = json!({"id": id, "from": self.from, "to": self.to, "body": body});
        let answer = self.link.send(ApiRequest::post("/v1/messages/inbound", body)).await?;
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        // If the routes run in this process, they handle the message before they respond,
        // so one poll finds all replies. A remote server may handle the message later,
        // so it is polled until there are replies.
        for _ in 0..if self.link.is_remote() { POLLS_MAX } else { 1 } {
            polls.tick().await;
            let replies = self.received().await?;
            if !replies.is_empty() {
                return Ok(SentText { answer, replies });
            }
        }
        Ok(SentText { answer, replies: Vec::new() })
    }

    /// Returns the messages that were sent to the phone since this function was last called.
    pub(super) async fn received(&mut self) -> Result<Vec<Value>, ProblemDocument> {
        let mut new = messages_to(self.link, self.from).await?;
        new.retain(|message| self.known.insert(text(message, "id").to_owned()));
        Ok(new)
    }
}

/// Describes how a message was handled.
fn describe_handling(answer: &Value, replies: usize) -> String {
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
async fn messages_to(link: &Link, phone: &str) -> Result<Vec<Value>, ProblemDocument> {
    let request = ApiRequest::get("/v1/messages")
        .query("to", Some(phone))
        .query("direction", Some("outbound"));
    let mut messages = items(&link.send(request.query("limit", Some(100))).await?).to_vec();
    messages.sort_by(|a, b| {
        (text(a, "created_at"), text(a, "id")).cmp(&(text(b, "created_at"), text(b, "id")))
    });
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handling_of_a_text_is_described() {
        let describe = |answer: Value, replies| describe_handling(&answer, replies);
        assert_eq!(
            describe(
                json!({"duplicate": false, "handled_as": "staff_request", "run_id": "run_1"}),
                1
            ),
            "(understood as staff request, for run_1)"
        );
        assert_eq!(
            describe(json!({"duplicate": true, "handled_as": "reply"}), 0),
            "(understood as reply, received before; no reply was sent)"
        );
    }
}
