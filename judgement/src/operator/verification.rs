//! The queries with which a person checks what a run of a plan has changed. Each only reads, and works on SQLite and
//! on PostgreSQL.

use abide_engine::contract::{Contract, Contracts, DataSource, Handler};
use serde::Serialize;
use utoipa::ToSchema;

use super::plan::RunPlan;

/// Number of rows that a query returns: the latest, which the run has changed.
const ROWS: u32 = 5;

/// A query that shows what calls of a tool have changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Verification {
    /// Name of the tool.
    pub tool: String,
    /// The query.
    pub sql: String,
}

/// Returns one query for each tool of a plan.
#[must_use]
pub fn verification(plan: &RunPlan, contracts: &Contracts) -> Vec<Verification> {
    let mut all: Vec<Verification> = Vec::new();
    for tool in &plan.tool_sequence {
        if all.iter().all(|it| it.tool != *tool) {
            let sql = contracts.get(tool).map_or_else(|| of_receipts(tool), query);
            all.push(Verification { tool: tool.clone(), sql });
        }
    }
    all
}

/// Returns the query for a tool: the rows of its table if its contract names one, and otherwise its receipts. The
/// names in a contract are identifiers that were checked when it was loaded.
fn query(contract: &Contract) -> String {
    match &contract.handler {
        Handler::Data(data) => match &data.source {
            DataSource::Table(table) => {
                format!("SELECT * FROM {table} ORDER BY updated_at DESC LIMIT {ROWS}")
            }
            DataSource::Collection(_) => of_receipts(&contract.name),
        },
        _ => of_receipts(&contract.name),
    }
}

fn of_receipts(tool: &str) -> String {
    let name = tool.replace('\'', "''");
    format!(
        "SELECT status, result, effects, created_at FROM core_tool_receipts WHERE tool_name = '{name}' \
         ORDER BY created_at DESC LIMIT {ROWS}"
    )
}
