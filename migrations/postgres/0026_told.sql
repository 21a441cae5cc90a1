-- Staff hear of runs that fail, and of a budget that is used up. Such an entry of the inbox is about no message:
-- `message` is an id of its own, `run_id` the run, and `note` says what happened.
ALTER TABLE inbox ADD COLUMN run_id UUID;
ALTER TABLE inbox ADD COLUMN note TEXT COLLATE "C";

-- When a message first did not fit into the budget of the period.
ALTER TABLE budget ADD COLUMN reached_at BIGINT;
