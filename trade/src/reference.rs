//! Checks that the rows exist to which values of columns refer.

use abide_engine::base::Problem;
use abide_engine::store::Tx;

use crate::cell::Cell;
use crate::data;
use crate::refusal::{self, NamedRow};
use crate::table::{Column, table};

/// A value that a call gives to a column.
#[derive(Debug)]
pub(crate) struct ColumnValue<'a> {
    /// The member of the input, or the column that a contract sets to a constant.
    pub(crate) source: &'a str,
    pub(crate) column: &'static Column,
    pub(crate) cell: Cell,
}

impl ColumnValue<'_> {
    /// Checks that the row exists to which the value refers, if the column refers to rows.
    pub(crate) async fn check_reference(&self, tx: &mut Tx, tenant: &str) -> Result<(), Problem> {
        let (Some(other), Cell::Text(id)) = (self.column.references, &self.cell) else {
            return Ok(());
        };
        let referred = table(other).map_err(refusal::unknown)?;
        if data::exists(tx, referred, tenant, id).await? {
            Ok(())
        } else {
            Err(refusal::not_found(NamedRow { member: self.source, id }, other))
        }
    }
}
