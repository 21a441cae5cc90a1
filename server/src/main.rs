//! The `abide` binary: hand the command line over, exit with what it says.

use std::process::ExitCode;

fn main() -> ExitCode {
    abide_server::main()
}
