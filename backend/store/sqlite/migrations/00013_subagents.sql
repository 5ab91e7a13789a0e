-- Whose task a conversation is, when it is the talk of a subagent.
-- +goose Up
ALTER TABLE conversations ADD COLUMN parent TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN parent_call TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_parent ON conversations (parent) WHERE parent <> '';

-- +goose Down
DROP INDEX conversations_parent;
ALTER TABLE conversations DROP COLUMN parent_call;
ALTER TABLE conversations DROP COLUMN parent;
