//! The queries that people are given to check what a run has changed. This program does not run them.

/// Number of rows that a query returns: the latest, which the run has changed.
const ROWS: u32 = 5;

/// Returns the query for the latest rows of a table. The names in a contract are identifiers that were checked when the
/// contract was loaded.
#[must_use]
pub fn rows_of_table(table: &str) -> String {
    format!("SELECT * FROM {table} ORDER BY updated_at DESC LIMIT {ROWS}")
}

/// Returns the query for the latest receipts of a tool.
#[must_use]
pub fn receipts_of_tool(tool: &str) -> String {
    let name = tool.replace('\'', "''");
    format!(
        "SELECT status, result, effects, created_at FROM core_tool_receipts WHERE tool_name = '{name}' \
         ORDER BY created_at DESC LIMIT {ROWS}"
    )
}
