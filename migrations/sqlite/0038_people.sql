-- Finds the expired questions of a tenant.
CREATE INDEX question_expiry ON question (tenant, expires_at);

-- Finds the open offers of a person, among all that the person ever got.
CREATE INDEX offer_open ON offer (person, request) WHERE state = 'pending';
