//! `abide logs`: prints the event log, and follows it.

use std::time::Duration;

use serde_json::Value;

use super::{Context, Outcome};
use crate::ask::Ask;
use crate::cli::LogsArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::view::{View, items, text};
use crate::problem::ProblemDocument;
use crate::shutdown;

/// How often `--follow` polls for new events.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Maximum number of events per request.
const PAGE: usize = 500;

pub(super) async fn run(context: &Context, args: LogsArgs) -> Outcome {
    if !args.follow {
        let link = context.link().await?;
        let mut tail = Tail::of(context, &link, args).await;
        tail.catch_up().await?;
        if tail.printed == 0 {
            output::note("no events");
        }
        return Ok(Exit::Done);
    }
    let (link, running) = context.lingering_link().await?;
    let followed = follow(Tail::of(context, &link, args).await).await;
    if let Some(running) = running {
        running.end().await;
    }
    followed
}

/// Prints events as they arrive, until the process is asked to stop or the reader of stdout has gone.
async fn follow(mut tail: Tail<'_>) -> Outcome {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let mut stop = std::pin::pin!(shutdown::asked());
    let mut unread = std::pin::pin!(output::unread());
    loop {
        tokio::select! {
            () = &mut stop => return Ok(Exit::Done),
            () = &mut unread => return Ok(Exit::Done),
            _ = looks.tick() => {}
        }
        tail.catch_up().await?;
        if output::is_unread() {
            return Ok(Exit::Done);
        }
    }
}

/// A position in the event log.
struct Tail<'a> {
    context: &'a Context,
    link: &'a Link,
    view: View,
    ask: Ask,
    after: Option<String>,
    printed: usize,
}

impl<'a> Tail<'a> {
    /// Creates a tail at the beginning of the log that `args` select.
    async fn of(context: &'a Context, link: &'a Link, args: LogsArgs) -> Self {
        let view = context.view(link).await;
        let since = match args.since {
            Some(span) => Some(link.now().await - span),
            None => None,
        };
        let ask = Ask::get("/v1/events")
            .with("run_id", args.run)
            .with("correlation_id", args.correlation)
            .with("since", since)
            .with("limit", Some(PAGE));
        Self { context, link, view, ask, after: None, printed: 0 }
    }

    /// Prints every event that has not been printed yet.
    async fn catch_up(&mut self) -> Result<(), ProblemDocument> {
        loop {
            let ask = self.ask.clone().with("after", self.after.as_deref());
            let answer = self.link.send(ask).await?;
            let events = items(&answer);
            for event in events {
                self.print(event);
            }
            self.printed += events.len();
            let Some(last) = events.last() else { return Ok(()) };
            self.after = Some(text(last, "id").to_owned());
            if answer.get("next_cursor").is_none() || output::is_unread() {
                return Ok(());
            }
        }
    }

    fn print(&self, event: &Value) {
        if self.context.global.json {
            output::line(event);
        } else {
            output::line(output::event::line(event, &self.view));
        }
    }
}
