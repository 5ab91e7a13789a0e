-- +goose Up
-- Files of a message as JSON: the file that it attaches, or the pictures of a result.
ALTER TABLE messages ADD COLUMN files TEXT;

-- +goose Down
ALTER TABLE messages DROP COLUMN files;
