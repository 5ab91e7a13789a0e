package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"time"
)

const (
	maxUpgrade      = 64 << 10
	maxFirstMessage = 1 << 20
)

var errTooLong = errors.New("the other side sends too much before its first MCP message")

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

// firstMessageConn bounds a client's first message in size and time. Only one goroutine may read.
type firstMessageConn struct {
	net.Conn
	buffered *bufio.Reader
	left     int
	done     bool
}

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
