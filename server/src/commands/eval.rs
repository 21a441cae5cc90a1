//! `abide eval KIND < in.jsonl > out.jsonl`: evaluates a parser on JSON lines.

use std::sync::Arc;

use super::context::{CommandResult, Context};
use crate::cli::EvalArgs;
use crate::eval::EvalContext;
use crate::exit::Exit;
use crate::{intents, library};

pub(super) fn run(context: &Context, args: &EvalArgs) -> CommandResult {
    let home = context.global.home.as_deref();
    let library = library::load(home)?;
    let evaluated = EvalContext {
        intents: intents::load(&library, home)?,
        operator_intents: intents::load_operator(&library, home)?,
        contracts: Arc::clone(&library.contracts),
    };
    crate::eval::run(&args.kind, &evaluated, std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Success)
}
