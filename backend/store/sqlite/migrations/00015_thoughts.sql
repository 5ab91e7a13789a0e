-- What a model thought before its calls, which some services want back with the results.
-- +goose Up
ALTER TABLE messages ADD COLUMN thought TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN thought;
