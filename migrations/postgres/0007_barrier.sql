-- Which runs have a deadline that waits for a message to be applied: whoever applies it wakes them.

CREATE TABLE barred (
    message UUID NOT NULL,
    run_id UUID NOT NULL,
    PRIMARY KEY (message, run_id)
);
