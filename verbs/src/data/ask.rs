//! Rows of the questions that runs ask people. Asking a person again inserts another row.

use abide_engine::base::{AskId, PersonId, RequestId, Timestamp};
use abide_engine::params;
use abide_engine::store::{Row, Rows, StoreError, Tx};

use crate::ask::{Ask, AskState};

macro_rules! select_ask {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.request, a.person, a.template, a.about, a.gives, a.ordinal, a.run_id, \
             a.signal, a.planned_at, a.expires_at FROM ask a ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<Ask, StoreError> {
    Ok(Ask {
        id: row.id("id")?,
        request: row.id("request")?,
        person: row.id("person")?,
        template: row.text("template")?,
        about: row.text("about")?,
        gives: row.opt_text("gives")?,
        ordinal: row.int("ordinal")?,
        run: row.id("run_id")?,
        signal: row.text("signal")?,
        planned_at: row.at("planned_at")?,
        expires_at: row.at("expires_at")?,
    })
}

/// Inserts an open question.
pub async fn insert(tx: &mut Tx, tenant: &str, ask: &Ask) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO ask (id, tenant, request, person, template, about, gives, ordinal, run_id,
            signal, state, planned_at, expires_at, ended_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, NULL)",
        &params![
            ask.id,
            tenant,
            ask.request,
            ask.person,
            &ask.template,
            &ask.about,
            ask.gives.clone(),
            ask.ordinal,
            ask.run,
            &ask.signal,
            ask.planned_at,
            ask.expires_at
        ],
    )
    .await
    .map(drop)
}

/// Returns how many questions with this template a person was asked in a request.
pub async fn times(
    tx: &mut Tx,
    request: RequestId,
    person: PersonId,
    template: &str,
) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT COUNT(*) AS count FROM ask a WHERE a.request = $1 AND a.person = $2 AND a.template = $3",
            &params![request, person, template],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int("count"))
}

/// Returns the question with this id if it is open.
pub async fn open(tx: &mut Tx, id: AskId) -> Result<Option<Ask>, StoreError> {
    let row =
        tx.row(select_ask!("WHERE a.id = $1 AND a.state || '' = 'open'"), &params![id]).await?;
    row.map(|row| read(&row)).transpose()
}

/// Returns the open questions to these people, oldest first.
pub async fn open_of_people(tx: &mut Tx, people: &[PersonId]) -> Result<Vec<Ask>, StoreError> {
    let rows = tx
        .bulk(
            select_ask!(
                "WHERE a.person IN (SELECT id FROM {rows}) AND {a.state} = 'open' ORDER BY a.id"
            ),
            &[],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the open questions of a request, oldest first.
pub async fn open_of_request(tx: &mut Tx, request: RequestId) -> Result<Vec<Ask>, StoreError> {
    let rows = tx
        .rows(
            select_ask!("WHERE a.request = $1 AND a.state || '' = 'open' ORDER BY a.id"),
            &params![request],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Ends these questions by giving them this final state.
/// Does not change the questions among them that have ended already.
pub async fn end(
    tx: &mut Tx,
    asks: &[AskId],
    state: AskState,
    at: Timestamp,
) -> Result<(), StoreError> {
    tx.bulk(
        "UPDATE ask SET state = $1, ended_at = $2
         WHERE id IN (SELECT id FROM {rows}) AND state || '' = 'open'",
        &params![state.as_str(), at],
        &Rows::ids(asks),
    )
    .await
    .map(drop)
}

/// Records that the messages of these questions will be sent at `planned_at`. Changes only open questions
/// whose message was planned for an earlier time, and postpones their expiry by the same delay.
pub async fn postpone(
    tx: &mut Tx,
    asks: &[AskId],
    planned_at: Timestamp,
) -> Result<(), StoreError> {
    tx.bulk(
        "UPDATE ask SET expires_at = expires_at + ($1 - planned_at), planned_at = $1
         WHERE id IN (SELECT id FROM {rows}) AND state || '' = 'open' AND planned_at < $1",
        &params![planned_at],
        &Rows::ids(asks),
    )
    .await
    .map(drop)
}
