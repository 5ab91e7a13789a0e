-- +goose Up
-- Recipes that run once for each row of a table. data is a batch.Batch.
CREATE TABLE sextant_batches (
    id    text PRIMARY KEY,
    added bigint GENERATED ALWAYS AS IDENTITY,
    data  json NOT NULL
);
-- data is a batch.Row. A running row belongs to the worker that made the claim until lease, which the worker renews.
CREATE TABLE sextant_batch_rows (
    batch  text NOT NULL REFERENCES sextant_batches (id) ON DELETE CASCADE,
    number integer NOT NULL,
    status text NOT NULL,
    hosts  text[] NOT NULL,
    claim  text NOT NULL DEFAULT '',
    lease  timestamptz,
    data   json NOT NULL,
    PRIMARY KEY (batch, number)
);
CREATE INDEX sextant_batch_rows_status ON sextant_batch_rows (batch, status, number);
CREATE INDEX sextant_batch_rows_lease ON sextant_batch_rows (lease) WHERE status = 'running';
-- The audit chains of the workers, each in the order of seq.
CREATE TABLE sextant_audit (
    worker    text NOT NULL,
    seq       bigint NOT NULL,
    call      text NOT NULL,
    phase     text NOT NULL,
    time      bigint NOT NULL,
    body      bytea NOT NULL,
    prev_hash text NOT NULL,
    hash      text NOT NULL,
    PRIMARY KEY (worker, seq)
);

-- +goose Down
DROP TABLE sextant_audit;
DROP TABLE sextant_batch_rows;
DROP TABLE sextant_batches;
