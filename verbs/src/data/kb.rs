//! Rows of the facts in the knowledge base.

use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};

use crate::knowledge::Fact;

macro_rules! select_fact {
    ($rest:literal) => {
        concat!(
            "SELECT id, topic, text, source, reviewer, reviewed_at, retired, written_by FROM kb ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<Fact, StoreError> {
    Ok(Fact {
        id: row.text("id")?,
        topic: row.text("topic")?,
        text: row.text("text")?,
        source: row.text("source")?,
        reviewer: row.text("reviewer")?,
        reviewed_at: row.at("reviewed_at")?,
        retired: row.flag("retired")?,
        written_by: row.opt_text("written_by")?,
    })
}

/// Returns the fact with this id, even if it is retired; `None` if there is none.
pub async fn find(tx: &mut Tx, tenant: &str, id: &str) -> Result<Option<Fact>, StoreError> {
    tx.row(select_fact!("WHERE tenant = $1 AND id = $2"), &params![tenant, id])
        .await?
        .map(|row| read(&row))
        .transpose()
}

/// Returns at most `limit` facts, sorted by id: the retired facts if `retired` is true,
/// otherwise the facts that are not retired.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    retired: bool,
    limit: i64,
) -> Result<Vec<Fact>, StoreError> {
    let rows = tx
        .rows(
            select_fact!("WHERE tenant = $1 AND retired = $2 ORDER BY id LIMIT $3"),
            &params![tenant, retired, limit],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Counts the facts that are not retired.
pub async fn count(tx: &mut Tx, tenant: &str) -> Result<i64, StoreError> {
    let row = tx
        .row("SELECT COUNT(*) AS count FROM kb WHERE tenant = $1 AND retired = 0", &params![tenant])
        .await?;
    row.map_or(Ok(0), |row| row.int("count"))
}

/// Inserts or updates a fact.
pub async fn put(tx: &mut Tx, tenant: &str, fact: &Fact) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO kb (tenant, id, topic, text, source, reviewer, reviewed_at, retired, written_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (tenant, id) DO UPDATE SET topic = excluded.topic, text = excluded.text,
            source = excluded.source, reviewer = excluded.reviewer,
            reviewed_at = excluded.reviewed_at, retired = excluded.retired,
            written_by = excluded.written_by",
        &params![
            tenant,
            &fact.id,
            &fact.topic,
            &fact.text,
            &fact.source,
            &fact.reviewer,
            fact.reviewed_at,
            fact.retired,
            fact.written_by.as_deref()
        ],
    )
    .await
    .map(drop)
}

/// Inserts these facts. Leaves out a fact whose id is already taken.
pub async fn add(tx: &mut Tx, tenant: &str, facts: &[Fact]) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("id", ColumnType::Text),
        ("topic", ColumnType::Text),
        ("text", ColumnType::Text),
        ("source", ColumnType::Text),
        ("reviewer", ColumnType::Text),
        ("reviewed_at", ColumnType::Int),
    ]);
    for fact in facts {
        rows.push([
            Param::from(&fact.id),
            Param::from(&fact.topic),
            Param::from(&fact.text),
            Param::from(&fact.source),
            Param::from(&fact.reviewer),
            fact.reviewed_at.into(),
        ]);
    }
    tx.bulk(
        "INSERT INTO kb (tenant, id, topic, text, source, reviewer, reviewed_at, retired)
         SELECT $1, id, topic, text, source, reviewer, reviewed_at, 0 FROM {rows} WHERE true
         ON CONFLICT DO NOTHING",
        &params![tenant],
        &rows,
    )
    .await
    .map(drop)
}
