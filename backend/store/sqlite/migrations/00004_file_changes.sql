-- What tools did to files; the contents before and after are blobs.
-- +goose Up
CREATE TABLE file_changes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    tool         TEXT NOT NULL,
    call         TEXT NOT NULL,
    turn         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    path         TEXT NOT NULL,
    before       TEXT NOT NULL,
    after        TEXT NOT NULL,
    mode         INTEGER NOT NULL,
    time         INTEGER NOT NULL
);
CREATE INDEX file_changes_turn ON file_changes (turn, id);
CREATE INDEX file_changes_call ON file_changes (call, id);
CREATE INDEX file_changes_conversation ON file_changes (conversation, id);

-- +goose Down
DROP TABLE file_changes;
