//! All domains of the program: their tables, and the code of their tools. The server, the simulator and the
//! tests take them from here, so that a simulation plays what production runs.

use abide_engine::store::Migration;
use abide_engine::verb::Verbs;

/// Returns the migrations of the engine and of all domains, sorted by number.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    Migration::in_order([abide_verbs::migrations(), abide_trade::migrations()])
}

/// Returns the verbs of all domains, and what carries out the calls of data-driven tools.
#[must_use]
pub fn verbs() -> Verbs {
    abide_verbs::verb::all().join(abide_trade::verbs())
}
