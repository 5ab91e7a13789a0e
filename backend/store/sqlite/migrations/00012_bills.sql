-- What every request to a model came to. day and start are as in 00006; nanos are billionths of a unit
-- of currency, NULL where no price was known. definitions and results are shares of input.
-- +goose Up
CREATE TABLE model_requests (
    seq          INTEGER NOT NULL, -- of the event that tells it
    number       INTEGER NOT NULL,
    time         INTEGER NOT NULL,
    day          INTEGER NOT NULL,
    conversation TEXT NOT NULL,
    turn         TEXT NOT NULL,
    payer        TEXT NOT NULL, -- the conversation that it was done for, payer_turn the turn: mostly the same
    payer_turn   TEXT NOT NULL,
    model        TEXT NOT NULL,
    input        INTEGER NOT NULL,
    output       INTEGER NOT NULL,
    cached       INTEGER NOT NULL,
    written      INTEGER NOT NULL,
    estimated    INTEGER NOT NULL,
    nanos        INTEGER,
    currency     TEXT NOT NULL,
    first_ms     INTEGER NOT NULL, -- 0 when nothing came
    PRIMARY KEY (seq, number)
) WITHOUT ROWID;
CREATE INDEX model_requests_conversation ON model_requests (conversation, turn);
CREATE INDEX model_requests_payer ON model_requests (payer, payer_turn);
-- A percentile is a walk along this one, whatever the range.
CREATE INDEX model_requests_first ON model_requests (model, first_ms, time, day) WHERE first_ms > 0;

CREATE TABLE model_sums (
    grain       TEXT NOT NULL CHECK (grain IN ('hour', 'day')),
    start       INTEGER NOT NULL,
    model       TEXT NOT NULL,
    currency    TEXT NOT NULL,
    requests    INTEGER NOT NULL,
    failed      INTEGER NOT NULL,
    again       INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    written     INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    results     INTEGER NOT NULL,
    nanos       INTEGER NOT NULL,
    unpriced    INTEGER NOT NULL, -- tokens
    PRIMARY KEY (grain, start, model, currency)
) WITHOUT ROWID;

-- What a conversation had come to when a person allowed its budget once more.
CREATE TABLE budgets_raised (
    conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    data         BLOB NOT NULL
) WITHOUT ROWID;

-- What was recorded before has one request a round, and no price.
INSERT INTO model_requests
SELECT seq, 0, time, CAST(strftime('%Y%m%d', time / 1000000000, 'unixepoch', 'localtime') AS INTEGER), conversation, turn, conversation, turn,
    json_extract(CAST(data AS TEXT), '$.model'),
    COALESCE(json_extract(CAST(data AS TEXT), '$.usage.input'), 0), COALESCE(json_extract(CAST(data AS TEXT), '$.usage.output'), 0),
    COALESCE(json_extract(CAST(data AS TEXT), '$.usage.cached'), 0), COALESCE(json_extract(CAST(data AS TEXT), '$.usage.written'), 0),
    0, NULL, '', 0
FROM events WHERE kind = 'round.ended' AND json_extract(CAST(data AS TEXT), '$.model') <> 'pilot';
INSERT INTO model_sums
SELECT 'day', day, model, '', COUNT(*), 0, 0, SUM(input), SUM(output), SUM(cached), SUM(written), 0, 0, 0, SUM(input + output)
FROM model_requests GROUP BY day, model;
INSERT INTO model_sums
SELECT 'hour', time / 1000000000 - CAST(strftime('%M', time / 1000000000, 'unixepoch', 'localtime') AS INTEGER) * 60
        - CAST(strftime('%S', time / 1000000000, 'unixepoch', 'localtime') AS INTEGER) AS hour,
    model, '', COUNT(*), 0, 0, SUM(input), SUM(output), SUM(cached), SUM(written), 0, 0, 0, SUM(input + output)
FROM model_requests GROUP BY hour, model;

-- +goose Down
DROP TABLE budgets_raised;
DROP TABLE model_sums;
DROP TABLE model_requests;
