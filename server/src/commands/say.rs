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
    let before = sent_to(&link, &args.from).await?;
    let known: BTreeSet<String> = before.iter().map(|m| text(m, "id").to_owned()).collect();
    let body = json!({
        "id": args.id.unwrap_or_else(|| crate::fresh_key("say")),
        "from": args.from,
        "to": args.to.as_deref().unwrap_or(&context.settings.sms_from),
        "body": args.text.join(" "),
    });
    let mut answer = link.send(Ask::post("/v1/messages/inbound", body)).await?;
    let replies = replies(&link, &args.from, &known).await?;
    if context.global.json {
        answer["replies"] = Value::Array(replies);
        output::json(&answer);
        return Ok(Exit::Done);
    }
    for reply in &replies {
        output::line(text(reply, "body"));
    }
    output::note(heard(&answer, replies.len()));
    Ok(Exit::Done)
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

/// What was sent to the phone since: at once where we drive ourselves, else as soon as the server
/// has got to it.
async fn replies(
    link: &Link,
    phone: &str,
    known: &BTreeSet<String>,
) -> Result<Vec<Value>, ProblemDocument> {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    for _ in 0..if link.drives_itself() { LOOKS_MAX } else { 1 } {
        looks.tick().await;
        let mut new = sent_to(link, phone).await?;
        new.retain(|message| !known.contains(text(message, "id")));
        if !new.is_empty() {
            return Ok(new);
        }
    }
    Ok(Vec::new())
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
