-- Finds the signals that a run has not consumed, oldest first, however many it has consumed.
CREATE INDEX signal_open ON signal (run_id, at, id) WHERE consumed_seq IS NULL;

-- Finds the runs that no running process can continue, among all that wait.
CREATE INDEX turn_stuck ON turn (run_id) WHERE stuck_on IS NOT NULL;

-- Finds the messages of a run.
CREATE INDEX outbox_of_run ON outbox (run_id, id) WHERE run_id IS NOT NULL;
