//! `abide insights`: how often and how soon people answer.

use abide_engine::base::Span;
use serde_json::{Map, Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::InsightsArgs;
use crate::exit::Exit;
use crate::output::members::{items, member, text};
use crate::output::{self, counted, times};

/// Whose answers are shown, in this order: the word of the API, and for one.
const SUBJECTS: [(&str, &str); 4] =
    [("people", "person"), ("customers", "customer"), ("leads", "lead"), ("suppliers", "supplier")];

pub(super) async fn run(context: &Context, args: InsightsArgs) -> CommandResult {
    let link = context.link().await?;
    let mut answers = Map::new();
    for (subject, _) in SUBJECTS {
        let request = ApiRequest::get("/v1/insights")
            .query("of", Some(subject))
            .query("limit", Some(args.limit));
        answers.insert(subject.to_owned(), link.send(request).await?);
    }
    if context.json(&Value::Object(answers.clone())) {
        return Ok(Exit::Success);
    }
    let mut is_first = true;
    for (subject, one) in SUBJECTS {
        let page = &answers[subject];
        if !items(page).is_empty() {
            let gap = if std::mem::take(&mut is_first) { "" } else { "\n" };
            output::line(format_args!("{gap}{}", table(page, one)));
            output::line(summary(page, subject));
        }
        output::note_more(page, args.limit);
    }
    if is_first {
        output::note("nobody has been asked yet, so there is nothing to say about their answers");
    }
    Ok(Exit::Success)
}

fn table(page: &Value, one: &str) -> String {
    let has_quotes = items(page).iter().any(|item| member(item, "quotes").is_some());
    let rows = items(page).iter().map(|item| {
        let of = &item["responses"];
        let yes = if has_quotes { quotes(item) } else { of["accepted"].to_string() };
        [
            text(item, "name").to_owned(),
            of["asked"].to_string(),
            of["answered"].to_string(),
            yes,
            rate(of),
            delay(of, "median_delay"),
            delay(of, "p90_delay"),
        ]
    });
    let yes = if has_quotes { "quotes accepted" } else { "said yes" };
    output::table([one, "asked", "answered", yes, "likely", "half within", "9 of 10 within"], rows)
}

/// Returns how many of the quotes to somebody were accepted, such as `2 of 3`.
fn quotes(item: &Value) -> String {
    member(item, "quotes")
        .map(|quotes| format!("{} of {}", quotes["accepted"], quotes["asked"]))
        .unwrap_or_default()
}

/// Returns the estimated probability of an answer, in percent.
fn rate(of: &Value) -> String {
    format!("{:.0} %", of["answer_rate"].as_f64().unwrap_or_default() * 100.0)
}

fn delay(of: &Value, name: &str) -> String {
    let span = text(of, name).parse::<Span>().ok();
    span.and_then(times::in_two_units).unwrap_or_default()
}

/// Says how all of them answer.
fn summary(page: &Value, subject: &str) -> String {
    let all = member(page, "all").cloned().unwrap_or_else(|| json!({}));
    let asked = all["asked"].as_u64().unwrap_or_default();
    let half = delay(&all, "median_delay");
    let half = if half.is_empty() { half } else { format!(", half of them within {half}") };
    let asks = if subject == "people" { "offer" } else { "text" };
    format!("all {subject}: {} answered of {}{half}", all["answered"], counted(asked, asks))
}
