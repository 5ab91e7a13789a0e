-- +goose Up
-- Origins that the pages of an MCP server may reach, as the person said: a JSON array.
ALTER TABLE known_servers ADD COLUMN domains TEXT NOT NULL DEFAULT 'null';
-- +goose Down
ALTER TABLE known_servers DROP COLUMN domains;
