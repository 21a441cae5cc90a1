-- What people call a service besides its name, as a JSON list; how long it lasts, in microseconds; and its own time
-- zone and campus, if it has any. A service without aliases is read by the common names of services.
ALTER TABLE service ADD COLUMN aliases TEXT NOT NULL DEFAULT '[]';
ALTER TABLE service ADD COLUMN duration INTEGER NOT NULL DEFAULT 4500000000;
ALTER TABLE service ADD COLUMN time_zone TEXT;
ALTER TABLE service ADD COLUMN campus TEXT;
