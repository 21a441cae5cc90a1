-- Finds the signals that a run has not consumed, oldest first, however many it has consumed.
CREATE INDEX signal_open ON signal (run_id, at, id) WHERE consumed_seq IS NULL;

-- Finds the runs that no running process can continue, among all that wait.
CREATE INDEX turn_stuck ON turn (run_id) WHERE stuck_on IS NOT NULL;

-- Finds the messages of a run.
CREATE INDEX outbox_of_run ON outbox (run_id, id) WHERE run_id IS NOT NULL;

-- Compares texts as all other tables do, by their bytes: an index of texts that are compared otherwise does not find the
-- rows of a tenant whose name comes from another table.
-- contract: an older program reads and writes the same texts
ALTER TABLE approval
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN step_id TYPE TEXT COLLATE "C",
    ALTER COLUMN tool TYPE TEXT COLLATE "C",
    ALTER COLUMN risk TYPE TEXT COLLATE "C",
    ALTER COLUMN reason TYPE TEXT COLLATE "C",
    ALTER COLUMN shows TYPE TEXT COLLATE "C",
    ALTER COLUMN state TYPE TEXT COLLATE "C",
    ALTER COLUMN decided_by TYPE TEXT COLLATE "C",
    ALTER COLUMN note TYPE TEXT COLLATE "C",
    ALTER COLUMN scope TYPE TEXT COLLATE "C",
    ALTER COLUMN approvers TYPE TEXT COLLATE "C",
    ALTER COLUMN votes TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE contact
    ALTER COLUMN consent_source TYPE TEXT COLLATE "C",
    ALTER COLUMN consent_wording TYPE TEXT COLLATE "C";
