-- Messages that were sent while a turn ran and are not part of the conversation yet.
-- +goose Up
CREATE TABLE waiting (
    id           TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    data         BLOB NOT NULL
);
CREATE INDEX waiting_conversation ON waiting (conversation, position);

-- +goose Down
DROP TABLE waiting;
