package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"time"
)

// These bound what the other side may send first, in bytes.
const (
	// maxUpgrade bounds the response to a request to join.
	maxUpgrade = 64 << 10
	// maxFirstMessage bounds the first message of a client.
	maxFirstMessage = 1 << 20
)

var errTooLong = errors.New("the other side sends too much before its first MCP message")

// boundedConn is a connection that returns an error after left bytes.
type boundedConn struct {
	net.Conn
	left int
}

// Read implements io.Reader.
func (bc *boundedConn) Read(b []byte) (int, error) {
	if bc.left <= 0 {
		return 0, errTooLong
	}
	n, err := bc.Conn.Read(b[:min(len(b), bc.left)])
	bc.left -= n
	return n, err
}

// firstMessageConn is a client's connection. The first message must be short and come before a deadline; later
// messages have no deadline. Only one goroutine may read.
type firstMessageConn struct {
	net.Conn
	buffered *bufio.Reader
	left     int
	done     bool
}

// awaitFirstMessage sets the deadline for the first message.
func awaitFirstMessage(conn net.Conn, buffered *bufio.Reader, timeout time.Duration) (*firstMessageConn, error) {
	return &firstMessageConn{Conn: conn, buffered: buffered, left: maxFirstMessage},
		conn.SetReadDeadline(time.Now().Add(timeout))
}

// Read implements io.Reader.
func (f *firstMessageConn) Read(b []byte) (int, error) {
	n, err := f.buffered.Read(b)
	if f.done || n == 0 {
		return n, err
	}
	if bytes.IndexByte(b[:n], '\n') >= 0 {
		f.done = true
		return n, errors.Join(err, f.SetReadDeadline(time.Time{}))
	}
	if f.left -= n; f.left <= 0 {
		return n, errTooLong
	}
	return n, err
}
