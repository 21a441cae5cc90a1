-- What stands for a user, among all that stands for a tenant.
CREATE INDEX standing_obligation_user ON standing_obligation (tenant, user_key) WHERE ended_at IS NULL;
