//! Makes the ids of new rows.

use abide_engine::base::TypedId;
use abide_engine::base::id::BadId;
use abide_engine::store::Tx;
use uuid::Uuid;

use crate::table::Table;

/// Returns the id of a new row of a table.
pub fn new_id(tx: &Tx, table: &Table) -> String {
    table.id(tx.mint::<RowId>().uuid())
}

/// The id of a row of any table, without the prefix of its table.
#[derive(Clone, Copy)]
struct RowId(Uuid);

impl TypedId for RowId {
    const PREFIX: &'static str = "row";

    fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    fn uuid(self) -> Uuid {
        self.0
    }
}

impl std::fmt::Display for RowId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "row_{}", self.0.simple())
    }
}

impl std::str::FromStr for RowId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let uuid = text.strip_prefix("row_").and_then(|hex| Uuid::try_parse(hex).ok());
        uuid.map(Self).ok_or_else(|| BadId { text: text.chars().take(60).collect(), prefix: "row" })
    }
}
