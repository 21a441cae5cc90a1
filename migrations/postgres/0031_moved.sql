-- When the service of a request was to begin before it moved. What was decided for that time is for the new one.
ALTER TABLE request ADD COLUMN moved_from BIGINT;
