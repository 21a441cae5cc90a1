-- Finds a customer by the number that calls.
CREATE INDEX customers_phone ON customers (tenant, phone, id);
