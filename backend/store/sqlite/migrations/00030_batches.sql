-- +goose Up
-- Recipes that run once for each row of a table. data is a batch.Batch.
CREATE TABLE batches (
    id   TEXT PRIMARY KEY,
    data BLOB NOT NULL
);
-- data is a batch.Row.
CREATE TABLE batch_rows (
    batch  TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    status TEXT NOT NULL,
    data   BLOB NOT NULL,
    PRIMARY KEY (batch, number)
) WITHOUT ROWID;
CREATE INDEX batch_rows_status ON batch_rows (batch, status, number);

-- +goose Down
DROP TABLE batch_rows;
DROP TABLE batches;
