//! `abide eval KIND < in.jsonl > out.jsonl`

use super::Outcome;
use crate::cli::EvalArgs;
use crate::exit::Exit;

pub(super) fn run(args: &EvalArgs) -> Outcome {
    crate::eval::run(&args.kind, std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Done)
}
