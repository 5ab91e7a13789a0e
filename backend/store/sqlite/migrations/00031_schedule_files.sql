-- +goose Up
-- The files of the folder of a schedule for which a run was added, or that were there before. stamp changes with the file.
CREATE TABLE schedule_files (
    schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    stamp    TEXT NOT NULL,
    PRIMARY KEY (schedule, name)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE schedule_files;
