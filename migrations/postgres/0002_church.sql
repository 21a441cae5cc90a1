-- The church: who is who, what each service needs, who was asked, and who has a place.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- What a tenant is called and where its clock times are read.
CREATE TABLE church (
    tenant TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    time_zone TEXT COLLATE "C" NOT NULL
);

-- Held every week, at a local time. Weekday 1 is Monday; `minute` counts from midnight.
CREATE TABLE service (
    tenant TEXT COLLATE "C" NOT NULL,
    weekday BIGINT NOT NULL,
    minute BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, weekday, minute, name)
);

-- Two people may share a phone, and so a contact. `placed_at`: the last time of taking a place,
-- 0 for never; whoever served longest ago is asked first.
CREATE TABLE person (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    name TEXT COLLATE "C" NOT NULL,
    phone TEXT COLLATE "C" NOT NULL,
    contact BYTEA NOT NULL,
    campus TEXT COLLATE "C",
    time_zone TEXT COLLATE "C",
    email TEXT COLLATE "C",
    household TEXT COLLATE "C",
    guardian_phone TEXT COLLATE "C",
    active BIGINT NOT NULL,
    placed_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX person_external ON person (tenant, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX person_contact ON person (tenant, contact);
CREATE INDEX person_list ON person (tenant, id);

CREATE TABLE person_role (
    tenant TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    person UUID NOT NULL,
    PRIMARY KEY (tenant, role, person)
);
CREATE INDEX person_role_person ON person_role (person, role);

-- A VolunteerRequest. `campus` is empty where a church has but one.
CREATE TABLE request (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    campus TEXT COLLATE "C" NOT NULL,
    service_time BIGINT NOT NULL,
    targets TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX request_live ON request (tenant, campus, service_time)
    WHERE status IN ('draft', 'open', 'partially_filled', 'filled');
CREATE INDEX request_due ON request (service_time, id)
    WHERE status IN ('draft', 'open', 'partially_filled', 'filled');
CREATE INDEX request_list ON request (tenant, id);

-- One row a version: what a request became, from what, and why.
CREATE TABLE request_change (
    request UUID NOT NULL,
    version BIGINT NOT NULL,
    was TEXT COLLATE "C",
    cause TEXT COLLATE "C" NOT NULL,
    became TEXT COLLATE "C" NOT NULL,
    targets TEXT COLLATE "C" NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (request, version)
);

-- One person, asked once, for one role. A terminal row stays terminal; asking again is a new row
-- with the next ordinal. `planned_at`: the first instant at which policy lets the text go. `notice`:
-- 1 while the person is still to be told that it was taken back.
CREATE TABLE offer (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    request UUID NOT NULL,
    person UUID NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    wave BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    cause TEXT COLLATE "C",
    notice BIGINT NOT NULL,
    run_id UUID,
    planned_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
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
    request UUID NOT NULL,
    person UUID NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    seat BIGINT,
    version BIGINT,
    ord BIGINT,
    accepted_at BIGINT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (request, person, role),
    CHECK ((state = 'accepted') = (seat IS NOT NULL))
);
CREATE UNIQUE INDEX assignment_seat ON assignment (request, role, seat) WHERE state = 'accepted';
CREATE UNIQUE INDEX assignment_place ON assignment (request, person) WHERE state = 'accepted';
CREATE INDEX assignment_waitlist ON assignment (request, role, ord) WHERE state = 'waitlisted';
CREATE INDEX assignment_person ON assignment (person, request);

-- A question of ours that waits for an answer: what staff left open, or which of several asks an
-- answer was for. `about` is what was understood so far. A newer one takes its place.
CREATE TABLE question (
    person UUID NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C" NOT NULL,
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (person, kind)
);

-- Texts that nothing of ours waited for: a person reads them.
CREATE TABLE inbox (
    message UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    person UUID,
    reason TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    received_at BIGINT NOT NULL
);
CREATE INDEX inbox_open ON inbox (tenant, message) WHERE state = 'open';

-- Which run fills which role of a request, while it lives: a second one is refused.
CREATE TABLE live_fill (
    request UUID NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    run_id UUID NOT NULL,
    PRIMARY KEY (request, method, role)
);
CREATE INDEX live_fill_run ON live_fill (run_id);
