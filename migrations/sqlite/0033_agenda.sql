-- The agenda: what each user and session is about. The row of a session is locked while its goals are evaluated, and
-- numbers them.
CREATE TABLE conversation_session (
    tenant TEXT NOT NULL,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    next_goal INTEGER NOT NULL,
    next_phrase TEXT,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, user_key, session)
) STRICT;
CREATE INDEX conversation_session_user ON conversation_session (tenant, user_key, updated_at);
CREATE INDEX conversation_session_name ON conversation_session (tenant, session, user_key);
CREATE TABLE conversation_goals (
    tenant TEXT NOT NULL,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    id INTEGER NOT NULL,
    goal_type TEXT NOT NULL,
    parent_goal_id INTEGER,
    status TEXT NOT NULL,
    priority INTEGER NOT NULL,
    description TEXT NOT NULL,
    next_action TEXT NOT NULL,
    slots TEXT NOT NULL,
    ignored_answers INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, user_key, session, id)
) STRICT;
CREATE INDEX conversation_goals_active ON conversation_goals (tenant, user_key, session) WHERE status = 'active';
CREATE TABLE conversation_goal_journal (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    goal INTEGER,
    event_type TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversation_goal_journal_session ON conversation_goal_journal (tenant, session, id);
-- Messages that are still to be evaluated.
CREATE TABLE agenda_turn (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX agenda_turn_due ON agenda_turn (tenant, due_at, id);
