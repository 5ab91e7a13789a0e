package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"sextant/shared/wire"
)

// KnownServerStore remembers facts about servers. Its methods may be called concurrently.
type KnownServerStore interface {
	// KnownServer returns the facts stored under key, the zero value for an unknown server.
	KnownServer(ctx context.Context, key string) (wire.KnownServer, error)
	// SaveKnownServer replaces the facts stored under known.Key.
	SaveKnownServer(ctx context.Context, known wire.KnownServer) error
}

const (
	// statelessRevision is the first revision of the protocol without a handshake.
	statelessRevision = "2026-07-28"
	// revisionAge is how long a remembered revision is used; after that, the server may have been updated.
	revisionAge = 7 * 24 * time.Hour
)

// key changes with the command or address, because that is another server.
func (v *server) key() string {
	sum := sha256.Sum256([]byte(v.name + "\x00" + v.entry.LocationKey()))
	return hex.EncodeToString(sum[:])
}

func (v *server) known(ctx context.Context) (wire.KnownServer, error) {
	known, err := v.owner.cfg.KnownServers.KnownServer(ctx, v.key())
	if err != nil {
		return known, fmt.Errorf("reading what is known of it: %w", err)
	}
	return known, nil
}

func (v *server) remember(ctx context.Context, change func(*wire.KnownServer)) error {
	v.memoryMu.Lock()
	defer v.memoryMu.Unlock()
	known, err := v.known(ctx)
	if err != nil {
		return err
	}
	change(&known)
	known.Key, known.Name = v.key(), v.name
	return v.owner.cfg.KnownServers.SaveKnownServer(ctx, known)
}

// rememberedRevision returns "" for the newest.
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

type volatileMemory struct {
	mu    sync.Mutex
	known map[string]wire.KnownServer
}

var _ KnownServerStore = (*volatileMemory)(nil)

// KnownServer implements KnownServerStore.
func (m *volatileMemory) KnownServer(_ context.Context, key string) (wire.KnownServer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key], nil
}

// SaveKnownServer implements KnownServerStore.
func (m *volatileMemory) SaveKnownServer(_ context.Context, known wire.KnownServer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[known.Key] = known
	return nil
}
