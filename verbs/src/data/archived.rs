//! Lists the rows of the church that leave the database for an archive, and says how long the other tables keep theirs.
//!
//! A message leaves only when nothing needs it: not the run or the request that it belongs to, nor an entry of the inbox.
//! People, numbers, consents and opt-outs stay.

use abide_engine::archived;
use abide_engine::store::{ArchivedGroup, Keep, Kept, KeptTable, kept};

/// The groups, in the order in which they leave: after the runs.
pub static ARCHIVED: [ArchivedGroup; 6] =
    [REQUESTS, APPROVALS, RESERVATIONS, INBOX, INBOUND, OUTBOX];

/// Requests whose service has ended, when all their runs have left.
const REQUESTS: ArchivedGroup = ArchivedGroup {
    name: "request",
    keep: Keep::Runs,
    units: 10,
    walk: "SELECT id FROM request WHERE tenant = $1 AND {id} > $2 AND {id} < $3 ORDER BY {id} LIMIT $4",
    members: None,
    lock: Some("SELECT key FROM partition_head WHERE key IN (SELECT id FROM {rows}) ORDER BY key {for_update}"),
    qualified: "SELECT q.id FROM request q WHERE q.id IN (SELECT id FROM {rows}) AND q.tenant || '' = $1 AND q.ends_at < $2
        AND q.updated_at < $2 AND q.status NOT IN ('draft', 'open', 'partially_filled', 'filled')
        AND (SELECT 1 FROM run r WHERE r.partition_key = q.id AND r.ended_at IS NULL LIMIT 1) IS NULL
        AND (SELECT 1 FROM run r WHERE r.partition_key = q.id AND r.ended_at IS NOT NULL LIMIT 1) IS NULL
        AND (SELECT 1 FROM outbox m WHERE m.partition_key = q.id AND {m.state} = 'queued' LIMIT 1) IS NULL",
    tables: &[
        archived!(
            "partition_head",
            [key Id],
            [tenant Text, next_ord Int, campaigns Int, seq Int, last_hash Bytes],
            "{rows} JOIN partition_head t ON t.key = v.id"
        ),
        archived!(
            "request",
            [id Id],
            [tenant Text, campus Text, service_time Int, targets Text, status Text, version Int, created_at Int,
             updated_at Int, ends_at Int, moved_from Int],
            "{rows} JOIN request t ON t.id = v.id"
        ),
        archived!(
            "request_change",
            [request Id, version Int],
            [was Text, cause Text, became Text, targets Text, changed_at Int],
            "{rows} JOIN request_change t ON t.request = v.id"
        ),
        archived!(
            "offer",
            [id Id],
            [tenant Text, request Id, person Id, role Text, wave Int, ordinal Int, state Text, cause Text, notice Int,
             run_id Id, planned_at Int, expires_at Int, created_at Int, ended_at Int],
            "{rows} JOIN offer t ON t.request = v.id"
        ),
        archived!(
            "assignment",
            [request Id, person Id, role Text],
            [tenant Text, state Text, seat Int, version Int, ord Int, accepted_at Int, updated_at Int],
            "{rows} JOIN assignment t ON t.request = v.id"
        ),
        archived!(
            "ask",
            [id Id],
            [tenant Text, request Id, person Id, template Text, about Text, gives Text, ordinal Int, run_id Id,
             signal Text, state Text, planned_at Int, expires_at Int, ended_at Int],
            "{rows} JOIN ask t ON t.request = v.id"
        ),
        archived!(
            "tally",
            [partition_key Id, cell Text],
            [open Int, yes Int, no Int, gone Int],
            "{rows} JOIN tally t ON t.partition_key = v.id"
        ),
        archived!(
            "live_fill",
            [request Id, method Text, role Text],
            [run_id Id],
            "{rows} JOIN live_fill t ON t.request = v.id"
        ),
        archived!(
            "rebalance",
            [request Id],
            [run_id Id, opened_at Int],
            "{rows} JOIN rebalance t ON t.request = v.id"
        ),
        archived!(
            "ledger",
            [stream Id, seq Int],
            [id Id, tenant Text, kind Text, at Int, run_id Id, call_id Id, tool Text, status Text, body Text,
             hash Bytes, correlation Id],
            "{rows} JOIN ledger t ON t.stream = v.id"
        ),
    ],
};

