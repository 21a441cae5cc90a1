//! `abide chat --from PHONE`: sends each line from stdin as a text, and prints the replies and every other
//! message to that phone.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};

use super::say::Talk;
use super::{Context, Outcome};
use crate::cli::ChatArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::view::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// How often the server is polled for messages that are not a reply to a line.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Maximum number of lines read ahead.
const LINES_AHEAD: usize = 16;

pub(super) async fn run(context: &Context, args: ChatArgs) -> Outcome {
    let (link, running) = context.lingering_link().await?;
    let to = args.to.as_deref().unwrap_or(&context.settings.sms_from);
    let chatted = match Talk::begin(&link, (&args.from, to)).await {
        Ok(talk) => chat(context, talk).await,
        Err(problem) => Err(problem),
    };
    if let Some(running) = running {
        running.end().await;
    }
    chatted
}

/// Chats until stdin ends or the process is asked to stop.
async fn chat(context: &Context, mut talk: Talk<'_>) -> Outcome {
    let asks = std::io::stdin().is_terminal() && !context.global.quiet;
    let mut lines = lines();
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let mut stop = std::pin::pin!(shutdown::asked());
    let mut exit = Exit::Done;
    prompt(asks);
    loop {
        let line = tokio::select! {
            () = &mut stop => return Ok(exit),
            line = lines.recv() => line,
            _ = looks.tick() => {
                if overheard(context, &mut talk).await? {
                    prompt(asks);
                }
                continue;
            }
        };
        let Some(line) = line else { return Ok(exit) };
        if !line.trim().is_empty() {
            match talk.say(None, line.trim()).await {
                Ok(said) => said.tell(context),
                Err(problem) => {
                    problem.print(context.global.json);
                    exit = Exit::Unwell;
                }
            }
        }
        prompt(asks);
    }
}

/// Prints messages that arrived since the last poll. Returns whether there were any.
async fn overheard(context: &Context, talk: &mut Talk<'_>) -> Result<bool, ProblemDocument> {
    let received = talk.received().await?;
    for message in &received {
        if !context.json(message) {
            output::line(text(message, "body"));
        }
    }
    Ok(!received.is_empty())
}

fn prompt(asks: bool) {
    if asks {
        let mut stderr = std::io::stderr().lock();
        let _ = write!(stderr, "> ").and_then(|()| stderr.flush());
    }
}

/// Returns the lines of stdin. A thread of its own reads them, because a blocking read cannot be interrupted.
fn lines() -> Receiver<String> {
    let (tell, lines) = channel(LINES_AHEAD);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if tell.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
