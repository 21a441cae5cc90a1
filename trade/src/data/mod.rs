//! All SQL of this crate. Every statement works on SQLite and on PostgreSQL.
//!
//! The statements are built from the names in [`crate::table`] and from numbers of parameters, never from
//! anything that a contract or a call contains. The functions only read and write rows, or aggregate them; the
//! tools decide what may be written.

mod audit;
mod calendar;
mod copied;
mod files;
mod insights;
mod interned;
mod lines;
mod list;
mod new_id;
mod notes;
mod overdue;
mod overlap;
mod payments;
mod report;
mod rows;
mod texts;

use abide_engine::migration;
use abide_engine::store::Migration;

pub use audit::broken_rules;
pub use calendar::{BusyQuery, BusyTime, ConfirmedEventQuery, busy_times, confirmed_events};
pub use copied::{copied_tables, kept_tables};
pub use files::{StoredFile, find_file, insert_file};
pub use insights::{PARTY_QUERIES, Party, PartyKind, QUOTE_QUERIES, parties, quote_responses};
pub use lines::{LineShift, LineSums, Lines, count, lines_of, shift, sums};
pub use list::{Filter, ListQuery, Period, list};
pub use new_id::new_id;
pub use notes::{NoteQuery, search_notes};
pub use overdue::{OverdueQuery, overdue};
pub use overlap::{OverlapQuery, overlapping};
pub use payments::refunded;
pub use report::{
    DueJob, FollowUpQuery, Invoiced, JobsDueQuery, MonthSpan, StageFigures, UnansweredInvoice,
    UnansweredQuote, count_follow_ups, count_jobs_due, invoiced_by_month, jobs_due, leads_by_stage,
    open_quotes_by_stage, paid_by_month, quote_sums_by_lead_stage, unanswered_invoices,
    unanswered_quotes,
};
pub use rows::{
    StoredRow, delete, exists, find, find_by_unique_value, insert_unless_known, lock, update,
};
pub use texts::text_tables;

/// Returns the migrations of the trade's tables. They come after those of the engine and of the church.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    vec![
        migration!("0014_trade"),
        migration!("0015_emails"),
        migration!("0016_files"),
        migration!("0022_promised"),
        migration!("0043_notes"),
        migration!("0048_customer_phones"),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Migration, migrations};
    use crate::table::{Column, Presence, TABLES};

    /// The tables that no data-driven tool can name, so that they are not in the list.
    const NOT_LISTED: [&str; 1] = ["files"];

    /// Returns the line that declares a column, from the statement that creates its table.
    fn declaration<'a>(sql: &'a str, table: &str, column: &Column) -> &'a str {
        let begin = sql.find(&format!("CREATE TABLE {table} (\n")).expect(table);
        let statement = &sql[begin..begin + sql[begin..].find(";\n").expect("an end")];
        let start = format!("    {} ", column.name);
        let line = statement.lines().find(|line| line.starts_with(&start));
        line.unwrap_or_else(|| panic!("{table}.{}", column.name)).trim_end_matches(',')
    }

    #[test]
    fn the_migrations_create_the_tables_of_the_list() {
        let joined = |of: fn(&Migration) -> &'static str| -> String {
            migrations().iter().map(of).collect::<Vec<_>>().join("\n")
        };
        let files = [(joined(|it| it.sqlite), "INTEGER"), (joined(|it| it.postgres), "BIGINT")];
        for (sql, number) in &files {
            let tables = TABLES.len() + NOT_LISTED.len();
            assert_eq!(sql.matches("CREATE TABLE ").count(), tables);
            for (table, column) in
                TABLES.iter().flat_map(|table| table.all_columns().map(move |c| (table, c)))
            {
                let line = declaration(sql, table.name, column);
                let name = format!("{}.{}: {line}", table.name, column.name);
                assert_eq!(line.contains(number), column.is_number(), "{name}");
                let optional = column.presence == Presence::Optional;
                assert_eq!(line.contains(" NOT NULL"), !optional, "{name}");
                let default = line.split_once(" DEFAULT ").map(|(_, text)| text.trim_matches('\''));
                let expected = match column.presence {
                    Presence::Default(text) => Some(text),
                    _ => None,
                };
                assert_eq!(default, expected, "{name}");
                let unique = format!("UNIQUE (tenant, {})", column.name);
                assert_eq!(
                    column.unique,
                    column.name == "phone" && table.name == "leads",
                    "{name}"
                );
                assert!(!column.unique || sql.contains(&unique), "{name}");
                if let Some(other) = column.references {
                    let key = format!(
                        "FOREIGN KEY (tenant, {}) REFERENCES {other} (tenant, id)",
                        column.name
                    );
                    assert!(sql.contains(&key), "{name}");
                }
            }
        }
    }
}
