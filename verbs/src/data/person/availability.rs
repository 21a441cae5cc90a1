//! Queries about who may be asked to serve, and who may not.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Span, Timestamp};
use abide_engine::params;
use abide_engine::store::{Param, Rows, StoreError, Tx};

use super::{PersonFilter, text_rows};
use crate::directory::SkipReason;
use crate::request::ServicePeriod;

/// No service is longer. With it, the requests that can overlap a service are those of a range of times.
const LONGEST: Span = Span::from_secs(24 * 3600);

/// Builds a query of people who may be asked to serve, in the order of their last places. `$from` is the source of the
/// people `p`, `$which` a condition for them. `$2` is the beginning of a service, `$3` its end, `$4` the earliest beginning
/// of a service that can overlap it, and `$5` the maximum number of people.
macro_rules! candidates {
    ($from:literal, $which:literal) => {
        concat!(
            "SELECT p.id FROM ",
            $from,
            " WHERE ",
            $which,
            " AND p.active = 1 AND p.erased_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.id = p.contact AND c.suppressed = 1)
             AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.tenant = $1 AND h.contact = p.contact)
             AND p.id NOT IN (SELECT a.person FROM request q CROSS JOIN assignment a
                WHERE a.request = q.id AND q.tenant = $1 AND q.service_time < $3 AND q.service_time > $4 AND q.ends_at > $2
                AND q.status IN ('draft', 'open', 'partially_filled', 'filled') AND a.state = 'accepted')
             AND p.id NOT IN (SELECT o.person FROM request q {each offer o} o.request = q.id AND o.state = 'pending' {end each}
                WHERE q.tenant = $1 AND q.service_time < $3 AND q.service_time > $4 AND q.ends_at > $2
                AND q.status IN ('draft', 'open', 'partially_filled', 'filled'))
             AND p.id NOT IN (SELECT k.person FROM request q {each ask k} k.request = q.id AND k.state || '' = 'open' AND k.gives IS NOT NULL {end each}
                WHERE q.tenant = $1 AND q.service_time < $3 AND q.service_time > $4 AND q.ends_at > $2
                AND q.status IN ('draft', 'open', 'partially_filled', 'filled'))
             ORDER BY p.placed_at, {p.id} LIMIT $5"
        )
    };
}

/// Among all people of the tenant `$1`.
const OF_TENANT: &str = candidates!("person p", "p.tenant = $1");
/// Among the people of the campus `$6` and those without a campus.
const OF_CAMPUS: &str = candidates!(
    "(SELECT a.id FROM person a WHERE a.tenant = $1 AND a.campus = $6
        UNION ALL SELECT b.id FROM person b WHERE b.tenant = $1 AND b.campus IS NULL) found CROSS JOIN person p",
    "p.id = found.id"
);
/// Among the people with one of the roles in the rows.
const OF_ROLES: &str = candidates!(
    "(SELECT DISTINCT r.person FROM {rows} CROSS JOIN person_role r WHERE r.tenant = $1 AND r.role = v.t) found
        CROSS JOIN person p",
    "p.id = found.person"
);
/// Among the people with one of these roles who are of the campus `$6` or without a campus.
const OF_CAMPUS_AND_ROLES: &str = candidates!(
    "(SELECT DISTINCT r.person FROM {rows} CROSS JOIN person_role r WHERE r.tenant = $1 AND r.role = v.t) found
        CROSS JOIN person p",
    "p.id = found.person AND (p.campus IS NULL OR p.campus = $6)"
);

