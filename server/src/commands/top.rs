//! `abide top`: live figures of a tenant, refreshed every few seconds.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use abide_engine::base::Timestamp;
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Context, Outcome};
use crate::ask::Ask;
use crate::cli::TopArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::view::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// Switches to the alternate screen and hides the cursor; switches back and shows it.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
/// Moves to the upper left corner; erases the rest of the line; erases the rest of the screen.
const HOME: &str = "\x1b[H";
const REST_OF_LINE: &str = "\x1b[K";
const REST_OF_SCREEN: &str = "\x1b[J";

pub(super) async fn run(context: &Context, args: &TopArgs) -> Outcome {
    if context.global.json || !std::io::stdout().is_terminal() {
        let link = context.link().await?;
        let answer = link.send(Ask::get("/v1/overview")).await?;
        if !context.json(&answer) {
            let view = context.view(&link).await;
            output::overview::lines(&answer, &view, None).into_iter().for_each(output::line);
        }
        return Ok(Exit::Done);
    }
    let (link, running) = context.lingering_link().await?;
    let screen = Screen::open();
    let watched = watch(context, &link, args).await;
    drop(screen);
    if let Some(running) = running {
        running.end().await;
    }
    watched
}

/// Draws frames until the user quits, the process is asked to stop, or the reader of stdout has gone.
async fn watch(context: &Context, link: &Link, args: &TopArgs) -> Outcome {
    let mut frames = tokio::time::interval(args.interval.to_std());
    let mut stop = std::pin::pin!(shutdown::asked());
    let mut quit = std::pin::pin!(quit());
    let mut before = None;
    loop {
        tokio::select! {
            () = &mut stop => return Ok(Exit::Done),
            () = &mut quit => return Ok(Exit::Done),
            _ = frames.tick() => {}
        }
        before = frame(context, link, before).await?;
        if output::is_unread() {
            return Ok(Exit::Done);
        }
    }
}

/// The last event that a frame has counted, and the time of that frame.
struct Counted {
    event: String,
    at: Timestamp,
}

/// Draws one frame.
async fn frame(
    context: &Context,
    link: &Link,
    before: Option<Counted>,
) -> Result<Option<Counted>, ProblemDocument> {
    let after = before.as_ref().map(|before| before.event.as_str());
    let answer = link.send(Ask::get("/v1/overview").with("after", after)).await?;
    let view = context.view(link).await;
    let now: Option<Timestamp> = text(&answer, "now").parse().ok();
    let since = before.as_ref().map(|before| before.at);
    let seconds = now.zip(since).map(|(now, since)| (now - since).to_std().as_secs_f64());
    draw(&output::overview::lines(&answer, &view, seconds));
    Ok(counted(&answer, now))
}

/// Returns the starting point for the next frame's counts; `None` if there is no event yet.
fn counted(answer: &Value, now: Option<Timestamp>) -> Option<Counted> {
    let event = text(answer, "last_event");
    now.filter(|_| !event.is_empty()).map(|at| Counted { event: event.to_owned(), at })
}

fn draw(lines: &[String]) {
    let hint = ["", "press q and Enter, or Ctrl-C, to quit"];
    let lines = lines.iter().map(String::as_str).chain(hint);
    let body: String = lines.map(|line| format!("{line}{REST_OF_LINE}\n")).collect();
    output::screen(&format!("{HOME}{body}{REST_OF_SCREEN}"));
}

/// Resolves once the user enters a line that begins with `q`.
async fn quit() {
    let (tell, told) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
        if lines.any(|line| line.trim_start().starts_with('q')) {
            let _ = tell.send(());
        }
    });
    // If stdin has ended, only Ctrl-C quits.
    if told.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The alternate screen of the terminal; dropping it restores the normal screen.
struct Screen;

impl Screen {
    fn open() -> Self {
        output::screen(ENTER);
        Self
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        output::screen(LEAVE);
        let _ = std::io::stdout().flush();
    }
}
