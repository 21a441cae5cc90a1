//! The `abide` binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The allocator of the C library takes a sixth of the processor time under load.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    abide_server::main()
}
