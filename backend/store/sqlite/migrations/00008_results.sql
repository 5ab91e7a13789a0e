-- Results that are too long to be handed out in one piece; their text is a file of the same name.
-- +goose Up
CREATE TABLE results (
    id           TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    data         BLOB NOT NULL,
    time         INTEGER NOT NULL
);
CREATE INDEX results_conversation ON results (conversation);
CREATE INDEX results_time ON results (time);

-- +goose Down
DROP TABLE results;
