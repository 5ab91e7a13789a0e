-- What a person set for panels; values that are sensitive are in the vault and not here.
-- +goose Up
CREATE TABLE panel_config (
    panel TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (panel, name)
);

-- +goose Down
DROP TABLE panel_config;
