//! `abide logs`: prints the event log; with `--follow` also the events that arrive later.

use std::time::Duration;

use serde_json::Value;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::LogsArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::{items, text};
use crate::output::times::TimeFormat;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// Interval at which `--follow` polls for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of events per request.
const PAGE: usize = 500;

pub(super) async fn run(context: &Context, args: LogsArgs) -> CommandResult {
    if !args.follow {
        let link = context.link().await?;
        let mut tail = Tail::open(context, &link, args).await;
        tail.print_new().await?;
        if tail.printed == 0 {
            output::note("no events");
        }
        return Ok(Exit::Success);
    }
    context
        .with_lasting_link(async |link| follow(Tail::open(context, link, args).await).await)
        .await
}

/// Prints events as they arrive. Ends when the process receives a request to stop,
/// or when the program that reads stdout closes it.
async fn follow(mut tail: Tail<'_>) -> CommandResult {
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    let mut stop = std::pin::pin!(shutdown::requested());
    let mut reader_gone = std::pin::pin!(output::stdout_closed());
    loop {
        tokio::select! {
            () = &mut stop => return Ok(Exit::Success),
            () = &mut reader_gone => return Ok(Exit::Success),
            _ = polls.tick() => {}
        }
        tail.print_new().await?;
        if output::is_stdout_closed() {
            return Ok(Exit::Success);
        }
    }
}

/// Prints events of the event log, and remembers the last event that was printed.
struct Tail<'a> {
    context: &'a Context,
    link: &'a Link,
    times: TimeFormat,
    request: ApiRequest,
    after: Option<String>,
    printed: usize,
}

impl<'a> Tail<'a> {
    /// Prepares to print the events that `args` select; prints nothing yet.
    async fn open(context: &'a Context, link: &'a Link, args: LogsArgs) -> Self {
        let times = context.time_format(link).await;
        let since = match args.since {
            Some(span) => Some(link.now().await - span),
            None => None,
        };
        let request = ApiRequest::get("/v1/events")
            .query("run_id", args.run)
            .query("correlation_id", args.correlation)
            .query("since", since)
            .query("show_pii", args.show_pii.then_some(true))
            .query("limit", Some(PAGE));
        Self { context, link, times, request, after: None, printed: 0 }
    }

    /// Prints every event that has not yet been printed.
    async fn print_new(&mut self) -> Result<(), ProblemDocument> {
        loop {
            let request = self.request.clone().query("after", self.after.as_deref());
            let answer = self.link.send(request).await?;
            let events = items(&answer);
            for event in events {
                self.print(event);
            }
            self.printed += events.len();
            let Some(last) = events.last() else { return Ok(()) };
            self.after = Some(text(last, "id").to_owned());
            if answer.get("next_cursor").is_none() || output::is_stdout_closed() {
                return Ok(());
            }
        }
    }

    fn print(&self, event: &Value) {
        if self.context.global.json {
            output::line(event);
        } else {
            output::line(output::event::line(event, &self.times));
        }
    }
}
