-- What was learned of MCP servers: the revision they speak, and the tools a person knows.
-- +goose Up
CREATE TABLE known_servers (
    key   TEXT PRIMARY KEY,
    name  TEXT NOT NULL,
    era   TEXT NOT NULL,
    found INTEGER NOT NULL,
    tools TEXT NOT NULL,
    time  INTEGER NOT NULL
);
-- +goose Down
DROP TABLE known_servers;
