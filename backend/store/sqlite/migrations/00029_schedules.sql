-- +goose Up
-- Tasks that run by themselves. data is a schedule.Schedule, last_slot its newest time that was run or missed.
CREATE TABLE schedules (
    id        TEXT PRIMARY KEY,
    last_slot INTEGER NOT NULL,
    data      BLOB NOT NULL
);
-- data is a schedule.Run. slot is the time that it ran for, so that each runs once. It is NULL for a run
-- that a person started, and for times that were missed.
CREATE TABLE scheduled_runs (
    id       TEXT PRIMARY KEY,
    schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    slot     INTEGER,
    status   TEXT NOT NULL,
    queued   INTEGER NOT NULL,
    data     BLOB NOT NULL
);
CREATE UNIQUE INDEX scheduled_runs_slot ON scheduled_runs (schedule, slot);
CREATE INDEX scheduled_runs_queued ON scheduled_runs (schedule, queued);
CREATE INDEX scheduled_runs_open ON scheduled_runs (status) WHERE status IN ('queued', 'running');

-- +goose Down
DROP TABLE scheduled_runs;
DROP TABLE schedules;
