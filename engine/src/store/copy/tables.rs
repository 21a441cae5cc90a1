//! Lists the tables of the engine that are copied with a run.

use super::CopiedTable;
use crate::copied;

/// The copied tables, in the order in which they are inserted into another database.
///
/// The engine's other tables are left out, because their rows concern only the processes of
/// the source database: for example, the leases of nodes and the answers to HTTP requests.
pub(super) static TABLES: [CopiedTable; 26] = [
    // `contact_key` is the key with which the digests of contacts are computed.
    copied!("meta", [k Text, v Text], Free, "WHERE k = 'contact_key'"),
    // In a copy, runs are real: a copy has no effect outside anyway.
    copied!(
        "tenant",
        [id Text, paused Int, shadow Int = "0", policy Text, stream Id, version Int],
        Tenant,
        "WHERE id = $2"
    ),
    copied!(
        "tenant_job",
        [tenant Text, phase Text, reached Id, version Int, sends Int, runs Int, since Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!("budget", [tenant Text, period_from Int, used Int, reached_at Int], Tenant, "WHERE tenant = $2"),
    copied!(
        "method_version",
        [tenant Text, name Text, version Int, bundle Bytes, created_at Int, active Int, shadow Int,
         origin Text, deleted Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "run",
        [id Id, tenant Text, partition_key Id, bundle Bytes, method Text, method_version Int, campaign Int,
         shadow Int, parent Id, parent_call Id, ordinal Int, branch Int, start_key Text, status Text,
         outcome Text, seq Int, state_v Int, state Text, last_hash Bytes, last_at Int, created_at Int,
         ended_at Int, correlation Id],
        Ids,
        "WHERE id IN (SELECT id FROM {rows})"
    ),
    // `owner` is left out, because the owner of the original run does not own the copy.
    copied!(
        "turn",
        [run_id Id, tenant Text, held Int, epoch Int, wake Int, claims Int, due_at Int, expected_by Int,
         stuck_on Text],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!("var", [run_id Id, name Text, value Text, blob Bytes], Ids, "WHERE run_id IN (SELECT id FROM {rows})"),
    copied!(
        "undo",
        [run_id Id, pos Int, node Int, args Bytes, state Text],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "contact",
        [tenant Text, id Bytes, phone Id, suppressed Int, reason Text, changed_at Int, consent_source Text,
         consent_at Int, consent_wording Text],
        Tenant,
        "WHERE {tenant} = $2"
    ),
    copied!(
        "ledger",
        [id Id, stream Id, seq Int, tenant Text, kind Text, at Int, run_id Id, call_id Id, tool Text,
         status Text, body Text, hash Bytes, correlation Id],
        Ids,
        "WHERE stream IN (SELECT id FROM {rows})"
    ),
    copied!(
        "tool_key",
        [tenant Text, tool Text, key Text, call_id Id, input Bytes, result Text, created_at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "approval",
        [id Id, tenant Text, run_id Id, call_id Id, step_id Text, tool Text, scope Text, risk Text, input Bytes,
         reason Text, shows Text, approvers Text, votes Text, state Text, asked_at Int, expires_at Int, decided_at Int, decided_by Text,
         note Text, correlation Id],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "signal",
        [run_id Id, id Id, kind Text, name Text, dedupe Text, payload Text, at Int, consumed_seq Int],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "partition_head",
        [key Id, tenant Text, next_ord Int, campaigns Int, seq Int, last_hash Bytes],
        Both,
        "WHERE key IN (SELECT id FROM {rows}) OR key = (SELECT stream FROM tenant WHERE id = $2)"
    ),
    copied!(
        "wait",
        [run_id Id, frame Text, partition_key Id, yes_cell Text, open_cells Text, need Int],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "tally",
        [partition_key Id, cell Text, open Int, yes Int, no Int, gone Int],
        Ids,
        "WHERE partition_key IN (SELECT id FROM {rows})"
    ),
    // All messages that are not applied yet are copied, because any of them may concern this run.
    // Whether a message concerns this run is known only after the message has been interpreted.
    copied!(
        "inbound",
        [id Id, tenant Text, gateway Text, provider_id Text, sender Bytes, recipient Text, body Id,
         carrier_word Text, received_at Int, stored_at Int, partition_key Id, ord Int, run_id Id,
         applied_at Int, handled_as Text, correlation Id],
        Both,
        "WHERE tenant || '' = $2 AND id IN (SELECT i.id FROM inbound i WHERE i.tenant = $2 AND i.applied_at IS NULL
            UNION SELECT i.id FROM inbound i WHERE i.partition_key IN (SELECT id FROM {rows})
            UNION SELECT i.id FROM inbound i WHERE i.run_id IN (SELECT id FROM {rows}))"
    ),
    copied!(
        "barred",
        [message Id, run_id Id],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "outbox",
        [id Id, tenant Text, key Text, partition_key Id, run_id Id, call_id Id, kind Text, contact Bytes,
         person Id, body Id, segments Int, cause_kind Text, cause_id Id, not_before Int, not_after Int,
         state Text, attempt Int, start_by Int, deadline Int, provider_ref Text, error Text, created_at Int,
         sent_at Int, permitted_at Int, bulk Int, unasked Int, correlation Id],
        Both,
        "WHERE tenant || '' = $2 AND id IN (SELECT o.id FROM outbox o WHERE o.partition_key IS NOT NULL
                AND {o.partition_key} IN (SELECT id FROM {rows})
            UNION SELECT o.id FROM outbox o WHERE o.run_id IN (SELECT id FROM {rows}))"
    ),
    copied!(
        "pii",
        [id Id, salt Bytes, value Text],
        Tenant,
        "WHERE id IN (SELECT phone FROM contact WHERE {tenant} = $2)"
    ),
    copied!(
        "pii",
        [id Id, salt Bytes, value Text],
        Both,
        "WHERE id IN (SELECT o.body FROM outbox o WHERE o.tenant || '' = $2 AND o.partition_key IS NOT NULL
                AND {o.partition_key} IN (SELECT id FROM {rows})
            UNION SELECT o.body FROM outbox o WHERE o.run_id IN (SELECT id FROM {rows}))"
    ),
    copied!(
        "pii",
        [id Id, salt Bytes, value Text],
        Both,
        "WHERE id IN (SELECT i.body FROM inbound i WHERE i.tenant = $2 AND i.applied_at IS NULL
            UNION SELECT i.body FROM inbound i WHERE i.partition_key IN (SELECT id FROM {rows})
            UNION SELECT i.body FROM inbound i WHERE i.run_id IN (SELECT id FROM {rows}))"
    ),
    // Only the messages that a run scheduled for itself are copied.
    // The other schedules start methods, and do not concern the run.
    copied!(
        "schedule",
        [id Id, tenant Text, run_id Id, method Text, body Text, cron Text, tz Text, catch_up Text,
         overlap Text, consent Bytes, next_at Int, waits Int, last_at Int, last_run Id, last_error Text],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
    copied!(
        "upgrade",
        [id Id, tenant Text, method Text, bundle Bytes, version Int, renamed Text, undoes Id, ordered_at Int],
        Ids,
        "WHERE id IN (SELECT upgrade FROM upgrade_run WHERE run_id IN (SELECT id FROM {rows}))"
    ),
    copied!(
        "upgrade_run",
        [upgrade Id, run_id Id, from_bundle Bytes, from_version Int, state Text, why Text],
        Ids,
        "WHERE run_id IN (SELECT id FROM {rows})"
    ),
];

/// The tables of definitions and large values. A row of these tables is copied if another copied row
/// contains its digest. In the queries for these tables, `{rows}` contains digests in the column
/// `digest`. In the queries for [`TABLES`], `{rows}` contains ids.
pub(super) static BY_DIGEST: [CopiedTable; 2] = [
    copied!(
        "definition",
        [digest Bytes, kind Text, name Text, body Text, graph Text, graph_v Int, created_at Int],
        Ids,
        "WHERE digest IN (SELECT digest FROM {rows})"
    ),
    copied!(
        "blob",
        [digest Bytes, bytes Text, created_at Int],
        Ids,
        "WHERE digest IN (SELECT digest FROM {rows})"
    ),
];

/// Returns the tables of the engine that a copy takes rows from.
pub(super) fn all() -> impl Iterator<Item = &'static CopiedTable> {
    TABLES.iter().chain(&BY_DIGEST)
}
