-- The consent to texts that was recorded for a number when its person was imported: where it was given, when,
-- and to which words. It says nothing about opting out: a suppressed number stays suppressed.
ALTER TABLE contact ADD COLUMN consent_source TEXT;
ALTER TABLE contact ADD COLUMN consent_at BIGINT;
ALTER TABLE contact ADD COLUMN consent_wording TEXT;
-- Who wrote a fact: the name of the token or of the client, as the server knows it.
ALTER TABLE kb ADD COLUMN written_by TEXT;
-- When a client last used a token, to the hour.
ALTER TABLE token ADD COLUMN last_used_at BIGINT;
