-- How conversations part: what of a branch is its own stands in it, what came before it in the one
-- that after_message stands in. The branch '' is the way a conversation went at first.
-- +goose Up
CREATE TABLE branches (
    id            TEXT PRIMARY KEY,
    conversation  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    after_message TEXT NOT NULL,
    instead       TEXT NOT NULL,
    position      INTEGER NOT NULL
);
CREATE INDEX branches_conversation ON branches (conversation, position);
ALTER TABLE conversations ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN branch TEXT NOT NULL DEFAULT '';
-- A program's words open no address when they are asked again.
ALTER TABLE messages ADD COLUMN program INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE messages DROP COLUMN program;
ALTER TABLE messages DROP COLUMN branch;
ALTER TABLE conversations DROP COLUMN branch;
DROP TABLE branches;
