-- Finds the jobs that take time in a period: those that have not ended when it begins.
CREATE INDEX jobs_ends ON jobs (tenant, status, ends_at, id);
