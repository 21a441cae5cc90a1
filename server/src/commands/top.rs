//! `abide top`: live figures of a tenant, refreshed every few seconds.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use abide_engine::base::Timestamp;
use serde_json::Value;
use tokio::sync::oneshot;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::TopArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// Control sequences: switch to the alternate screen and hide the cursor; show the cursor and switch back.
const OPEN_SCREEN: &str = "\x1b[?1049h\x1b[?25l";
const CLOSE_SCREEN: &str = "\x1b[?25h\x1b[?1049l";
/// Control sequences: move the cursor to the upper left corner; erase the line to the right of the cursor;
/// erase the screen below the cursor.
const TO_TOP: &str = "\x1b[H";
const ERASE_LINE: &str = "\x1b[K";
const ERASE_SCREEN: &str = "\x1b[J";

pub(super) async fn run(context: &Context, args: &TopArgs) -> CommandResult {
    if context.global.json || !std::io::stdout().is_terminal() {
        let link = context.link().await?;
        let answer = link.send(ApiRequest::get("/v1/overview")).await?;
        if !context.json(&answer) {
            let times = context.time_format(&link).await;
            output::overview::lines(&answer, &times, None).into_iter().for_each(output::line);
        }
        return Ok(Exit::Success);
    }
    context
        .with_lasting_link(async |link| {
            let _screen = Screen::open();
            watch(context, link, args).await
        })
        .await
}

/// Draws frames until the user quits, the process receives a request to stop,
/// or the program that reads stdout closes it.
async fn watch(context: &Context, link: &Link, args: &TopArgs) -> CommandResult {
    let mut frames = tokio::time::interval(args.interval.to_std());
    let mut stop = std::pin::pin!(shutdown::requested());
    let mut quit = std::pin::pin!(quit_requested());
    let mut before = None;
    loop {
        tokio::select! {
            () = &mut stop => return Ok(Exit::Success),
            () = &mut quit => return Ok(Exit::Success),
            _ = frames.tick() => {}
        }
        before = draw_frame(context, link, before).await?;
        if output::is_stdout_closed() {
            return Ok(Exit::Success);
        }
    }
}

/// The last event that the previous frame counted, and the time of that frame.
struct LastFrame {
    event: String,
    at: Timestamp,
}

/// Fetches the overview and draws it as one frame. Returns the latest event, after which the next frame
/// counts, and the time of this frame; `None` if there is no event yet.
async fn draw_frame(
    context: &Context,
    link: &Link,
    before: Option<LastFrame>,
) -> Result<Option<LastFrame>, ProblemDocument> {
    let after = before.as_ref().map(|before| before.event.as_str());
    let answer = link.send(ApiRequest::get("/v1/overview").query("after", after)).await?;
    let times = context.time_format(link).await;
    let now: Option<Timestamp> = text(&answer, "now").parse().ok();
    let since = before.as_ref().map(|before| before.at);
    let seconds = now.zip(since).map(|(now, since)| (now - since).to_std().as_secs_f64());
    draw(&output::overview::lines(&answer, &times, seconds));
    Ok(last_frame(&answer, now))
}

/// Returns the latest event in the overview `answer`, with the time of the frame;
/// `None` if there is no event yet.
fn last_frame(answer: &Value, now: Option<Timestamp>) -> Option<LastFrame> {
    let event = text(answer, "last_event");
    now.filter(|_| !event.is_empty()).map(|at| LastFrame { event: event.to_owned(), at })
}

fn draw(lines: &[String]) {
    let hint = ["", "press q and Enter, or Ctrl-C, to quit"];
    let lines = lines.iter().map(String::as_str).chain(hint);
    let body: String = lines.map(|line| format!("{line}{ERASE_LINE}\n")).collect();
    output::screen(&format!("{TO_TOP}{body}{ERASE_SCREEN}"));
}

/// Resolves once the user enters a line that begins with `q`.
async fn quit_requested() {
    let (sender, quit) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
        if lines.any(|line| line.trim_start().starts_with('q')) {
            let _ = sender.send(());
        }
    });
    // If stdin has ended, the user can quit only with Ctrl-C.
    if quit.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The alternate screen of the terminal; dropping it restores the normal screen.
struct Screen;

impl Screen {
    fn open() -> Self {
        output::screen(OPEN_SCREEN);
        Self
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        output::screen(CLOSE_SCREEN);
        let _ = std::io::stdout().flush();
    }
}
