//! Lists what the operator and the agenda keep for a time and then move into an archive, and how long the other tables
//! keep their rows.

use abide_engine::archived;
use abide_engine::store::{ArchivedGroup, Keep, Kept, KeptTable, kept};

/// The groups, in the order in which they leave.
pub static ARCHIVED: [ArchivedGroup; 3] = [CLASSIFICATIONS, ASKED, JOURNAL];

/// Messages to the operator with their plans, when nothing is due for them and no run carries the plan out.
const CLASSIFICATIONS: ArchivedGroup = ArchivedGroup {
    name: "classification",
    keep: Keep::Messages,
    units: 400,
    walk: "SELECT id FROM classification WHERE id > $2 AND id < $3 AND tenant = $1 ORDER BY id LIMIT $4",
    members: None,
    lock: Some("SELECT id FROM classification WHERE id IN (SELECT id FROM {rows}) ORDER BY id {for_update}"),
    qualified: "SELECT c.id FROM classification c WHERE c.id IN (SELECT id FROM {rows}) AND c.tenant = $1
        AND c.due_at IS NULL AND c.created_at < $2
        AND NOT EXISTS (SELECT 1 FROM run r WHERE r.correlation = c.correlation AND r.correlation <> r.id
            AND r.ended_at IS NULL)",
    tables: &[
        archived!(
            "run_plan",
            [id Id],
            [tenant Text, classification Id, status Text, domain Text, risk Text, body Text, verdict Text, method Text,
             undoes Id, created_at Int],
            "{rows} JOIN run_plan t ON t.classification = v.id"
        ),
        archived!(
            "classification",
            [id Id],
            [tenant Text, request_key Text, session Text, inbound Id, person Id, correlation Id, message Text,
             context Text, mode Text, consented Int, reading Text, intent Text, domain Text, risk Text, stage Text,
             due_at Int, created_at Int],
            "{rows} JOIN classification t ON t.id = v.id"
        ),
    ],
};

/// Texts with what they bound the agent to, when it binds nobody any more.
const ASKED: ArchivedGroup = ArchivedGroup {
    name: "asked",
    keep: Keep::Messages,
    units: 200,
    walk: "SELECT id FROM asked WHERE id > $2 AND id < $3 AND tenant = $1 ORDER BY id LIMIT $4",
    members: None,
    lock: Some("SELECT id FROM asked WHERE id IN (SELECT id FROM {rows}) ORDER BY id {for_update}"),
    qualified: "SELECT a.id FROM asked a WHERE a.id IN (SELECT id FROM {rows}) AND a.tenant = $1 AND a.created_at < $2
        AND NOT EXISTS (SELECT 1 FROM obligation o WHERE o.event_id = a.id
            AND (o.status IN ('active', 'deferred') OR EXISTS (SELECT 1 FROM standing_obligation s
                WHERE s.obligation_id = o.id AND (s.ended_at IS NULL OR s.ended_at >= $2))))",
    tables: &[
        archived!(
            "standing_obligation",
            [obligation_id Id],
            [tenant Text, user_key Text, kind Text, thing Text, predicate Text, digest Text, method Text, goal Text,
             from_at Int, until_at Int, due_at Int, run_id Id, ended_at Int],
            "{rows} JOIN obligation o ON o.event_id = v.id JOIN standing_obligation t ON t.obligation_id = o.id"
        ),
        archived!(
            "obligation",
            [id Id],
            [tenant Text, kind Text, details_jsonb Text, status Text, created_at Int, resolved_at Int, event_id Id],
            "{rows} JOIN obligation t ON t.event_id = v.id"
        ),
        archived!(
            "asked",
            [id Id],
            [tenant Text, request_key Text, user_key Text, session Text, text Text, dialogue Text, answer Text,
             verified Int, trace Text, created_at Int],
            "{rows} JOIN asked t ON t.id = v.id"
        ),
    ],
};

/// What happened to the goals of conversations.
const JOURNAL: ArchivedGroup = ArchivedGroup {
    name: "conversation_goal_journal",
    keep: Keep::Messages,
    units: 500,
    walk: "SELECT id FROM conversation_goal_journal WHERE id > $2 AND id < $3 AND tenant = $1 ORDER BY id LIMIT $4",
    members: None,
    lock: None,
    qualified: "SELECT j.id FROM conversation_goal_journal j WHERE j.id IN (SELECT id FROM {rows}) AND j.tenant || '' = $1
        AND j.created_at < $2",
    tables: &[archived!(
        "conversation_goal_journal",
        [id Id],
        [tenant Text, user_key Text, session Text, goal Int, event_type Text, payload Text, created_at Int],
        "{rows} JOIN conversation_goal_journal t ON t.id = v.id"
    )],
};

/// How long the tables of this crate keep their rows.
pub static KEPT: [KeptTable; 15] = [
    kept("classification", Kept::Archived("classification")),
    kept("run_plan", Kept::Archived("classification")),
    kept("asked", Kept::Archived("asked")),
    kept("obligation", Kept::Archived("asked")),
    kept("standing_obligation", Kept::Archived("asked")),
    kept("conversation_goal_journal", Kept::Archived("conversation_goal_journal")),
    kept("conversation_session", Kept::ForGood("one row for each session of a user")),
    kept("conversation_goals", Kept::ForGood("at most a few rows for each session of a user")),
    kept("agenda_turn", Kept::Deleted("when it has been evaluated")),
    kept("plant_ball", Kept::ForGood("one row for each tenant")),
    kept("source", Kept::ForGood("each fact has its source")),
    kept("entity", Kept::ForGood("facts are about it")),
    kept("relation", Kept::ForGood("a fact")),
    kept("modifier", Kept::ForGood("a fact")),
    kept("assertion", Kept::ForGood("a fact; one that holds no longer has an end")),
];
