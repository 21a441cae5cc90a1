-- Who must approve, one link after the other, as `[{role, n}]`, and who has said yes so far, as a list.
ALTER TABLE approval ADD COLUMN approvers TEXT NOT NULL DEFAULT '[{"role":"supervisor","n":1}]';
ALTER TABLE approval ADD COLUMN votes TEXT NOT NULL DEFAULT '[]';
