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

// Memory remembers servers. The store is one. It may be called concurrently.
type Memory interface {
	// KnownServer is what is known under key, nothing of a server that was never met.
	KnownServer(ctx context.Context, key string) (wire.KnownServer, error)
	// SaveKnownServer replaces what is known under the key in it.
	SaveKnownServer(ctx context.Context, known wire.KnownServer) error
}

const (
	// modern is the first revision that needs no handshake.
	modern = "2026-07-28"
	// trusted is how long the era of an older server is believed: then it may have been updated.
	trusted = 7 * 24 * time.Hour
)

// key is what a server is remembered under: another command or address is another server.
func (v *server) key() string {
	sum := sha256.Sum256([]byte(v.name + "\x00" + v.entry.place()))
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

func (v *server) remember(ctx context.Context, change func(*wire.KnownServer)) error {
	v.memo.Lock()
	defer v.memo.Unlock()
	known, err := v.known(ctx)
	if err != nil {
		return err
	}
	change(&known)
	known.Key, known.Name = v.key(), v.name
	return v.owner.cfg.Memory.SaveKnownServer(ctx, known)
}

// era is the revision to begin with, "" for the newest.
func (v *server) era(ctx context.Context) string {
	known, err := v.known(ctx)
	if err != nil {
		v.log.Warn("an MCP server's revision is found out anew", "error", err)
	}
	if known.Era >= modern || time.Since(known.Found) > trusted {
		return ""
	}
	return known.Era
}

// forgetful remembers while the program runs.
type forgetful struct {
	mu    sync.Mutex
	known map[string]wire.KnownServer
}

func (f *forgetful) KnownServer(_ context.Context, key string) (wire.KnownServer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[key], nil
}

func (f *forgetful) SaveKnownServer(_ context.Context, known wire.KnownServer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[known.Key] = known
	return nil
}
