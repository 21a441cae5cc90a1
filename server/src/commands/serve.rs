//! `abide serve` and `abide worker`: the commands that keep running.

use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use metrics_exporter_prometheus::PrometheusBuilder;

use super::context::{CommandResult, Context};
use crate::cli::{ClockKind, ServeArgs, SmsKind, WorkerArgs};
use crate::exit::Exit;
use crate::open::{OpenOptions, WORKERS};
use crate::problem::ProblemDocument;
use crate::server::{Server, ServerOptions};
use crate::{database, output, shutdown};

pub(super) async fn serve(context: &Context, args: &ServeArgs) -> CommandResult {
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
    let options = open_options(context, workers.max(1), stranded_runs(args.hold), args.sms);
    let engine = match args.clock {
        ClockKind::Real => options.open_with_system_clock().await?,
        ClockKind::Virtual => options.open_with_virtual_clock(args.now).await?,
    };
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|e| ProblemDocument::internal("cannot record the metrics of this process", e))?;
    let server = ServerOptions {
        engine,
        files: context.files(),
        listen: Some(args.listen),
        dev: args.dev,
        drives: workers > 0,
        metrics: Some(metrics),
    };
    let server = Server::start(server).await?;
    if let Some(address) = server.address() {
        output::stderr_line(format_args!("listening on {}", address.url));
    }
    run_until_stopped(server).await
}

pub(super) async fn worker(context: &Context, args: &WorkerArgs) -> CommandResult {
    let workers = args.workers.unwrap_or(WORKERS).max(1);
    let options = open_options(context, workers, stranded_runs(args.hold), args.sms);
    let engine = options.open_with_system_clock().await?;
    let server = ServerOptions {
        engine,
        files: context.files(),
        listen: None,
        dev: false,
        drives: true,
        metrics: None,
    };
    let server = Server::start(server).await?;
    output::note(format_args!("working on up to {}", output::counted(workers, "run")));
    run_until_stopped(server).await
}

/// Returns the options with which `serve` and `worker` open the engine.
fn open_options(
    context: &Context,
    workers: usize,
    stranded_runs: StrandedRuns,
    sms: SmsKind,
) -> OpenOptions<'_> {
    OpenOptions { stranded_runs, sms, ..context.open_options(DriveMode::Tasks(workers)) }
}

/// Returns what to do with live runs that this process cannot continue.
/// With `--hold`, such runs are parked; without `--hold`, the process refuses to start.
fn stranded_runs(hold: bool) -> StrandedRuns {
    if hold { StrandedRuns::Hold } else { StrandedRuns::Refuse }
}

/// Serves until the process receives a request to stop, or until the engine cannot continue.
async fn run_until_stopped(mut server: Server) -> CommandResult {
    let failure = tokio::select! {
        () = shutdown::requested() => None,
        problem = server.driver_stopped() => Some(problem),
    };
    server.stop().await;
    match failure {
        None => Ok(Exit::Success),
        Some(problem) => Err(problem.into()),
    }
}
