//! The queries with which a person checks what a run of a plan has changed. Each only reads, and works on SQLite and
//! on PostgreSQL.

use abide_engine::contract::{Contract, Contracts, DataSource, Handler};
use serde::Serialize;
use utoipa::ToSchema;

use super::plan::RunPlan;
use crate::data::verification::{receipts_of_tool, rows_of_table};

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
            let sql = contracts.get(tool).map_or_else(|| receipts_of_tool(tool), query);
            all.push(Verification { tool: tool.clone(), sql });
        }
    }
    all
}

/// Returns the query for a tool: the rows of its table if its contract names one, and otherwise its receipts.
fn query(contract: &Contract) -> String {
    match &contract.handler {
        Handler::Data(data) => match &data.source {
            DataSource::Table(table) => rows_of_table(table),
            DataSource::Collection(_) => receipts_of_tool(&contract.name),
        },
        _ => receipts_of_tool(&contract.name),
    }
}