/// Approvals that were decided, when their runs have left.
const APPROVALS: ArchivedGroup = ArchivedGroup {
    name: "approval",
    keep: Keep::Runs,
    units: 500,
    walk: "SELECT id FROM approval WHERE tenant = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
    members: None,
    lock: None,
    qualified: "SELECT a.id FROM approval a WHERE a.id IN (SELECT id FROM {rows}) AND a.tenant = $1
        AND a.state <> 'pending' AND a.asked_at < $2
        AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = a.run_id)",
    tables: &[archived!(
        "approval",
        [id Id],
        [tenant Text, run_id Id, call_id Id, step_id Text, tool Text, scope Text, risk Text, input Bytes, reason Text,
         shows Text, approvers Text, votes Text, state Text, asked_at Int, expires_at Int, decided_at Int,
         decided_by Text, note Text, correlation Id],
        "{rows} JOIN approval t ON t.id = v.id"
    )],
};

/// Reservations that hold nothing, when their runs have left.
const RESERVATIONS: ArchivedGroup = ArchivedGroup {
    name: "reservation",
    keep: Keep::Runs,
    units: 500,
    walk: "SELECT call_id AS id FROM reservation WHERE call_id > $2 AND call_id < $3 AND tenant = $1
         ORDER BY call_id LIMIT $4",
    members: None,
    lock: None,
    qualified: "SELECT v.call_id AS id FROM reservation v WHERE v.call_id IN (SELECT id FROM {rows}) AND v.tenant = $1
        AND v.held = 0 AND v.reserved_at < $2 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = v.run_id)",
    tables: &[archived!(
        "reservation",
        [call_id Id],
        [tenant Text, key Text, run_id Id, amount Int, held Int, reserved_at Int],
        "{rows} JOIN reservation t ON t.call_id = v.id"
    )],
};

/// Entries of the inbox that staff have closed.
const INBOX: ArchivedGroup = ArchivedGroup {
    name: "inbox",
    keep: Keep::Messages,
    units: 500,
    walk: "SELECT message AS id FROM inbox WHERE tenant = $1 AND message > $2 AND message < $3
         ORDER BY message LIMIT $4",
    members: None,
    lock: None,
    qualified: "SELECT b.message AS id FROM inbox b WHERE b.message IN (SELECT id FROM {rows}) AND b.tenant || '' = $1
        AND b.state = 'closed' AND b.received_at < $2",
    tables: &[archived!(
        "inbox",
        [message Id],
        [tenant Text, person Id, reason Text, state Text, received_at Int, assigned_to Id, run_id Id, note Text,
         starter Id],
        "{rows} JOIN inbox t ON t.message = v.id"
    )],
};

/// Messages from people that were applied, with their texts.
const INBOUND: ArchivedGroup = ArchivedGroup {
    name: "inbound",
    keep: Keep::Messages,
    units: 300,
    walk: "SELECT id FROM inbound WHERE {tenant} = $1 AND {id} > $2 AND {id} < $3 ORDER BY {id} LIMIT $4",
    members: None,
    lock: None,
    qualified:
        "SELECT m.id FROM inbound m WHERE m.id IN (SELECT id FROM {rows}) AND m.tenant || '' = $1
        AND m.applied_at < $2 AND m.stored_at < $2
        AND NOT EXISTS (SELECT 1 FROM inbox b WHERE b.message = m.id)
        AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = m.run_id AND r.ended_at + 0 IS NULL)
        AND NOT EXISTS (SELECT 1 FROM request q WHERE q.id = m.partition_key
            AND q.status || '' IN ('draft', 'open', 'partially_filled', 'filled'))",
    tables: &[
        archived!(
            "pii",
            [id Id],
            [salt Bytes, value Text],
            "{rows} JOIN inbound m ON m.id = v.id JOIN pii t ON t.id = m.body"
        ),
        archived!(
            "inbound",
            [id Id],
            [tenant Text, gateway Text, provider_id Text, sender Bytes, recipient Text, body Id, carrier_word Text,
             received_at Int, stored_at Int, partition_key Id, ord Int, run_id Id, applied_at Int, handled_as Text,
             correlation Id],
            "{rows} JOIN inbound t ON t.id = v.id"
        ),
    ],
};

