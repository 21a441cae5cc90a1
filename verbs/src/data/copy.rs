//! Lists the tables and rows of the church that are copied for a forecast.
//! These are all rows on which the future of the forecast's run depends.
//!
//! All rows of the directory and the knowledge base are copied.
//! For the requests that the run works on, all offers, assignments and questions are copied.
//! Other live requests are copied as closed, because no run works on them in the copy.
//! Of the assignments of such requests, only those with a place are copied: a person with a place
//! is not free at that time. The inbox is not copied, because no step reads it.

use abide_engine::copied;
use abide_engine::store::CopiedTable;

/// The tables to copy. They are inserted into the forecast's database in this sequence.
pub static COPIED: [CopiedTable; 18] = [
    copied!("church", [tenant Text, name Text, time_zone Text], Tenant, "WHERE tenant = $2"),
    copied!(
        "service",
        [tenant Text, weekday Int, minute Int, name Text, aliases Text, duration Int, time_zone Text, campus Text],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "person",
        [id Id, tenant Text, external_id Text, name Text, phone Text, contact Bytes, campus Text,
         time_zone Text, email Text, household Text, guardian_phone Text, active Int, placed_at Int,
         created_at Int, updated_at Int, language Text, wrote_in Text, erased_at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!("person_role", [tenant Text, role Text, person Id], Tenant, "WHERE tenant = $2"),
    copied!(
        "request",
        [id Id, tenant Text, campus Text, service_time Int, targets Text, status Text, version Int,
         created_at Int, updated_at Int, ends_at Int, moved_from Int],
        Ids,
        "WHERE id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "request",
        [id Id, tenant Text, campus Text, service_time Int, targets Text, status Text = "'closed'",
         version Int, created_at Int, updated_at Int, ends_at Int, moved_from Int],
        Both,
        "WHERE tenant = $2 AND status IN ('draft', 'open', 'partially_filled', 'filled')
            AND id NOT IN (SELECT id FROM {rows})"
    ),
    copied!(
        "request_change",
        [request Id, version Int, was Text, cause Text, became Text, targets Text, changed_at Int],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    copied!(
        "offer",
        [id Id, tenant Text, request Id, person Id, role Text, wave Int, ordinal Int, state Text, cause Text,
         notice Int, run_id Id, planned_at Int, expires_at Int, created_at Int, ended_at Int],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    copied!(
        "assignment",
        [request Id, person Id, role Text, tenant Text, state Text, seat Int, version Int, ord Int,
         accepted_at Int, updated_at Int],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    copied!(
        "assignment",
        [request Id, person Id, role Text, tenant Text, state Text, seat Int, version Int, ord Int,
         accepted_at Int, updated_at Int],
        Tenant,
        "WHERE tenant = $2 AND state = 'accepted' AND request IN (SELECT id FROM request
            WHERE tenant = $2 AND status IN ('draft', 'open', 'partially_filled', 'filled'))"
    ),
    copied!(
        "ask",
        [id Id, tenant Text, request Id, person Id, template Text, about Text, gives Text, ordinal Int,
         run_id Id, signal Text, state Text, planned_at Int, expires_at Int, ended_at Int],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    // Copy the clarifying questions of the whole tenant: a clarifying question has no request,
    // because it may ask which request the sender meant.
    copied!(
        "question",
        [person Id, kind Text, tenant Text, about Text, asked_at Int, expires_at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "live_fill",
        [request Id, method Text, role Text, run_id Id],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    copied!(
        "rebalance",
        [request Id, run_id Id, opened_at Int],
        Ids,
        "WHERE request IN (SELECT id FROM {rows})"
    ),
    copied!(
        "kb",
        [tenant Text, id Text, topic Text, text Text, source Text, reviewer Text, reviewed_at Int, retired Int,
         written_by Text],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!("thread", [tenant Text, contact Bytes, taken_by Text, taken_at Int], Tenant, "WHERE tenant = $2"),
    copied!("capacity", [tenant Text, key Text, total Int, used Int, changed_at Int], Tenant, "WHERE tenant = $2"),
    copied!(
        "reservation",
        [call_id Id, tenant Text, key Text, run_id Id, amount Int, held Int, reserved_at Int],
        Tenant,
        "WHERE tenant = $2 AND held > 0"
    ),
];
