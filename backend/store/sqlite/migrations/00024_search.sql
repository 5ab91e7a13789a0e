-- The full-text index of messages. It has no copy of their text. tags contains what the filters of search compare.
-- +goose Up
CREATE VIRTUAL TABLE search_index USING fts5(
    text, tags, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2", prefix='2 3'
);
-- id is the row in search_index: the message's time in milliseconds, or the next free number.
CREATE TABLE search_rows (
    id      INTEGER PRIMARY KEY,
    message TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE
);
-- +goose StatementBegin
CREATE TRIGGER search_rows_deleted AFTER DELETE ON search_rows BEGIN
    DELETE FROM search_index WHERE rowid = old.id;
END;
-- +goose StatementEnd
-- Older messages, up to this rowid, are indexed in the background.
CREATE TABLE search_backlog (upto INTEGER NOT NULL);
INSERT INTO search_backlog SELECT COALESCE(MAX(rowid), 0) FROM messages;

-- +goose Down
DROP TABLE search_backlog;
DROP TABLE search_rows;
DROP TABLE search_index;
