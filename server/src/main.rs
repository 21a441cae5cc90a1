//! The `abide` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    abide_server::main()
}
