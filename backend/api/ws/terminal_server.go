package ws

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"sextant/panels/terminal"
	"sextant/shared/wire"
)

var errNoTerminal = errors.New("this terminal no longer exists")

const maxWatched = 32

// TerminalServer serves /ws/terminals: the output of terminals and the person's input. Only a window may connect,
// because what is typed there runs as the person, outside the sandbox. Its methods may be called concurrently.
type TerminalServer struct {
	cfg       Config
	terminals *terminal.Terminals
	upgrader  websocket.Upgrader

	mu     sync.Mutex
	conns  map[*terminalConn]struct{}
	wait   sync.WaitGroup
	closed bool
}

// NewTerminalServer makes a TerminalServer. It uses CheckKey and Allowed of c.
func NewTerminalServer(c Config, terminals *terminal.Terminals) *TerminalServer {
	s := &TerminalServer{cfg: c, terminals: terminals, conns: map[*terminalConn]struct{}{}}
	s.upgrader = websocket.Upgrader{
		ReadBufferSize: 16 << 10, WriteBufferSize: 64 << 10,
		CheckOrigin: func(r *http.Request) bool { return c.Allowed(r) },
	}
	return s
}

// Close ends every connection and waits for its goroutines. Terminals keep running.
func (s *TerminalServer) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.cancel()
	}
	s.mu.Unlock()
	s.wait.Wait()
}

// ServeHTTP upgrades a request and serves the window until it disconnects.
func (s *TerminalServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	socket, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &terminalConn{
		server: s, socket: socket, ctx: ctx, cancel: cancel, out: make(chan message, 4),
		watched: map[int]*watchedTerminal{},
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		cancel()
		_ = socket.Close()
		return
	}
	s.conns[c] = struct{}{}
	s.wait.Add(1)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		s.wait.Done()
	}()
	c.serve()
}

type message struct {
	update *wire.TerminalUpdate
	tab    int
	data   []byte
}

type terminalConn struct {
	server *TerminalServer
	socket *websocket.Conn
	ctx    context.Context //nolint:containedctx // the connection's lifetime, ended by cancel
	cancel context.CancelFunc
	out    chan message
	tasks  sync.WaitGroup
	// watched belongs to the reading goroutine.
	watched map[int]*watchedTerminal
}

type watchedTerminal struct {
	watcher *terminal.Watcher
	stop    context.CancelFunc
}

func (c *terminalConn) serve() {
	defer func() { _ = c.socket.Close() }()
	defer c.cancel()
	c.socket.SetReadLimit(readLimit)
	if err := c.hello(); err != nil {
		_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
		_ = c.socket.WriteJSON(wire.TerminalUpdate{
			V: wire.Version, Kind: "error", Error: err.Error(),
			Tabs: []wire.Terminal{},
		})
		_ = c.socket.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.ClosePolicyViolation, ""), time.Now().Add(time.Second))
		return
	}
	c.tasks.Go(c.write)
	c.tasks.Go(c.sendTabs)
	stop := context.AfterFunc(c.ctx, func() { _ = c.socket.SetReadDeadline(time.Now()) })
	defer stop()
	c.read()
	c.cancel()
	c.tasks.Wait()
	for _, w := range c.watched {
		w.watcher.Close()
	}
}

func (c *terminalConn) hello() error {
	var m wire.TerminalMessage
	_ = c.socket.SetReadDeadline(time.Now().Add(helloTimeout))
	if err := c.socket.ReadJSON(&m); err != nil {
		return err
	}
	if m.V != wire.Version || m.Kind != "hello" {
		return errProtocol
	}
	switch valid, window := c.server.cfg.CheckKey(m.Token); {
	case !valid:
		return errors.New("the token is missing or wrong")
	case !window:
		return errors.New("only a window may use terminals; call bash or terminal_run instead")
	}
	return nil
}

func (c *terminalConn) sendTabs() {
	for {
		tabs, changed := c.server.terminals.List()
		if !c.send(message{update: &wire.TerminalUpdate{Kind: "tabs", Tabs: tabs}}) {
			return
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *terminalConn) send(m message) bool {
	select {
	case c.out <- m:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// write is the only writer of the socket after hello.
func (c *terminalConn) write() {
	defer c.cancel()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case <-c.ctx.Done():
			return
		case m := <-c.out:
			_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
			if m.update != nil {
				m.update.V = wire.Version
				if m.update.Tabs == nil {
					m.update.Tabs = []wire.Terminal{}
				}
				err = c.socket.WriteJSON(m.update)
			} else {
				err = c.socket.WriteMessage(websocket.BinaryMessage,
					append(binary.BigEndian.AppendUint32(nil, uint32(m.tab)),
						m.data...)) //nolint:gosec // a small number
			}
		case <-ping.C:
			err = c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
		}
		if err != nil {
			return
		}
	}
}

func (c *terminalConn) read() {
	alive := func(string) error { return c.socket.SetReadDeadline(time.Now().Add(pongTimeout)) }
	c.socket.SetPongHandler(alive)
	_ = alive("")
	for c.ctx.Err() == nil {
		kind, data, err := c.socket.ReadMessage()
		if err != nil {
			return
		}
		_ = alive("")
		if kind == websocket.BinaryMessage {
			err = c.handleInput(data)
		} else {
			err = c.handleMessage(data)
		}
		if err != nil && !c.send(message{update: &wire.TerminalUpdate{Kind: "error", Error: err.Error()}}) {
			return
		}
	}
}

func (c *terminalConn) handleInput(data []byte) error {
	if len(data) < 4 {
		return errProtocol
	}
	tab, ok := c.server.terminals.Find(int(binary.BigEndian.Uint32(data)))
	if !ok {
		return errNoTerminal
	}
	return tab.WriteInput(data[4:])
}

func (c *terminalConn) watch(number int) error {
	tab, ok := c.server.terminals.Find(number)
	if !ok {
		return errNoTerminal
	}
	if len(c.watched) >= maxWatched {
		return fmt.Errorf("a window watches %d terminals at most", maxWatched)
	}
	c.unwatch(number)
	watcher, replay := tab.Watch()
	ctx, stop := context.WithCancel(c.ctx)
	c.watched[number] = &watchedTerminal{watcher: watcher, stop: stop}
	c.tasks.Go(func() {
		if !c.send(message{update: &wire.TerminalUpdate{Kind: "watching", Tab: number, Bytes: replay}}) {
			return
		}
		for {
			data, err := watcher.Next(ctx)
			if err != nil || !c.send(message{tab: number, data: data}) {
				return
			}
		}
	})
	return nil
}

func (c *terminalConn) unwatch(number int) {
	if w, ok := c.watched[number]; ok {
		w.stop()
		w.watcher.Close()
		delete(c.watched, number)
	}
}
