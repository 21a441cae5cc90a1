//! `abide run forecast`: simulates a copy of a live run.
//!
//! The command reads the database directly, even while another process works on it.
//! A copy of a run contains the names and phone numbers of people, so no route of the HTTP API returns it.

use std::sync::Arc;

use abide_engine::base::{Problem, RunId};
use abide_engine::clock::SystemClock;
use abide_engine::library::Sources;
use abide_engine::store::Store;
use abide_engine::transaction;
use abide_simulator::crowd::{CrowdModel, LEARNED};
use abide_simulator::ensemble::Ensemble;
use abide_simulator::forecast::{Forecast, RunSnapshot, forecast};
use abide_simulator::play::PlayOptions;
use abide_simulator::report::StoryLine;
use abide_simulator::scenario::Scenario;
use abide_verbs::api::insights::{self, PeopleHistories};
use jiff::tz::TimeZone;
use serde_json::json;

use super::super::context::{CommandResult, Context};
use super::super::simulate::crowd_model;
use super::super::simulate::ensemble::{self, ReportHeading, Version};
use crate::cli::RunForecastArgs;
use crate::exit::Exit;
use crate::output::times::TimeFormat;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use crate::{database, library};

/// Default number of simulations if the simulated people answer by chance.
const RUNS_DEFAULT: u64 = 100;

pub(super) async fn run(context: &Context, args: &RunForecastArgs) -> CommandResult {
    let named = (args.people != LEARNED).then(|| crowd_model(&args.people)).transpose()?;
    // Report errors in the files of the home folder before the run is copied.
    library::load(context.global.home.as_deref())?;
    let sources = context.sources()?;
    refuse_server(context, &args.run)?;
    let id: RunId = args.run.parse().map_err(|_| unknown(&args.run))?;
    let store = open_store(context, &args.run).await?;
    let (tenant, settings) = (&context.global.tenant, context.settings.clone());
    let snapshot = RunSnapshot::copy(&store, tenant, id, settings).await?;
    let model = match named {
        Some(model) => model,
        None => learned_model(&store, &snapshot).await?,
    };
    if let Some(why) = why_blocked(&snapshot) {
        output::note(why);
    }
    let scenario = snapshot.scenario(args.lasts, args.seed);
    let runs = args.runs.unwrap_or(if model.anybody_answers() { RUNS_DEFAULT } else { 1 });
    let simulation = Simulation { snapshot, scenario, model, sources };
    if runs > 1 || args.report.is_some() {
        simulation.play_many(context, args, runs)?;
    } else {
        simulation.play_once(context, args).await?;
    }
    Ok(Exit::Success)
}

/// A simulation: the copy of a run, and the model of the people who answer its messages.
struct Simulation {
    snapshot: RunSnapshot,
    scenario: Scenario,
    model: CrowdModel,
    sources: Sources,
}

/// Refuses `--server`.
fn refuse_server(context: &Context, run: &str) -> Result<(), ProblemDocument> {
    if context.global.server.is_none() {
        return Ok(());
    }
    let detail = "a forecast reads the database directly and cannot use a server";
    Err(ProblemDocument::new(422, "not_over_http", detail)
        .with_hint(format!("omit `--server`: `abide --db DB run forecast {run}`")))
}

/// Opens the database that has the run `run`.
async fn open_store(context: &Context, run: &str) -> Result<Store, ProblemDocument> {
    let address = database::address(context.global.db.as_deref());
    if address.file().is_some_and(|file| !file.is_file()) {
        return Err(unknown(run));
    }
    let options = database::store_options(address, Arc::new(SystemClock));
    Ok(Store::open(options, Arc::new(|_| {})).await?)
}

fn unknown(run: &str) -> ProblemDocument {
    ProblemDocument::new(404, "unknown_run", format!("there is no run `{run}`"))
        .with_hint("find the run with `abide run list`; select the database with `--db`")
}

