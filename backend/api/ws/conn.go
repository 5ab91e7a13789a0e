package ws

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/browser"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
	"sextant/shared/wire"
)

var errProtocol = errors.New("unexpected message")

type conn struct {
	hub    *Hub
	socket *websocket.Conn
	ctx    context.Context //nolint:containedctx // the connection's lifetime, ended by cancel
	cancel context.CancelFunc
	out    chan wire.Envelope
	// window is true if the client acts for the person; hello sets it.
	window bool
	// replaceLive passes a new live view, or nil, to the writing goroutine.
	replaceLive chan *browser.LiveReader
	inputs      inputQueue

	mu   sync.Mutex
	live *browser.LiveReader
	// session is the one that live shows, "" for the window's.
	session   string
	pending   map[int64]chan wire.SurfaceReply
	lastFocus int64
	// inFront is true while the window has the focus.
	inFront bool
}

func (c *conn) serve() {
	defer func() { _ = c.socket.Close() }()
	defer c.cancel()
	hello, err := c.hello()
	if err != nil {
		c.refuse(err)
		return
	}
	if c.window {
		c.hub.windows.Add(1)
		defer c.hub.windows.Add(-1)
		c.noteFocus(false)
	}
	sub := c.hub.cfg.Events.Subscribe(eventlog.Filter{}, hello.After)
	defer sub.Close()
	defer c.closeLive()

	writer := make(chan struct{})
	go func() {
		defer close(writer)
		defer c.cancel()
		c.write(sub)
	}()
	stop := context.AfterFunc(c.ctx, func() { _ = c.socket.SetReadDeadline(time.Now()) })
	defer stop()
	passer := make(chan struct{})
	go func() {
		defer close(passer)
		c.passInput()
	}()
	c.read()
	c.cancel()
	<-passer
	<-writer
}

func (c *conn) hello() (wire.ClientMessage, error) {
	var m wire.ClientMessage
	c.socket.SetReadLimit(readLimit)
	_ = c.socket.SetReadDeadline(time.Now().Add(helloTimeout))
	if err := c.socket.ReadJSON(&m); err != nil {
		return m, err
	}
	if m.V != wire.Version || m.Kind != "hello" {
		return m, errProtocol
	}
	valid, window := c.hub.cfg.CheckKey(m.Token)
	if !valid {
		return m, errors.New("the token is missing or wrong")
	}
	c.window = window
	return m, nil
}

func (c *conn) refuse(err error) {
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
	_ = c.socket.WriteJSON(envelope("error", wire.Problem{Error: err.Error()}))
	_ = c.socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, ""),
		time.Now().Add(time.Second))
}

// write is the only writer of the socket after hello.
func (c *conn) write(sub *eventlog.Subscription) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	if c.send(envelope("hello", wire.Hello{Seq: c.hub.cfg.Events.LastSeq(), Version: c.hub.cfg.Version})) != nil {
		return
	}
	// A new window gets the current state of the browser; changes follow as events.
	_ = c.send(fromEvent(event.New(event.BrowserChanged, c.hub.cfg.Browser.State())))
	var frames <-chan browser.LiveFrame
	for {
		var err error
		select {
		case <-c.ctx.Done():
			return
		case ev, ok := <-sub.C():
			if !ok {
				return
			}
			err = c.send(fromEvent(ev))
		case m := <-c.out:
			err = c.send(m)
		case live := <-c.replaceLive:
			frames = nil
			if live != nil {
				frames = live.Frames()
			}
		case f, ok := <-frames:
			if !ok {
				frames = nil
				continue
			}
			err = c.sendFrame(f)
		case <-ping.C:
			err = c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
		}
		if err != nil {
			return
		}
	}
}

func fromEvent(e event.Event) wire.Envelope {
	return wire.Envelope{
		V: wire.Version, Seq: e.Seq, Kind: string(e.Kind), Time: e.Time,
		Conversation: e.Conversation, Turn: e.Turn, Call: e.Call, Data: e.Data,
	}
}

func (c *conn) send(m wire.Envelope) error {
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
	return c.socket.WriteJSON(m)
}

// sendFrame writes the length of the header (big-endian), the header and the picture as one binary message.
func (c *conn) sendFrame(f browser.LiveFrame) error {
	header, err := json.Marshal(f.Header)
	if err != nil {
		return err
	}
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout))
	w, err := c.socket.NextWriter(websocket.BinaryMessage)
	if err != nil {
		return err
	}
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(header))) //nolint:gosec // a header is a few hundred bytes
	for _, part := range [][]byte{size[:], header, f.JPEG} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

func (c *conn) read() {
	alive := func(string) error { return c.socket.SetReadDeadline(time.Now().Add(pongTimeout)) }
	c.socket.SetPongHandler(alive)
	_ = alive("")
	for c.ctx.Err() == nil {
		var m wire.ClientMessage
		if err := c.socket.ReadJSON(&m); err != nil {
			return
		}
		_ = alive("")
		if err := c.handle(m); err != nil {
			c.report(err)
		}
	}
}

// report sends an error to the client.
func (c *conn) report(err error) {
	select {
	case c.out <- envelope("error", wire.Problem{Error: err.Error()}):
	case <-c.ctx.Done():
	}
}
