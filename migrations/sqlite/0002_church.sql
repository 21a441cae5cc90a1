-- The church: who is who, what each service needs, who was asked, and who has a place.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- What a tenant is called and where its clock times are read.
CREATE TABLE church (
    tenant TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL
) STRICT;

-- Held every week, at a local time. Weekday 1 is Monday; `minute` counts from midnight.
CREATE TABLE service (
    tenant TEXT NOT NULL,
    weekday INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant, weekday, minute, name)
) STRICT;

-- Two people may share a phone, and so a contact. `placed_at`: the last time of taking a place,
-- 0 for never; whoever served longest ago is asked first.
CREATE TABLE person (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    external_id TEXT,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    contact BLOB NOT NULL,
    campus TEXT,
    time_zone TEXT,
    email TEXT,
    household TEXT,
    guardian_phone TEXT,
    active INTEGER NOT NULL,
    placed_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX person_external ON person (tenant, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX person_contact ON person (tenant, contact);
CREATE INDEX person_list ON person (tenant, id);

CREATE TABLE person_role (
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    person BLOB NOT NULL,
    PRIMARY KEY (tenant, role, person)
) STRICT;
CREATE INDEX person_role_person ON person_role (person, role);

-- A VolunteerRequest. `campus` is empty where a church has but one.
CREATE TABLE request (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    campus TEXT NOT NULL,
    service_time INTEGER NOT NULL,
    targets TEXT NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX request_live ON request (tenant, campus, service_time)
    WHERE status IN ('draft', 'open', 'partially_filled', 'filled');
CREATE INDEX request_due ON request (service_time, id)
    WHERE status IN ('draft', 'open', 'partially_filled', 'filled');
CREATE INDEX request_list ON request (tenant, id);

-- One row a version: what a request became, from what, and why.
CREATE TABLE request_change (
    request BLOB NOT NULL,
    version INTEGER NOT NULL,
    was TEXT,
    cause TEXT NOT NULL,
    became TEXT NOT NULL,
    targets TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (request, version)
) STRICT;

-- One person, asked once, for one role. A terminal row stays terminal; asking again is a new row
-- with the next ordinal. `planned_at`: the first instant at which policy lets the text go. `notice`:
-- 1 while the person is still to be told that it was taken back.
CREATE TABLE offer (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    request BLOB NOT NULL,
    person BLOB NOT NULL,
    role TEXT NOT NULL,
    wave INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    state TEXT NOT NULL,
    cause TEXT,
    notice INTEGER NOT NULL,
    run_id BLOB,
    planned_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX offer_pending ON offer (request, person) WHERE state = 'pending';
CREATE UNIQUE INDEX offer_ordinal ON offer (request, person, ordinal);
CREATE INDEX offer_due ON offer (expires_at, id) WHERE state = 'pending';
CREATE INDEX offer_wave ON offer (request, role, wave, state);
CREATE INDEX offer_person ON offer (person, id);
CREATE INDEX offer_notice ON offer (request, id) WHERE notice = 1;

-- What one person is to one role of a request. The unique indexes are the second guard below the
-- code: one seat holds one person, one person one place. `version` is the request's when the seat
-- was taken: the seat is not above the target of that version.
CREATE TABLE assignment (
    request BLOB NOT NULL,
    person BLOB NOT NULL,
    role TEXT NOT NULL,
    tenant TEXT NOT NULL,
    state TEXT NOT NULL,
    seat INTEGER,
    version INTEGER,
    ord INTEGER,
    accepted_at INTEGER,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (request, person, role),
    CHECK ((state = 'accepted') = (seat IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX assignment_seat ON assignment (request, role, seat) WHERE state = 'accepted';
CREATE UNIQUE INDEX assignment_place ON assignment (request, person) WHERE state = 'accepted';
CREATE INDEX assignment_waitlist ON assignment (request, role, ord) WHERE state = 'waitlisted';
CREATE INDEX assignment_person ON assignment (person, request);

-- A question of ours that waits for an answer: what staff left open, or which of several asks an
-- answer was for. `about` is what was understood so far. A newer one takes its place.
CREATE TABLE question (
    person BLOB NOT NULL,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    about TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (person, kind)
) STRICT;

-- Texts that nothing of ours waited for: a person reads them.
CREATE TABLE inbox (
    message BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    person BLOB,
    reason TEXT NOT NULL,
    state TEXT NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_open ON inbox (tenant, message) WHERE state = 'open';

-- Which run fills which role of a request, while it lives: a second one is refused.
CREATE TABLE live_fill (
    request BLOB NOT NULL,
    method TEXT NOT NULL,
    role TEXT NOT NULL,
    run_id BLOB NOT NULL,
    PRIMARY KEY (request, method, role)
) STRICT;
CREATE INDEX live_fill_run ON live_fill (run_id);
