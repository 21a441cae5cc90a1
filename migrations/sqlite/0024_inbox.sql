-- The member of staff who deals with the message.
ALTER TABLE inbox ADD COLUMN assigned_to BLOB;

-- Threads, the conversations with one number each, that staff have taken over: such a number gets no automatic
-- answers until its row is deleted. `taken_by`: the client that took over, as people see it.
CREATE TABLE thread (
    tenant TEXT NOT NULL,
    contact BLOB NOT NULL,
    taken_by TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, contact)
) STRICT;
