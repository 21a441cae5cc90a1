//! Queries about who may be asked to serve, and who may not.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

use super::{PersonFilter, person_rows, text_rows};
use crate::directory::SkipReason;

/// Returns the people who may be asked to serve at this time. They fit the filter, are active
/// and have not opted out. They have no place in a service of the tenant at that time, and no open offer
/// or question that could give them such a place. If no time is given, places, offers and questions
/// do not matter. People who never took a place come first. The others follow in the order in which they
/// last took a place.
pub async fn candidates(
    tx: &mut Tx,
    tenant: &str,
    filter: &PersonFilter,
    time: Option<Timestamp>,
) -> Result<Vec<PersonId>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id FROM person p
             WHERE p.tenant = $1 AND p.active = 1
             AND ($2 = 0 OR p.id IN (SELECT r.person FROM person_role r WHERE r.tenant = $1 AND r.role IN (SELECT t FROM {rows})))
             AND (CAST($3 AS TEXT) IS NULL OR p.campus IS NULL OR p.campus = $3)
             AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.tenant = $1 AND c.id = p.contact AND c.suppressed = 1)
             AND p.id NOT IN (SELECT a.person FROM assignment a JOIN request q ON q.id = a.request
                WHERE q.tenant = $1 AND q.service_time = $4 AND a.state = 'accepted')
             AND p.id NOT IN (SELECT o.person FROM offer o JOIN request q ON q.id = o.request
                WHERE q.tenant = $1 AND q.service_time = $4 AND o.state = 'pending')
             AND p.id NOT IN (SELECT k.person FROM ask k JOIN request q ON q.id = k.request
                WHERE q.tenant = $1 AND q.service_time = $4 AND k.state = 'open' AND k.gives IS NOT NULL)
             ORDER BY p.placed_at, p.id LIMIT $5",
            &params![
                tenant,
                i64::from(!filter.roles.is_empty()),
                filter.campus.clone(),
                time.unwrap_or(Timestamp::EPOCH),
                filter.limit
            ],
            &text_rows(&filter.roles),
        )
        .await?;
    rows.iter().map(|row| row.id("id")).collect()
}

/// Returns the people among these who must not get any message, each with the reason: `inactive`
/// or `opted_out`. For a person who is inactive and has opted out, the reason is `inactive`.
pub async fn unreachable(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.active FROM person p
             LEFT JOIN contact c ON c.tenant = p.tenant AND c.id = p.contact
             WHERE p.tenant = $1 AND p.id IN (SELECT id FROM {rows}) AND (p.active = 0 OR c.suppressed = 1) ORDER BY p.id",
            &params![tenant],
            &person_rows(people),
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok((
                row.id("id")?,
                if row.flag("active")? { SkipReason::OptedOut } else { SkipReason::Inactive },
            ))
        })
        .collect()
}

/// Returns the people among these who are not free for a service at this time, each with the reason.
/// The reason is `has_place` for a person with a place in a service of the tenant at that time,
/// and `already_asked` for a person with an open offer or question that could give them such a place.
pub async fn busy(
    tx: &mut Tx,
    tenant: &str,
    time: Timestamp,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT o.person, CAST(0 AS BIGINT) AS has_place FROM offer o CROSS JOIN request q
             WHERE o.person IN (SELECT id FROM {rows}) AND q.id = o.request AND q.tenant = $1 AND q.service_time = $2
             AND o.state = 'pending'
             UNION ALL SELECT k.person, 0 FROM ask k CROSS JOIN request q
             WHERE k.person IN (SELECT id FROM {rows}) AND q.id = k.request AND q.tenant = $1 AND q.service_time = $2
             AND k.state = 'open' AND k.gives IS NOT NULL
             UNION ALL SELECT a.person, 1 FROM assignment a CROSS JOIN request q
             WHERE a.person IN (SELECT id FROM {rows}) AND q.id = a.request AND q.tenant = $1 AND q.service_time = $2
             AND a.state = 'accepted'
             ORDER BY has_place",
            &params![tenant, time],
            &person_rows(people),
        )
        .await?;
    // A later row of the same person replaces an earlier row in the map. Rows with `has_place` come last,
    // so a person with a place who also has an open offer or question gets the reason `has_place`.
    rows.iter()
        .map(|row| {
            Ok((
                row.id("person")?,
                if row.flag("has_place")? {
                    SkipReason::HasPlace
                } else {
                    SkipReason::AlreadyAsked
                },
            ))
        })
        .collect()
}

/// Records when a person took a place. [`candidates`] sorts people by this time,
/// so that other people are asked first the next time.
pub async fn mark_placed(tx: &mut Tx, person: PersonId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE person SET placed_at = $2 WHERE id = $1", &params![person, at])
        .await
        .map(drop)
}
