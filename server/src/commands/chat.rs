//! `abide chat --from PHONE`: sends each line from stdin as a message from that phone.
//! The command prints the replies, and every other message to that phone.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};

use super::context::{CommandResult, Context};
use super::say::Conversation;
use crate::cli::ChatArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::members::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// Interval at which the server is polled for messages that do not answer a line from stdin.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of lines that are read from stdin in advance, before they are sent.
const LINES_AHEAD: usize = 16;

pub(super) async fn run(context: &Context, args: ChatArgs) -> CommandResult {
    let to = args.to.as_deref().unwrap_or(&context.settings.sms_from);
    context
        .with_lasting_link(async |link| {
            let conversation = Conversation::begin(link, &args.from, to).await?;
            chat(context, conversation).await
        })
        .await
}

/// Chats until stdin ends or the process receives a request to stop.
async fn chat(context: &Context, mut conversation: Conversation<'_>) -> CommandResult {
    let prompt = Prompt { is_shown: std::io::stdin().is_terminal() && !context.global.quiet };
    let mut lines = stdin_lines();
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    let mut stop = std::pin::pin!(shutdown::requested());
    let mut exit = Exit::Success;
    prompt.print();
    loop {
        let line = tokio::select! {
            () = &mut stop => return Ok(exit),
            line = lines.recv() => line,
            _ = polls.tick() => {
                if print_received(context, &mut conversation).await? {
                    prompt.print();
                }
                continue;
            }
        };
        let Some(line) = line else { return Ok(exit) };
        if !line.trim().is_empty() {
            match conversation.send(None, line.trim()).await {
                Ok(sent) => sent.print(context),
                Err(problem) => {
                    context.print_problem(&problem);
                    exit = Exit::Failure;
                }
            }
        }
        prompt.print();
    }
}

/// Prints the messages that arrived since the last poll. Returns whether there was any message.
async fn print_received(
    context: &Context,
    conversation: &mut Conversation<'_>,
) -> Result<bool, ProblemDocument> {
    let received = conversation.received().await?;
    for message in &received {
        if !context.json(message) {
            output::line(text(message, "body"));
        }
    }
    Ok(!received.is_empty())
}

/// The prompt `> `, which is shown only to a person at a terminal.
struct Prompt {
    is_shown: bool,
}

impl Prompt {
    fn print(&self) {
        if self.is_shown {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "> ").and_then(|()| stderr.flush());
        }
    }
}

/// Returns the lines of stdin, which a separate thread reads. A blocking read cannot be interrupted,
/// and the command must be able to print messages and to stop while it waits for a line.
fn stdin_lines() -> Receiver<String> {
    let (sender, lines) = channel(LINES_AHEAD);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
