package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"
)

// Known is what is remembered of a server between its lives.
type Known struct {
	// Era is the revision of the protocol it speaks, "" when that is to be found out; Found is when
	// it was.
	Era   string
	Found time.Time
	// Tools are the definitions that were accepted, by the server's own names for them; nil before it
	// has been listed once.
	Tools map[string]string
}

// Memory remembers servers. The store is one. It may be called concurrently.
type Memory interface {
	// MCPServer is what is known under key, nothing of a server that was never met.
	MCPServer(ctx context.Context, key string) (Known, error)
	// KeepMCPServer replaces what is known under key.
	KeepMCPServer(ctx context.Context, key string, known Known) error
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

// known is what is remembered of the server; what cannot be read is not known.
func (v *server) known(ctx context.Context) Known {
	known, err := v.owner.cfg.Memory.MCPServer(ctx, v.key())
	if err != nil {
		v.log.Warn("what is known of the MCP server cannot be read", "error", err)
	}
	return known
}

func (v *server) remember(ctx context.Context, change func(*Known)) error {
	known := v.known(ctx)
	change(&known)
	return v.owner.cfg.Memory.KeepMCPServer(ctx, v.key(), known)
}

// era is the revision to begin with, "" for the newest.
func (v *server) era(ctx context.Context) string {
	known := v.known(ctx)
	if known.Era >= modern || time.Since(known.Found) > trusted {
		return ""
	}
	return known.Era
}

// forgetful remembers while the program runs.
type forgetful struct {
	mu    sync.Mutex
	known map[string]Known
}

func (f *forgetful) MCPServer(_ context.Context, key string) (Known, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[key], nil
}

func (f *forgetful) KeepMCPServer(_ context.Context, key string, known Known) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[key] = known
	return nil
}
