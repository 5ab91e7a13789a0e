-- How a person files conversations.
-- +goose Up
ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversations DROP COLUMN folder;
ALTER TABLE conversations DROP COLUMN archived;
ALTER TABLE conversations DROP COLUMN pinned;
