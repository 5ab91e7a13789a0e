-- Tools made of others. Every version stays; the current one is offered.
-- +goose Up
CREATE TABLE created_tools (
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    current INTEGER NOT NULL,
    asleep  INTEGER NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (name, version)
);

-- +goose Down
DROP TABLE created_tools;
