-- What of panels a person has taken over, which panels are pinned, and calls of their tools that
-- can be taken back.
-- +goose Up
CREATE TABLE accepted_panels (
    panel    TEXT PRIMARY KEY,
    hash     TEXT NOT NULL,
    manifest TEXT NOT NULL,
    tools    TEXT NOT NULL,
    declined TEXT NOT NULL,
    time     INTEGER NOT NULL
);
CREATE TABLE pinned_panels (
    panel TEXT PRIMARY KEY,
    time  INTEGER NOT NULL
);
CREATE TABLE panel_undos (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    call         TEXT NOT NULL,
    turn         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    owner        TEXT NOT NULL,
    panel        TEXT NOT NULL,
    tool         TEXT NOT NULL,
    did          TEXT NOT NULL,
    method       TEXT NOT NULL,
    path         TEXT NOT NULL,
    body         TEXT NOT NULL,
    state        TEXT NOT NULL,
    why          TEXT NOT NULL,
    time         INTEGER NOT NULL
);
CREATE UNIQUE INDEX panel_undos_call ON panel_undos (call);
CREATE INDEX panel_undos_turn ON panel_undos (turn, id);
CREATE INDEX panel_undos_conversation ON panel_undos (conversation, id);

-- +goose Down
DROP TABLE panel_undos;
DROP TABLE pinned_panels;
DROP TABLE accepted_panels;