/// Messages to people of which nothing more is expected, with their texts. The key of a message keeps it from being sent
/// twice, so it stays while its run could send it again.
const OUTBOX: ArchivedGroup = ArchivedGroup {
    name: "outbox",
    keep: Keep::Messages,
    units: 300,
    walk: "SELECT id FROM outbox WHERE {tenant} = $1 AND {id} > $2 AND {id} < $3 ORDER BY {id} LIMIT $4",
    members: None,
    lock: None,
    qualified: "SELECT m.id FROM outbox m WHERE m.id IN (SELECT id FROM {rows}) AND m.tenant || '' = $1
        AND m.created_at < $2 AND coalesce(m.sent_at, m.not_before) < $2
        AND m.state NOT IN ('queued', 'sending')
        AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = m.run_id AND (r.ended_at IS NULL OR r.status = 'failed'))
        AND NOT EXISTS (SELECT 1 FROM request q WHERE q.id = m.partition_key
            AND q.status || '' IN ('draft', 'open', 'partially_filled', 'filled'))",
    tables: &[
        archived!(
            "pii",
            [id Id],
            [salt Bytes, value Text],
            "{rows} JOIN outbox m ON m.id = v.id JOIN pii t ON t.id = m.body"
        ),
        archived!(
            "outbox",
            [id Id],
            [tenant Text, key Text, partition_key Id, run_id Id, call_id Id, kind Text, contact Bytes, person Id, body Id,
             segments Int, cause_kind Text, cause_id Id, not_before Int, not_after Int, state Text, attempt Int,
             start_by Int, deadline Int, provider_ref Text, error Text, created_at Int, sent_at Int, permitted_at Int,
             bulk Int, unasked Int, correlation Id],
            "{rows} JOIN outbox t ON t.id = v.id"
        ),
    ],
};

/// How long the tables of the church, and those that only it knows to be unneeded, keep their rows.
pub static KEPT: [KeptTable; 23] = [
    kept("church", Kept::ForGood("one row for each tenant")),
    kept("service", Kept::ForGood("what is held every week")),
    kept("person", Kept::ForGood("a person stays until somebody erases them")),
    kept("person_role", Kept::ForGood("a person stays until somebody erases them")),
    kept("request", Kept::Archived("request")),
    kept("request_change", Kept::Archived("request")),
    kept("offer", Kept::Archived("request")),
    kept("assignment", Kept::Archived("request")),
    kept("ask", Kept::Archived("request")),
    kept("tally", Kept::Archived("request")),
    kept("live_fill", Kept::Archived("request")),
    kept("rebalance", Kept::Archived("request")),
    kept("partition_head", Kept::Archived("request")),
    kept("question", Kept::Deleted("when it is answered or expires")),
    kept("inbox", Kept::Archived("inbox")),
    kept("inbox_notice", Kept::Deleted("when staff have been told")),
    kept("kb", Kept::ForGood("facts are retired, not deleted")),
    kept("capacity", Kept::ForGood("one row for each thing that can be reserved")),
    kept("reservation", Kept::Archived("reservation")),
    kept("inbound", Kept::Archived("inbound")),
    kept("outbox", Kept::Archived("outbox")),
    kept("pii", Kept::Archived("inbound, outbox; the numbers of contacts stay")),
    kept("thread", Kept::Deleted("when staff hand the conversation back")),
];
