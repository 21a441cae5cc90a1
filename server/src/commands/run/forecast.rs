//! `run forecast`: simulates a copy of a live run.
//!
//! The command reads the database directly, even while another process drives it. A copy contains names and
//! phone numbers of people, so it is not sent over HTTP.

use std::sync::Arc;

use abide_engine::base::RunId;
use abide_engine::clock::SystemClock;
use abide_engine::library::Sources;
use abide_engine::store::Store;
use abide_simulator::crowd::CrowdModel;
use abide_simulator::ensemble::Ensemble;
use abide_simulator::forecast::{Forecast, RunSnapshot, forecast};
use abide_simulator::play::PlayOptions;
use abide_simulator::report::StoryLine;
use abide_simulator::scenario::Scenario;
use jiff::tz::TimeZone;
use serde_json::json;

use super::super::simulate::many::{self, Version};
use super::super::simulate::people;
use super::{Context, Outcome};
use crate::cli::RunForecast;
use crate::exit::Exit;
use crate::output::view::View;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use crate::{database, library};

/// Default number of simulations if people answer by chance.
const RUNS_USUAL: u64 = 100;

pub(super) async fn run(context: &Context, args: &RunForecast) -> Outcome {
    let model = people(&args.people)?;
    // Reports errors in the home folder before anything is copied.
    library::load(context.global.home.as_deref())?;
    let sources = context.sources()?;
    let snapshot = copied(context, &args.run).await?;
    if let Some(why) = stands_still(&snapshot) {
        output::note(why);
    }
    let scenario = snapshot.scenario(args.lasts, args.seed);
    let runs = args.runs.unwrap_or(if model.replies > 0.0 { RUNS_USUAL } else { 1 });
    let story = (&snapshot, &scenario, &model);
    if runs > 1 || args.report.is_some() {
        often(context, args, story, (&sources, runs))?;
    } else {
        once(context, args, story, sources).await?;
    }
    Ok(Exit::Done)
}

/// Copies the run in its current state.
async fn copied(context: &Context, run: &str) -> Result<RunSnapshot, ProblemDocument> {
    let global = &context.global;
    if global.server.is_some() {
        let detail = "a forecast reads the database directly and cannot use a server";
        return Err(ProblemDocument::new(422, "not_over_http", detail)
            .with_hint(format!("omit `--server`: `abide --db DB run forecast {run}`")));
    }
    let unknown = || {
        ProblemDocument::new(404, "unknown_run", format!("there is no run `{run}`"))
            .with_hint("find the run with `abide run list`; select the database with `--db`")
    };
    let id: RunId = run.parse().map_err(|_| unknown())?;
    let address = database::address(global.db.as_deref());
    if address.file().is_some_and(|file| !file.is_file()) {
        return Err(unknown());
    }
    let options = database::options(address, Arc::new(SystemClock));
    let store = Store::open(options, Arc::new(|_| {})).await?;
    Ok(RunSnapshot::copy(&store, &global.tenant, id, context.settings.clone()).await?)
}

/// Returns why the run cannot make progress: its tenant or the run itself is paused.
fn stands_still(snapshot: &RunSnapshot) -> Option<String> {
    if snapshot.tenant_paused {
        let tenant = &snapshot.tenant;
        return Some(format!("tenant `{tenant}` is paused: nothing is sent until it is resumed"));
    }
    (snapshot.status == "paused").then(|| {
        let run = snapshot.run;
        format!("the run is paused: it does not continue until `abide run resume {run}`")
    })
}

async fn once(
    context: &Context,
    args: &RunForecast,
    (snapshot, scenario, model): (&RunSnapshot, &Scenario, &CrowdModel),
    sources: Sources,
) -> Result<(), ProblemDocument> {
    let tell = |line: &StoryLine| output::line(line);
    let options = PlayOptions {
        seed: Some(args.seed),
        sources: Some(sources),
        crowd: Some(model.clone()),
        on_line: (!context.global.json).then_some(&tell as _),
        ..PlayOptions::default()
    };
    let forecast = forecast(snapshot, scenario, &options).await?;
    if !context.json(&json!(forecast)) {
        output::line(ending(&forecast, snapshot, args));
    }
    Ok(())
}

/// Describes how and when the run ends, and what is sent until then.
fn ending(forecast: &Forecast, snapshot: &RunSnapshot, args: &RunForecast) -> String {
    let measure = &forecast.report.measure;
    let zone = TimeZone::get(&snapshot.zone).unwrap_or(TimeZone::UTC);
    let view = View::new(snapshot.at, zone);
    let end = match (&measure.outcome, measure.ended_at) {
        (Some(outcome), Some(at)) => {
            let at = at.to_string();
            format!("{} {} ({})", outcome.replace('_', " "), view.local(&at), view.until(&at))
        }
        _ => format!("still open after {}", args.lasts),
    };
    let mut told =
        format!("\n{}: {end}\n  {} to come", snapshot.method, counted(measure.messages, "text"),);
    if measure.messages > 0 {
        let people = match measure.people_texted {
            1 => "1 person".to_owned(),
            many => format!("{many} people"),
        };
        told.push_str(&format!(" to {people}, {}", counted(measure.segments, "segment")));
        if let Some(price) = args.price {
            told.push_str(&format!(", {:.2}", measure.segments as f64 * price));
        }
    }
    told.push_str(&format!(
        "\n  {} taken from now on",
        counted(measure.accepted_at.len() as u64, "place")
    ));
    told
}

fn often(
    context: &Context,
    args: &RunForecast,
    (snapshot, scenario, model): (&RunSnapshot, &Scenario, &CrowdModel),
    (sources, runs): (&Sources, u64),
) -> Result<(), ProblemDocument> {
    let ensemble = Ensemble {
        scenario,
        sources,
        start_database: None,
        snapshot: Some(snapshot),
        crowd: Some(model),
        seed: args.seed,
        runs,
    };
    let versions = [Version::play(context, &ensemble, args.price)?];
    if let Some(file) = &args.report {
        many::write(file, (&scenario.name, "from now", Some(model)), args.seed, &versions)?;
    }
    if context.global.json {
        let mut data = many::data(&versions);
        data["run_id"] = json!(snapshot.run);
        data["from"] = json!(snapshot.at);
        output::json(&data);
    } else {
        versions.iter().for_each(many::tell);
    }
    Ok(())
}
