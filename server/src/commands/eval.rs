//! `abide eval KIND < in.jsonl > out.jsonl`: evaluates a parser on JSON lines.

use super::context::CommandResult;
use crate::cli::EvalArgs;
use crate::exit::Exit;

pub(super) fn run(args: &EvalArgs) -> CommandResult {
    crate::eval::run(&args.kind, std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Success)
}
