-- +goose Up
-- Web pages that were opened in the window's tabs. host is without "www.".
CREATE TABLE visits (
    url   TEXT PRIMARY KEY,
    host  TEXT NOT NULL,
    title TEXT NOT NULL,
    count INTEGER NOT NULL,
    time  INTEGER NOT NULL
);
CREATE INDEX visits_time ON visits (time);
CREATE INDEX visits_host ON visits (host);

-- +goose Down
DROP TABLE visits;
