-- Which grant let a call through stands in its audit row; this finds the calls of a grant.
-- +goose Up
CREATE INDEX audit_grant ON audit (json_extract(CAST(body AS TEXT), '$.grant'))
WHERE phase = 'intent' AND json_extract(CAST(body AS TEXT), '$.grant') IS NOT NULL;

-- +goose Down
DROP INDEX audit_grant;
