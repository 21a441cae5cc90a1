-- The latest offers of a tenant, from which the rates of all its people are computed.
CREATE INDEX offer_list ON offer (tenant, id);
