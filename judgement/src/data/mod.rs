//! All SQL of this crate. Every statement works on SQLite and on PostgreSQL.

pub mod agenda;
pub mod archived;
pub mod asked;
pub mod audit;
pub mod contacts;
pub mod copied;
pub mod due;
pub mod ir;
pub mod operator;
pub mod plant;
pub mod standing;
pub mod texts;
pub mod verification;

use abide_engine::migration;
use abide_engine::store::Migration;

/// Returns the migrations of the tables of this crate.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    vec![
        migration!("0032_operator"),
        migration!("0033_agenda"),
        migration!("0034_obligations"),
        migration!("0035_standing"),
        migration!("0039_collation"),
        // Indexes of all tables: it follows the migrations that create them.
        migration!("0044_index_reads"),
        migration!("0047_lookups_of_people"),
        migration!("0049_standing_users"),
    ]
}
