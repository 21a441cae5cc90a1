-- Which runs have a deadline that waits for a message to be applied: whoever applies it wakes them.

CREATE TABLE barred (
    message BLOB NOT NULL,
    run_id BLOB NOT NULL,
    PRIMARY KEY (message, run_id)
) STRICT;
