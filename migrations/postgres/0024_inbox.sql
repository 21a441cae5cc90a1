-- The member of staff who deals with the message.
ALTER TABLE inbox ADD COLUMN assigned_to UUID;

-- Threads, the conversations with one number each, that staff have taken over: such a number gets no automatic
-- answers until its row is deleted. `taken_by`: the client that took over, as people see it.
CREATE TABLE thread (
    tenant TEXT COLLATE "C" NOT NULL,
    contact BYTEA NOT NULL,
    taken_by TEXT COLLATE "C" NOT NULL,
    taken_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, contact)
);
