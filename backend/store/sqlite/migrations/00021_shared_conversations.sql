-- Conversations that a person lets other programs read.
-- +goose Up
ALTER TABLE conversations ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
-- +goose Down
ALTER TABLE conversations DROP COLUMN shared;
