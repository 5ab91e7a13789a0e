package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeInstance is a Sextant that answers a request to join with answer.
func fakeInstance(t *testing.T, answer func(conn net.Conn)) Instance {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				answer(conn)
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-done })
	return Instance{Host: ln.Addr().String(), Token: "t"}
}

func TestJoinFailsOnEndlessResponse(t *testing.T) {
	at := fakeInstance(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n")
		for {
			if _, err := io.WriteString(conn, "X-More: "+strings.Repeat("a", 1000)+"\r\n"); err != nil {
				return
			}
		}
	})
	if conn, err := at.connect(t.Context(), JoinRequest{Client: "c", Tools: "core"}); !errors.Is(err, errTooLong) {
		t.Errorf("got %v, %v", conn, err)
	}
}

func TestJoinTimesOutOnSilentPeer(t *testing.T) {
	at := fakeInstance(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+
			protocolName+"\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn) // until the other side leaves
	})
	r := &relay{
		timeout: 50 * time.Millisecond,
		cfg:     RelayConfig{Tools: "core", Find: func(context.Context) (Instance, error) { return at, nil }},
	}
	if _, err := r.join(t.Context(), &sdk.ListToolsRequest{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	r.close()
}

// joinAs upgrades a connection to a Host by hand.
func joinAs(t *testing.T, h *JoinServer) net.Conn {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() { h.Close(); server.Close() })
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, "GET "+JoinPath+"?tools=core HTTP/1.1\r\nHost: x\r\nConnection: "+
		"Upgrade\r\nUpgrade: "+protocolName+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 12)
	if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 101" {
		t.Fatalf("%q, %v", head, err)
	}
	return conn
}

func newTestHost() *JoinServer {
	return NewJoinServer(func(context.Context, JoinRequest) (Config, func()) {
		return Config{Tools: &toolList{defs: offeredTools()}, Caller: &pipeline{}, Version: "test"}, func() {}
	})
}

func TestSilentClientIsDisconnected(t *testing.T) {
	h := newTestHost()
	h.timeout = 50 * time.Millisecond
	conn := joinAs(t, h)
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
}

func TestEndlessFirstMessageIsDisconnected(t *testing.T) {
	conn := joinAs(t, newTestHost())
	for {
		if _, err := conn.Write(bytes.Repeat([]byte{' '}, 100_000)); err != nil {
			return
		}
	}
}

// deadlineConn is a connection that records its deadline and has data to read.
type deadlineConn struct {
	net.Conn
	io.Reader
	until time.Time
}

func (c *deadlineConn) Read(b []byte) (int, error) { return c.Reader.Read(b) }

func (c *deadlineConn) SetReadDeadline(t time.Time) error {
	c.until = t
	return nil
}

func TestOnlyFirstMessageHasDeadline(t *testing.T) {
	c := &deadlineConn{Reader: iotest.OneByteReader(strings.NewReader("{}\n" + strings.Repeat(" ", 2*maxFirstMessage)))}
	in, err := awaitFirstMessage(c, bufio.NewReader(c), time.Minute)
	if err != nil || c.until.IsZero() {
		t.Fatalf("no deadline at first: %v, %v", c.until, err)
	}
	if _, err := io.ReadFull(in, make([]byte, 2)); err != nil || c.until.IsZero() {
		t.Errorf("in the middle of the message: %v, %v", c.until, err)
	}
	if n, err := io.Copy(io.Discard, in); err != nil || n != 2*maxFirstMessage+1 || !c.until.IsZero() {
		t.Errorf("after it: %d bytes, %v, %v", n, c.until, err)
	}
}
