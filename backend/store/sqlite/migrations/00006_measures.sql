-- What is measured of calls and turns, in columns, so that figures need not be read out of JSON.
-- day is the date on this machine's clock at that time, as 20261122.
-- +goose Up
CREATE TABLE measured_calls (
    seq         INTEGER PRIMARY KEY, -- of the audit row with its intent
    time        INTEGER NOT NULL,
    day         INTEGER NOT NULL,
    tool        TEXT NOT NULL,
    origin      TEXT NOT NULL,
    status      TEXT NOT NULL,
    error_type  TEXT NOT NULL,
    answer      TEXT NOT NULL,
    waited_ms   INTEGER NOT NULL,
    ran         INTEGER NOT NULL, -- it was let through and came to its own end
    duration_ms INTEGER NOT NULL,
    tokens      INTEGER NOT NULL
);
-- A percentile is a walk along this one, whatever the range.
CREATE INDEX measured_calls_duration ON measured_calls (tool, origin, duration_ms, time, day) WHERE ran = 1;
CREATE INDEX measured_calls_status ON measured_calls (tool, origin, status, time, day);
CREATE INDEX measured_calls_asked ON measured_calls (waited_ms, time, day, origin) WHERE answer NOT IN ('', 'lapsed');

-- Every call and every ended turn counts once by the hour (start is its first second since 1970) and
-- once by the date (start is the day), so that what a range costs to read does not grow with the calls.
CREATE TABLE call_sums (
    grain      TEXT NOT NULL CHECK (grain IN ('hour', 'day')),
    start      INTEGER NOT NULL,
    tool       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    status     TEXT NOT NULL,
    error_type TEXT NOT NULL,
    answer     TEXT NOT NULL,
    ran        INTEGER NOT NULL,
    calls      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    PRIMARY KEY (grain, start, tool, origin, status, error_type, answer, ran)
) WITHOUT ROWID;

-- Tokens of a turn's rounds. talk, definitions and results are shares of input; estimated is how
-- much of input and output was worked out from lengths because the provider gave no count.
CREATE TABLE measured_turns (
    turn        TEXT PRIMARY KEY,
    time        INTEGER NOT NULL,
    model       TEXT NOT NULL,
    status      TEXT NOT NULL,
    rounds      INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    talk        INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    results     INTEGER NOT NULL,
    estimated   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE turn_sums (
    grain       TEXT NOT NULL CHECK (grain IN ('hour', 'day')),
    start       INTEGER NOT NULL,
    model       TEXT NOT NULL,
    rounds      INTEGER NOT NULL,
    called      INTEGER NOT NULL,
    turns       INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    talk        INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    results     INTEGER NOT NULL,
    estimated   INTEGER NOT NULL,
    PRIMARY KEY (grain, start, model, rounds, called)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE turn_sums;
DROP TABLE measured_turns;
DROP TABLE call_sums;
DROP TABLE measured_calls;