/// Builds the model of people who answer as those of the run's tenant have answered before.
async fn learned_model(
    store: &Store,
    snapshot: &RunSnapshot,
) -> Result<CrowdModel, ProblemDocument> {
    let task = transaction!([tenant = snapshot.tenant.clone(), now = snapshot.at], |tx| {
        insights::people_histories(tx, &tenant, now).await
    });
    let PeopleHistories { all, by_phone } = store.read(task).await?;
    let model = CrowdModel::learned(&all, &by_phone);
    Ok(model.ok_or_else(|| Problem::bug("the program has no model `typical`"))?)
}

/// Returns a note if the run cannot make progress because its tenant or the run itself is paused.
fn why_blocked(snapshot: &RunSnapshot) -> Option<String> {
    if snapshot.tenant_paused {
        let tenant = &snapshot.tenant;
        return Some(format!("tenant `{tenant}` is paused: nothing is sent until it is resumed"));
    }
    (snapshot.status == "paused").then(|| {
        let run = snapshot.run;
        format!("the run is paused: it does not continue until `abide run resume {run}`")
    })
}

impl Simulation {
    /// Simulates the run once, and prints what happens.
    async fn play_once(
        self,
        context: &Context,
        args: &RunForecastArgs,
    ) -> Result<(), ProblemDocument> {
        let print = |line: &StoryLine| output::line(line);
        let options = PlayOptions {
            seed: Some(args.seed),
            sources: Some(self.sources),
            crowd: Some(self.model),
            on_line: (!context.global.json).then_some(&print as _),
            ..PlayOptions::default()
        };
        let forecast = forecast(&self.snapshot, &self.scenario, &options).await?;
        if !context.json(&json!(forecast)) {
            output::line(ending(&forecast, &self.snapshot, args));
        }
        Ok(())
    }

    /// Simulates the run with `runs` different seeds, and prints the distribution of the results.
    fn play_many(
        &self,
        context: &Context,
        args: &RunForecastArgs,
        runs: u64,
    ) -> Result<(), ProblemDocument> {
        let ensemble = Ensemble {
            scenario: &self.scenario,
            sources: &self.sources,
            start_database: None,
            snapshot: Some(&self.snapshot),
            crowd: Some(&self.model),
            seed: args.seed,
            runs,
        };
        let versions = [Version::play(&ensemble, args.price)?];
        if let Some(file) = &args.report {
            let heading = ReportHeading {
                title: &self.scenario.name,
                since: "from now",
                crowd: Some(&self.model),
                seed: args.seed,
            };
            ensemble::write_report(file, heading, &versions)?;
        }
        if context.global.json {
            let mut data = ensemble::to_json(&versions);
            data["run_id"] = json!(self.snapshot.run);
            data["from"] = json!(self.snapshot.at);
            output::json(&data);
        } else {
            versions.iter().for_each(ensemble::print);
        }
        Ok(())
    }
}

/// Describes how and when the run ends, and how many messages are sent until then.
fn ending(forecast: &Forecast, snapshot: &RunSnapshot, args: &RunForecastArgs) -> String {
    let measure = &forecast.report.measure;
    let zone = TimeZone::get(&snapshot.zone).unwrap_or(TimeZone::UTC);
    let times = TimeFormat::new(snapshot.at, zone);
    let end = match (&measure.outcome, measure.ended_at) {
        (Some(outcome), Some(at)) => {
            let at = at.to_string();
            format!("{} {} ({})", outcome.replace('_', " "), times.local(&at), times.until(&at))
        }
        _ => format!("still open after {}", args.lasts),
    };
    let mut text =
        format!("\n{}: {end}\n  {} to come", snapshot.method, counted(measure.messages, "text"),);
    if measure.messages > 0 {
        let people = match measure.people_texted {
            1 => "1 person".to_owned(),
            many => format!("{many} people"),
        };
        text.push_str(&format!(" to {people}, {}", counted(measure.segments, "segment")));
        if let Some(price) = args.price {
            text.push_str(&format!(", {:.2}", measure.segments as f64 * price));
        }
    }
    text.push_str(&format!(
        "\n  {} taken from now on",
        counted(measure.accepted_at.len() as u64, "place")
    ));
    text
}
