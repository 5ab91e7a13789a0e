package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"sextant/shared/wire"
)

// KnownServerStore remembers servers; the store implements it. It may be called concurrently.
type KnownServerStore interface {
	// KnownServer is what is known under key; the zero value for a server that was never met.
	KnownServer(ctx context.Context, key string) (wire.KnownServer, error)
	// SaveKnownServer replaces what is known under the key in it.
	SaveKnownServer(ctx context.Context, known wire.KnownServer) error
}

const (
	// statelessRevision is the first revision of the protocol without a handshake.
	statelessRevision = "2026-07-28"
	// revisionAge is how long the revision of an older server is believed; then it may have been updated.
	revisionAge = 7 * 24 * time.Hour
)

// key is what a server is remembered under: another command or address is another server.
func (v *server) key() string {
	sum := sha256.Sum256([]byte(v.name + "\x00" + v.entry.Location()))
	return hex.EncodeToString(sum[:])
}

// known is what is remembered of the server.
func (v *server) known(ctx context.Context) (wire.KnownServer, error) {
	known, err := v.owner.cfg.Memory.KnownServer(ctx, v.key())
	if err != nil {
		return known, fmt.Errorf("reading what is known of it: %w", err)
	}
	return known, nil
}

// remember changes what is remembered.
func (v *server) remember(ctx context.Context, change func(*wire.KnownServer)) error {
	v.memoryMu.Lock()
	defer v.memoryMu.Unlock()
	known, err := v.known(ctx)
	if err != nil {
		return err
	}
	change(&known)
	known.Key, known.Name = v.key(), v.name
	return v.owner.cfg.Memory.SaveKnownServer(ctx, known)
}

// rememberedRevision is the revision of the protocol to begin with, "" for the newest.
func (v *server) rememberedRevision(ctx context.Context) string {
	known, err := v.known(ctx)
	if err != nil {
		v.log.Warn("the protocol revision of an MCP server is not known and is found out again", "err", err)
	}
	if known.Revision >= statelessRevision || time.Since(known.Probed) > revisionAge {
		return ""
	}
	return known.Revision
}

// volatileMemory remembers while the program runs.
type volatileMemory struct {
	mu    sync.Mutex
	known map[string]wire.KnownServer
}

var _ KnownServerStore = (*volatileMemory)(nil)

// KnownServer implements Memory.
func (m *volatileMemory) KnownServer(_ context.Context, key string) (wire.KnownServer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key], nil
}

// SaveKnownServer implements Memory.
func (m *volatileMemory) SaveKnownServer(_ context.Context, known wire.KnownServer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[known.Key] = known
	return nil
}
