//! `ask …`: a text becomes obligations, and a verified answer.

use clap::Args;

/// Arguments of `abide ask`.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The text
    #[arg(value_name = "TEXT", required_unless_present_any = ["replay", "obligations"])]
    pub text: Vec<String>,
    /// Obligations instead of a text: JSON, or the name of a file with it after `@`
    #[arg(long, value_name = "JSON|@FILE", conflicts_with = "text")]
    pub obligations: Option<String>,
    /// Print the trace of the request, as JSON on one line, after the answer
    #[arg(long)]
    pub trace: bool,
    /// Replay a trace instead: the name of a file with it, or `-` for stdin
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["text", "trace", "session", "obligations"])]
    pub replay: Option<String>,
    /// The conversation that the text belongs to
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// Who asks [default: the owner of the database, or of the token]
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}
