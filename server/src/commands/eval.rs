//! `abide eval KIND < in.jsonl > out.jsonl`: evaluates a parser on JSON lines.

use super::context::{CommandResult, Context};
use crate::cli::EvalArgs;
use crate::exit::Exit;
use crate::{intents, library};

pub(super) fn run(context: &Context, args: &EvalArgs) -> CommandResult {
    let home = context.global.home.as_deref();
    let intents = intents::load(&library::load(home)?, home)?;
    crate::eval::run(&args.kind, &intents, std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Success)
}