/// Returns the people who may be asked to serve at this time. They fit the filter, are active
/// and have not opted out, and staff have not taken over the thread with their number. They have no place in a service of the tenant that overlaps it, and no open
/// offer or question that could give them such a place. If no time is given, places, offers and questions
/// do not matter. People who never took a place come first. The others follow in the order in which they
/// last took a place. Closed requests do not matter here; a yes is compared with them as well.
pub async fn candidates(
    tx: &mut Tx,
    tenant: &str,
    filter: &PersonFilter,
    period: Option<ServicePeriod>,
) -> Result<Vec<PersonId>, StoreError> {
    let never = ServicePeriod { starts: Timestamp::EPOCH, ends: Timestamp::EPOCH };
    let period = period.unwrap_or(never);
    let earliest = period.starts - LONGEST;
    let mut params = params![tenant, period.starts, period.ends, earliest, filter.limit].to_vec();
    params.extend(filter.campus.as_deref().map(Param::from));
    let roles = text_rows(&filter.roles);
    let rows = match (filter.roles.is_empty(), filter.campus.is_some()) {
        (true, false) => tx.rows(OF_TENANT, &params).await?,
        (true, true) => tx.rows(OF_CAMPUS, &params).await?,
        (false, false) => tx.bulk(OF_ROLES, &params, &roles).await?,
        (false, true) => tx.bulk(OF_CAMPUS_AND_ROLES, &params, &roles).await?,
    };
    rows.iter().map(|row| row.id("id")).collect()
}

/// Returns the people among these who must not get any message, each with the reason: `inactive`,
/// `opted_out`, or `taken_over` if staff have taken over the thread with the person's number. The first that holds
/// is the reason.
pub async fn unreachable(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.active, COALESCE(c.suppressed, 0) AS suppressed FROM person p
             LEFT JOIN contact c ON c.id = p.contact
             WHERE p.tenant || '' = $1 AND p.id IN (SELECT id FROM {rows}) AND (p.active = 0 OR c.suppressed = 1
                OR EXISTS (SELECT 1 FROM thread h WHERE h.tenant = $1 AND h.contact = p.contact)) ORDER BY p.id",
            &params![tenant],
            &Rows::ids(people),
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok((
                row.id("id")?,
                match (row.flag("active")?, row.flag("suppressed")?) {
                    (false, _) => SkipReason::Inactive,
                    (true, true) => SkipReason::OptedOut,
                    (true, false) => SkipReason::TakenOver,
                },
            ))
        })
        .collect()
}

/// Returns the people among these who are not free for a service, each with the reason. The reason is
/// `has_place` for a person with a place in a service of the tenant that overlaps it,
/// and `already_asked` for a person with an open offer or question that could give them such a place.
pub async fn busy(
    tx: &mut Tx,
    tenant: &str,
    period: ServicePeriod,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, StoreError> {
    // `a.state || ''` keeps the databases from the index of all accepted places, which they would read whole.
    let rows = tx
        .bulk(
            "SELECT o.person, CAST(0 AS BIGINT) AS has_place FROM {rows} {each offer o} o.person = v.id AND {o.state} = 'pending' {end each}
             CROSS JOIN request q WHERE q.id = o.request AND q.tenant || '' = $1
             AND q.service_time < $3 AND q.ends_at > $2
             UNION ALL SELECT k.person, 0 FROM {rows} {each ask k} k.person = v.id AND {k.state} = 'open' AND k.gives IS NOT NULL {end each}
             CROSS JOIN request q WHERE q.id = k.request AND q.tenant || '' = $1
             AND q.service_time < $3 AND q.ends_at > $2
             UNION ALL SELECT a.person, 1 FROM {rows} JOIN assignment a ON a.person = v.id
             CROSS JOIN request q WHERE q.id = a.request AND q.tenant || '' = $1
             AND q.service_time < $3 AND q.ends_at > $2
             AND a.state || '' = 'accepted'
             ORDER BY has_place",
            &params![tenant, period.starts, period.ends],
            &Rows::ids(people),
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

/// Records when people took a place. [`candidates`] sorts people by this time,
/// so that other people are asked first the next time.
pub async fn mark_placed(
    tx: &mut Tx,
    people: &[PersonId],
    at: Timestamp,
) -> Result<(), StoreError> {
    if people.is_empty() {
        return Ok(());
    }
    let sql = "UPDATE person SET placed_at = $1 WHERE id IN (SELECT id FROM {rows})";
    tx.bulk(sql, &params![at], &Rows::ids(people)).await.map(drop)
}
