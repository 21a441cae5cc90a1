//! Statements that read more than their rows, each with the reason why that is right.

use super::Statistics;

/// The audit reads whole tables: it looks for rows that contradict each other.
const AUDIT: &[&str] = &[
    "SELECT COUNT(*) AS count FROM offer o JOIN request q ON q.id = o.request",
    "SELECT DISTINCT t.run_id FROM signal s",
    "SELECT DISTINCT w.run_id FROM wait w",
    "SELECT a.person, a.request AS first, b.request AS second",
    "FROM invoices d LEFT JOIN",
    "FROM quotes d LEFT JOIN",
    "FROM invoices i LEFT JOIN",
    "SELECT invoice_id AS id FROM invoice_line_items",
    "SELECT quote_id AS id FROM quote_line_items",
    "FROM media m LEFT JOIN files f",
    "SELECT m.id, m.not_before FROM outbox m JOIN offer o",
    "SELECT o.request, o.person FROM offer o WHERE o.state = 'pending' AND o.request BETWEEN",
    "SELECT r.id AS run_id FROM run r",
    "SELECT request FROM rebalance",
    "SELECT request, person FROM offer WHERE state = 'pending' GROUP BY",
    "SELECT request, person, role, seat, ",
    "SELECT request, role, COUNT(*) AS count FROM assignment",
    "SELECT request, role, wave, SUM(",
    "SELECT s.id FROM schedule s LEFT JOIN run r",
    "SELECT t.partition_key, t.cell, t.open",
    "SELECT t.run_id FROM turn t LEFT JOIN run r",
    "SELECT t.run_id FROM turn t WHERE t.held = 1 AND NOT EXISTS",
    "SELECT t.run_id FROM turn t WHERE t.run_id BETWEEN $2 AND $3 AND t.held = 1",
    "SELECT w.run_id FROM wait w LEFT JOIN run r",
    "SELECT c.tenant, c.key, c.used,",
];
/// The copy of a tenant for a rehearsal reads the rows of the tenant, up to a limit.
const COPY: &[&str] = &[
    "SELECT id, parent, partition_key FROM run WHERE tenant || '' = $2",
    "FROM approval WHERE run_id IN",
    "FROM approval WHERE run_id = ANY",
    "FROM assertion WHERE tenant = $2 LIMIT",
    "FROM partition_head WHERE key IN",
    "FROM partition_head WHERE key = ANY",
    "FROM barred WHERE run_id IN",
    "FROM barred WHERE run_id = ANY",
    "FROM sqlite_master",
    "FROM outbox WHERE tenant || '' = $2 AND id IN",
    "FROM inbound WHERE tenant || '' = $2 AND id IN",
    "JOIN live_fill t ON t.request = v.id LIMIT",
    "JOIN rebalance t ON t.request = v.id LIMIT",
];
/// Reads the first rows of an index that holds only rows of this kind, in the order of the index.
const FIRST: &[&str] = &[
    "LIMIT 1) AS unapplied",
    "SELECT b.digest AS id FROM blob b WHERE b.digest IN",
    "SELECT 1 FROM contact LIMIT 1",
    "coalesce((SELECT r.created_at FROM run r ORDER BY r.id LIMIT 1), b.created_at",
    "FROM schedule s JOIN tenant t ON t.id = s.tenant AND t.paused = 0",
    "SELECT MIN(tenant) FROM inbound WHERE applied_at IS NULL",
];
/// An operator looks for what no index finds: it reads the newest rows of the tenant until a page is full, or counts them.
const LOOKS: &[&str] = &[
    "FROM ledger l WHERE tenant = $1 AND kind = 'receipt' AND ($2 IS NULL OR tool = $2)",
    "FROM leads WHERE tenant = $1 AND archived_at IS NULL AND (CAST($2 AS TEXT) IS NULL OR assigned_to = $2)",
    "FROM notes WHERE words @@",
];
/// Reads or sorts rows of which there are few, however much is kept: what is open now, or what belongs to one request,
/// person, run or node, or what a limit allows. The servers cannot know that, because nothing else is in the tables of this test.
const FEW: &[&str] = &[
    "DELETE FROM http_key WHERE (tenant, key) IN",
    "FROM archive WHERE $1 IS NULL OR id > $1",
    "FROM archive WHERE tenant = $1 AND ($2 IS NULL OR id < $2)",
    "FROM chain_base WHERE $1 IS NULL OR stream > $1",
    "FROM erasure e JOIN pii d",
    "SELECT id, parent AS unit FROM run WHERE parent IN",
    "SELECT run_id AS k_run_id, name AS k_name, value FROM var",
    "SELECT run_id AS k_run_id, id AS k_id, dedupe, payload FROM signal",
    "SELECT cell, open, yes, no, gone FROM tally WHERE partition_key = $1",
    "FROM capacity WHERE tenant = $1 ORDER BY key",
    "FROM service WHERE tenant = $1",
    "SELECT q.person, q.kind, q.about, q.expires_at FROM question q",
    "SELECT r.person, r.role FROM person_role r",
    "SELECT run_id FROM live_fill WHERE request = $1",
    "SELECT run_id, epoch FROM turn WHERE owner = $1",
    "SELECT a.request, a.person, a.role, a.state, a.seat, a.version",
    "SELECT r.id FROM d CROSS JOIN run r WHERE r.parent = d.id) SELECT id FROM d ORDER BY id",
    "SELECT d.root, o.person, o.kind, o.segments FROM d",
    "SELECT q.id FROM d CROSS JOIN outbox q",
    "SELECT o.owner FROM o WHERE o.owner NOT IN",
    "SELECT m.bundle, m.name, (SELECT COUNT(*) FROM",
    "WHERE owner IN (SELECT id FROM node WHERE dead = 1)",
    "SELECT s.run_id FROM turn s WHERE s.stuck_on IS NOT NULL",
    "WHERE o.id = ANY ($1::uuid[]) ORDER BY o.not_before, o.id",
    "DELETE FROM agenda_turn WHERE tenant = $1 AND user_key = $2",
    "FROM kb WHERE tenant = $1 AND retired = $2",
];
/// A test sends it, or sends it wrong on purpose.
const TESTS: &[&str] = &[
    "SELECT claims FROM turn",
    "UPDATE turn SET claims = 3",
    "FROM nowhere",
    "SELECT 'leads' AS name, COUNT(*) AS number FROM leads",
];
/// A server without statistics takes an index of a tenant for one that finds few rows. It has some within a minute after a
/// table has begun to grow. These statements are rare in that minute.
const RARE: &[&str] = &[
    // The documents of a trade.
    "FROM invoices WHERE tenant = $1 AND id = $2",
    "UPDATE invoices SET",
    "FROM jobs",
    "FROM leads WHERE tenant",
    "JOIN leads l ON",
    "FROM payments WHERE tenant",
    "FROM quotes q WHERE tenant = $1 AND status IN",
    "UPDATE conversation_goals SET description",
    // Once for a wave of invitations to the people of a campus, and in insights.
    "SELECT p.id FROM (SELECT a.id FROM person a WHERE a.tenant = $1 AND a.campus = $6",
    "CROSS JOIN offer o WHERE o.person = k.person",
];

/// Whether a statement is one of the exceptions.
pub(crate) fn is_known(sql: &str, statistics: Statistics) -> bool {
    let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_in = |lists: &[&[&str]]| lists.iter().copied().flatten().any(|part| sql.contains(part));
    is_in(&[AUDIT, COPY, FIRST, LOOKS, FEW, TESTS])
        || (statistics == Statistics::None && is_in(&[RARE]))
}
