-- +goose Up
CREATE TABLE events (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT NOT NULL,
    time         INTEGER NOT NULL,
    conversation TEXT NOT NULL DEFAULT '',
    turn         TEXT NOT NULL DEFAULT '',
    call         TEXT NOT NULL DEFAULT '',
    data         BLOB NOT NULL
);
CREATE INDEX events_conversation ON events (conversation, seq);
CREATE INDEX events_call ON events (call, kind) WHERE call <> '';
CREATE INDEX events_kind ON events (kind, seq);

CREATE TABLE conversations (
    id      TEXT PRIMARY KEY,
    title   TEXT NOT NULL,
    model   TEXT NOT NULL,
    status  TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
);
CREATE INDEX conversations_updated ON conversations (updated DESC);

CREATE TABLE turns (
    id           TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    status       TEXT NOT NULL,
    data         BLOB NOT NULL,
    started      INTEGER NOT NULL,
    ended        INTEGER
);
CREATE INDEX turns_conversation ON turns (conversation, started);
CREATE INDEX turns_status ON turns (status);

CREATE TABLE messages (
    id           TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn         TEXT NOT NULL,
    position     INTEGER NOT NULL,
    role         TEXT NOT NULL,
    text         TEXT NOT NULL,
    calls        BLOB,
    call_id      TEXT NOT NULL,
    outside      BLOB,
    status       TEXT NOT NULL,
    time         INTEGER NOT NULL
);
CREATE INDEX messages_conversation ON messages (conversation, position);
CREATE INDEX messages_status ON messages (status);

CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    call      TEXT NOT NULL,
    phase     TEXT NOT NULL CHECK (phase IN ('intent', 'result')),
    time      INTEGER NOT NULL,
    body      BLOB NOT NULL,
    prev_hash TEXT NOT NULL,
    hash      TEXT NOT NULL
);
CREATE UNIQUE INDEX audit_call ON audit (call, phase);
CREATE INDEX audit_phase ON audit (phase, seq);

CREATE TABLE settings (
    key     TEXT PRIMARY KEY,
    value   TEXT NOT NULL,
    updated INTEGER NOT NULL
);

CREATE TABLE grants (
    id           TEXT PRIMARY KEY,
    tool         TEXT NOT NULL,
    scope        TEXT NOT NULL,
    conversation TEXT NOT NULL,
    data         BLOB NOT NULL,
    created      INTEGER NOT NULL
);

-- +goose Down
DROP TABLE grants;
DROP TABLE settings;
DROP TABLE audit;
DROP TABLE messages;
DROP TABLE turns;
DROP TABLE conversations;
DROP TABLE events;
