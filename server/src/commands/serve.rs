//! `abide serve` and `abide worker`: the two that stay.

use abide_engine::driver::Pace;
use abide_engine::facade::Misfits;
use metrics_exporter_prometheus::PrometheusBuilder;

use super::{Context, Outcome};
use crate::cli::{ClockKind, ServeArgs, WorkerArgs};
use crate::exit::Exit;
use crate::open::Opening;
use crate::problem::ProblemDocument;
use crate::running::{Running, Start};
use crate::{database, output, shutdown};

/// Runs that one process works on side by side where nobody says how many.
pub(super) const WORKERS: usize = 16;

pub(super) async fn serve(context: &Context, args: &ServeArgs) -> Outcome {
    if args.clock == ClockKind::Real && args.now.is_some() {
        let detail = "`--now` sets a virtual clock, and this server goes by the machine's";
        return Err(ProblemDocument::new(422, "clock_not_virtual", detail)
            .with_hint("add `--clock virtual`, or leave `--now` out"));
    }
    let workers = args.workers.unwrap_or(WORKERS);
    if workers == 0 && database::address(context.global.db.as_deref()).file().is_some() {
        let detail =
            "an embedded database has one process, and with `--workers 0` it would do no work";
        return Err(ProblemDocument::new(422, "workers_needed", detail).with_hint(
            "leave `--workers 0` out, or share a PostgreSQL database between processes",
        ));
    }
    let opening = staying(context, workers.max(1), args.hold);
    let engine = match args.clock {
        ClockKind::Real => opening.real().await?,
        ClockKind::Virtual => opening.virtual_from(args.now).await?,
    };
    let metrics = PrometheusBuilder::new().install_recorder().map_err(|e| {
        ProblemDocument::new(500, "internal", "cannot keep the counts of this process")
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
    let workers = args.workers.unwrap_or(WORKERS).max(1);
    let engine = staying(context, workers, args.hold).real().await?;
    let start = Start { engine, listen: None, dev: false, drives: true, metrics: None };
    let running = Running::start(start).await?;
    output::note(format_args!("working on up to {}", output::counted(workers, "run")));
    stay(running).await
}

/// How a process that stays opens the database: what it cannot carry on it does not leave unsaid.
fn staying(context: &Context, workers: usize, hold: bool) -> Opening<'_> {
    let misfits = if hold { Misfits::Hold } else { Misfits::Refuse };
    Opening { misfits, ..context.opening(Pace::Tasks(workers)) }
}

/// Until somebody asks us to stop, or the engine cannot go on.
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
