-- What falls due by itself is looked for by tenant.

-- contract: its successor holds the same rows, by tenant
DROP INDEX offer_due;
CREATE INDEX offer_due ON offer (tenant, expires_at) WHERE state = 'pending';
CREATE INDEX offer_told ON offer (tenant, request) WHERE notice = 1;
-- contract: its successor holds the same rows, by tenant
DROP INDEX ask_due;
CREATE INDEX ask_due ON ask (tenant, expires_at) WHERE state = 'open';
-- contract: its successor holds the same rows, by tenant
DROP INDEX request_due;
CREATE INDEX request_due ON request (tenant, service_time)
    WHERE status IN ('draft', 'open', 'partially_filled', 'filled');
