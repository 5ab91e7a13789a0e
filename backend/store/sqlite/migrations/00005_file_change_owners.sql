-- Whose change it was, so that a program takes back only its own. What programs did before is
-- nobody's: only a person takes that back.
-- +goose Up
ALTER TABLE file_changes ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE file_changes SET owner = 'conversation ' || conversation WHERE conversation <> '';

-- +goose Down
ALTER TABLE file_changes DROP COLUMN owner;
