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

// maxWatched bounds how many terminals one window watches at once.
const maxWatched = 32

// TerminalDoor is /ws/terminals: what terminals print, and what a person types into them. Only a
// window's key opens it, for what is typed there runs as the person, outside of the sandbox. One
// connection is one window; it may watch several terminals. Safe for concurrent use.
type TerminalDoor struct {
	cfg       Config
	terminals *terminal.Terminals
	upgrader  websocket.Upgrader

	mu    sync.Mutex
	conns map[*watching]struct{}
	wait  sync.WaitGroup
	shut  bool
}

// NewTerminalDoor makes the door; of c it takes Role, Allowed and Log.
func NewTerminalDoor(c Config, terminals *terminal.Terminals) *TerminalDoor {
	d := &TerminalDoor{cfg: c, terminals: terminals, conns: map[*watching]struct{}{}}
	d.upgrader = websocket.Upgrader{
		ReadBufferSize: 16 << 10, WriteBufferSize: 64 << 10,
		CheckOrigin: func(r *http.Request) bool { return c.Allowed(r) },
	}
	return d
}

// Close ends every connection and waits for their goroutines. Terminals stay.
func (d *TerminalDoor) Close() {
	d.mu.Lock()
	d.shut = true
	for c := range d.conns {
		c.cancel()
	}
	d.mu.Unlock()
	d.wait.Wait()
}

// ServeHTTP upgrades and serves one window until it goes.
func (d *TerminalDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	socket, err := d.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &watching{
		door: d, socket: socket, ctx: ctx, cancel: cancel, out: make(chan message, 4),
		watched: map[int]*watched{},
	}
	d.mu.Lock()
	if d.shut {
		d.mu.Unlock()
		cancel()
		_ = socket.Close()
		return
	}
	d.conns[c] = struct{}{}
	d.wait.Add(1)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.conns, c)
		d.mu.Unlock()
		d.wait.Done()
	}()
	c.serve()
}

// message is one for the window: news, or output of a tab.
type message struct {
	news *wire.TerminalNews
	tab  int
	data []byte
}

// watching is one window at the door.
type watching struct {
	door   *TerminalDoor
	socket *websocket.Conn
	ctx    context.Context //nolint:containedctx // the connection's own life, ended by cancel
	cancel context.CancelFunc
	out    chan message
	tasks  sync.WaitGroup
	// watched is touched by the reading goroutine only.
	watched map[int]*watched
}

// watched is one terminal that the window watches.
type watched struct {
	watcher *terminal.Watcher
	stop    context.CancelFunc
}

func (c *watching) serve() {
	defer func() { _ = c.socket.Close() }()
	defer c.cancel()
	c.socket.SetReadLimit(readLimit)
	if err := c.hello(); err != nil {
		_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
		_ = c.socket.WriteJSON(wire.TerminalNews{
			V: wire.Version, Kind: "error", Error: err.Error(),
			Tabs: []wire.Terminal{},
		})
		_ = c.socket.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.ClosePolicyViolation, ""), time.Now().Add(time.Second))
		return
	}
	c.tasks.Go(c.write)
	c.tasks.Go(c.tell)
	stop := context.AfterFunc(c.ctx, func() { _ = c.socket.SetReadDeadline(time.Now()) })
	defer stop()
	c.read()
	c.cancel()
	c.tasks.Wait()
	for _, w := range c.watched {
		w.watcher.Close()
	}
}

// hello waits for the first message and lets only the person in.
func (c *watching) hello() error {
	var m wire.TerminalMessage
	_ = c.socket.SetReadDeadline(time.Now().Add(helloTimeout))
	if err := c.socket.ReadJSON(&m); err != nil {
		return err
	}
	if m.V != wire.Version || m.Kind != "hello" {
		return errProtocol
	}
	switch valid, window := c.door.cfg.Role(m.Token); {
	case !valid:
		return errors.New("the token is missing or wrong")
	case !window:
		return errors.New("terminals are the person's: only a window reaches them; call bash or terminal_run instead")
	}
	return nil
}

// tell sends the list of tabs whenever it changed.
func (c *watching) tell() {
	for {
		tabs, changed := c.door.terminals.List()
		if !c.send(message{news: &wire.TerminalNews{Kind: "tabs", Tabs: tabs}}) {
			return
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *watching) send(m message) bool {
	select {
	case c.out <- m:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// write is the only writer of the socket.
func (c *watching) write() {
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
			if m.news != nil {
				m.news.V = wire.Version
				if m.news.Tabs == nil {
					m.news.Tabs = []wire.Terminal{}
				}
				err = c.socket.WriteJSON(m.news)
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

// read does what the window asks until it goes.
func (c *watching) read() {
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
			err = c.typed(data)
		} else {
			err = c.asked(data)
		}
		if err != nil && !c.send(message{news: &wire.TerminalNews{Kind: "error", Error: err.Error()}}) {
			return
		}
	}
}

// typed hands what was typed to its tab.
func (c *watching) typed(data []byte) error {
	if len(data) < 4 {
		return errProtocol
	}
	tab, ok := c.door.terminals.Find(int(binary.BigEndian.Uint32(data)))
	if !ok {
		return fmt.Errorf("there is no such terminal any more")
	}
	return tab.Type(data[4:])
}

func (c *watching) watch(number int) error {
	tab, ok := c.door.terminals.Find(number)
	if !ok {
		return fmt.Errorf("there is no such terminal any more")
	}
	if len(c.watched) >= maxWatched {
		return fmt.Errorf("a window watches %d terminals at most", maxWatched)
	}
	c.leave(number)
	watcher, replay := tab.Watch()
	ctx, stop := context.WithCancel(c.ctx)
	c.watched[number] = &watched{watcher: watcher, stop: stop}
	c.tasks.Go(func() {
		if !c.send(message{news: &wire.TerminalNews{Kind: "watching", Tab: number, Bytes: replay}}) {
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

func (c *watching) leave(number int) {
	if w, ok := c.watched[number]; ok {
		w.stop()
		w.watcher.Close()
		delete(c.watched, number)
	}
}
