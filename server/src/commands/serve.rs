//! `abide serve` and `abide worker`: the commands that keep running.

use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use metrics_exporter_prometheus::PrometheusBuilder;

use super::{Context, Outcome};
use crate::cli::{ClockKind, ServeArgs, SmsKind, WorkerArgs};
use crate::exit::Exit;
use crate::open::Opening;
use crate::problem::ProblemDocument;
use crate::running::{Running, Start};
use crate::{database, output, shutdown};

/// Default for the number of runs that one process works on at a time.
pub(super) const WORKERS: usize = 16;

pub(super) async fn serve(context: &Context, args: &ServeArgs) -> Outcome {
    check_gateway(args.sms)?;
    if args.clock == ClockKind::Real && args.now.is_some() {
        let detail = "`--now` sets a virtual clock, but this server uses the machine's clock";
        return Err(ProblemDocument::new(422, "clock_not_virtual", detail)
            .with_hint("add `--clock virtual`, or omit `--now`"));
    }
    let workers = args.workers.unwrap_or(WORKERS);
    if workers == 0 && database::address(context.global.db.as_deref()).file().is_some() {
        let detail =
            "only one process can use an embedded database, and `--workers 0` would do no work";
        return Err(ProblemDocument::new(422, "workers_needed", detail).with_hint(
            "omit `--workers 0`, or share a PostgreSQL database between several processes",
        ));
    }
    let opening = staying(context, workers.max(1), args.hold);
    let engine = match args.clock {
        ClockKind::Real => opening.real().await?,
        ClockKind::Virtual => opening.virtual_from(args.now).await?,
    };
    let metrics = PrometheusBuilder::new().install_recorder().map_err(|e| {
        ProblemDocument::new(500, "internal", "cannot record the metrics of this process")
            .with_cause(e)
    })?;
    let start = Start {
        engine,
        listen: Some(args.listen),
        dev: args.dev,
        drives: workers > 0,
        metrics: Some(metrics),
    };
    let running = Running::start(start).await?;
    if let Some(beacon) = running.beacon() {
        output::tell(format_args!("listening on {}", beacon.url));
    }
    stay(running).await
}

pub(super) async fn worker(context: &Context, args: &WorkerArgs) -> Outcome {
    check_gateway(args.sms)?;
    let workers = args.workers.unwrap_or(WORKERS).max(1);
    let engine = staying(context, workers, args.hold).real().await?;
    let start = Start { engine, listen: None, dev: false, drives: true, metrics: None };
    let running = Running::start(start).await?;
    output::note(format_args!("working on up to {}", output::counted(workers, "run")));
    stay(running).await
}

/// Refuses a gateway that this version cannot send through, instead of quietly sending nothing.
fn check_gateway(sms: SmsKind) -> Result<(), ProblemDocument> {
    match sms {
        SmsKind::Loopback => Ok(()),
        SmsKind::Twilio => {
            let detail = "this version cannot send through Twilio";
            Err(ProblemDocument::new(422, "not_configured", detail)
                .with_hint("omit `--sms`: the loopback stores every text and sends nothing"))
        }
    }
}

/// Returns how a process that keeps running opens the database. Live runs that it cannot continue make it
/// refuse to start, or are parked with `--hold`.
fn staying(context: &Context, workers: usize, hold: bool) -> Opening<'_> {
    let stranded_runs = if hold { StrandedRuns::Hold } else { StrandedRuns::Refuse };
    Opening { stranded_runs, ..context.opening(DriveMode::Tasks(workers)) }
}

/// Runs until the process is asked to stop, or until the engine cannot continue.
async fn stay(mut running: Running) -> Outcome {
    let fell = tokio::select! {
        () = shutdown::asked() => None,
        problem = running.fallen() => Some(problem),
    };
    running.end().await;
    match fell {
        None => Ok(Exit::Done),
        Some(problem) => Err(problem.into()),
    }
}
