package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"time"
)

// Bounds of what the other side may send before MCP begins.
const (
	// maxUpgrade bounds the response to a request to join.
	maxUpgrade = 64 << 10
	// maxHello bounds the first message of a client.
	maxHello = 1 << 20
)

var errHandshake = errors.New("the other side sends too much before its first MCP message")

// handshake is a connection that can be read up to a bound.
type handshake struct {
	net.Conn
	left int
}

// Read implements io.Reader.
func (h *handshake) Read(b []byte) (int, error) {
	if h.left <= 0 {
		return 0, errHandshake
	}
	n, err := h.Conn.Read(b[:min(len(b), h.left)])
	h.left -= n
	return n, err
}

// greeted is a client's connection: the first message must come in time and be short; then there is no
// deadline. Only one goroutine reads.
type greeted struct {
	net.Conn
	buffered *bufio.Reader
	left     int
	done     bool
}

// greet sets the deadline for the first message.
func greet(conn net.Conn, buffered *bufio.Reader, patience time.Duration) (*greeted, error) {
	return &greeted{Conn: conn, buffered: buffered, left: maxHello}, conn.SetReadDeadline(time.Now().Add(patience))
}

// Read implements io.Reader.
func (g *greeted) Read(b []byte) (int, error) {
	n, err := g.buffered.Read(b)
	if g.done || n == 0 {
		return n, err
	}
	if bytes.IndexByte(b[:n], '\n') >= 0 {
		g.done = true
		return n, errors.Join(err, g.SetReadDeadline(time.Time{}))
	}
	if g.left -= n; g.left <= 0 {
		return n, errHandshake
	}
	return n, err
}
