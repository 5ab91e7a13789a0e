-- +goose Up
-- The private sources of a message's text as JSON: files, commands, pages where the person is signed in.
ALTER TABLE messages ADD COLUMN private TEXT;

-- +goose Down
ALTER TABLE messages DROP COLUMN private;
