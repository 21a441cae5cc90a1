//! Lists the engine's groups of rows that leave the database together.

use super::group::{ArchivedGroup, ArchivedTable, Keep};
use crate::archived;

/// The events of some streams.
pub(crate) static LEDGER: ArchivedTable = LEDGER_OF_STREAMS;

/// The next events of a stream that happened before an instant: `$2` is the stream, `$3` the position to start after, and
/// `$4` the instant.
pub(crate) static OLD_EVENTS: ArchivedTable = archived!(
    "ledger",
    [stream Id, seq Int],
    [id Id, tenant Text, kind Text, at Int, run_id Id, call_id Id, tool Text, status Text, body Text, hash Bytes,
     correlation Id],
    "ledger t WHERE t.stream = $2 AND t.seq > $3 AND t.at < $4 ORDER BY t.seq"
);

const LEDGER_OF_STREAMS: ArchivedTable = archived!(
    "ledger",
    [stream Id, seq Int],
    [id Id, tenant Text, kind Text, at Int, run_id Id, call_id Id, tool Text, status Text, body Text, hash Bytes,
     correlation Id],
    "{rows} JOIN ledger t ON t.stream = v.id"
);

/// Runs that have ended, with all their descendants.
/// The heads leave first, so that nobody can continue a run of which some rows have left.
pub(crate) static RUNS: ArchivedGroup = ArchivedGroup {
    name: "run",
    keep: Keep::Runs,
    units: 40,
    walk: "SELECT r.id FROM run r WHERE r.tenant = $1 AND {r.id} > $2 AND {r.id} < $3 AND r.parent IS NULL
        ORDER BY {r.id} LIMIT $4",
    members: Some("SELECT id, parent AS unit FROM run WHERE parent IN (SELECT id FROM {rows})"),
    lock: Some("SELECT id FROM run WHERE id IN (SELECT id FROM {rows}) ORDER BY id {for_update}"),
    qualified: "SELECT r.id FROM run r WHERE r.id IN (SELECT id FROM {rows}) AND r.tenant || '' = $1 AND r.ended_at < $2
        AND (SELECT 1 FROM turn t WHERE t.run_id = r.id LIMIT 1) IS NULL",
    tables: &[
        archived!(
            "run",
            [id Id],
            [tenant Text, partition_key Id, bundle Bytes, method Text, method_version Int, campaign Int, shadow Int,
             parent Id, parent_call Id, ordinal Int, branch Int, start_key Text, status Text, outcome Text, seq Int,
             state_v Int, state Text, last_hash Bytes, last_at Int, created_at Int, ended_at Int, correlation Id],
            "{rows} JOIN run t ON t.id = v.id"
        ),
        archived!("var", [run_id Id, name Text], [value Text, blob Bytes], "{rows} JOIN var t ON t.run_id = v.id"),
        archived!(
            "undo",
            [run_id Id, pos Int],
            [node Int, args Bytes, state Text],
            "{rows} JOIN undo t ON t.run_id = v.id"
        ),
        archived!(
            "signal",
            [run_id Id, id Id],
            [kind Text, name Text, dedupe Text, payload Text, at Int, consumed_seq Int],
            "{rows} JOIN signal t ON t.run_id = v.id"
        ),
        archived!(
            "upgrade_run",
            [upgrade Id, run_id Id],
            [from_bundle Bytes, from_version Int, state Text, why Text],
            "{rows} JOIN upgrade_run t ON t.run_id = v.id"
        ),
        archived!(
            "schedule",
            [id Id],
            [tenant Text, run_id Id, method Text, body Text, cron Text, tz Text, catch_up Text, overlap Text,
             consent Bytes, next_at Int, waits Int, last_at Int, last_run Id, last_error Text],
            "{rows} JOIN schedule t ON t.run_id = v.id"
        ),
        archived!(
            "tool_key",
            [tenant Text, tool Text, key Text],
            [call_id Id, input Bytes, result Text, created_at Int],
            "{rows} JOIN ledger l ON l.stream = v.id AND l.kind || '' = 'receipt' JOIN tool_key t ON t.call_id = l.call_id"
        ),
        LEDGER_OF_STREAMS,
    ],
};

/// Large values that archived rows have named.
pub(crate) static VALUES: ArchivedTable = archived!(
    "blob",
    [digest Bytes],
    [bytes Text, created_at Int],
    "{rows} JOIN blob t ON t.digest = v.id"
);
