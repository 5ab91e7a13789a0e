-- What the page of a panel asked the window to keep for it, as JSON.
-- +goose Up
CREATE TABLE panel_states (
    panel   TEXT PRIMARY KEY,
    state   TEXT NOT NULL,
    updated INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE panel_states;
