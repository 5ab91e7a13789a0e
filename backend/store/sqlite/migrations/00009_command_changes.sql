-- What commands did to files: kinds and modes before and after, and commands that run.
-- +goose Up
ALTER TABLE file_changes ADD COLUMN after_mode INTEGER NOT NULL DEFAULT 0;
ALTER TABLE file_changes ADD COLUMN note TEXT NOT NULL DEFAULT '';
CREATE TABLE commands (
    call         TEXT PRIMARY KEY,
    tool         TEXT NOT NULL,
    turn         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    owner        TEXT NOT NULL,
    folder       TEXT NOT NULL,
    time         INTEGER NOT NULL
);

-- +goose Down
DROP TABLE commands;
ALTER TABLE file_changes DROP COLUMN note;
ALTER TABLE file_changes DROP COLUMN after_mode;
