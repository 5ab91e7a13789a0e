-- Pages that were kept in the browser panel.
-- +goose Up
CREATE TABLE bookmarks (
    url   TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    note  TEXT NOT NULL,
    time  INTEGER NOT NULL
);
-- +goose Down
DROP TABLE bookmarks;
