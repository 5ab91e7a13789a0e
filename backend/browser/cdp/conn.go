package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	rodcdp "github.com/go-rod/rod/lib/cdp"
)

// ErrClosed is the error of calls when the connection to the browser has ended.
var ErrClosed = errors.New("the browser's connection has ended")

// Event is an event of the protocol.
type Event struct {
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
}

// Conn is a protocol connection over one transport. One goroutine handles all messages in order: when a call returns,
// every event that the browser sent before its response has been handled. Waiting for the effects of an action
// depends on that; rod's client delivers events separately. All methods may be called concurrently.
type Conn struct {
	ws      rodcdp.WebSocketable
	onEvent func(Event)

	mu      sync.Mutex
	last    int
	pending map[int]func(json.RawMessage, error)
	out     [][]byte
	wake    chan struct{}
	closed  bool

	// heard is when the last message came, in nanoseconds since start.
	start time.Time
	heard atomic.Int64
	done  chan struct{}
	wg    sync.WaitGroup
}

// NewConn starts a connection over ws. The reading goroutine calls onEvent, which must neither block nor wait for a
// call; it may Post.
func NewConn(ws rodcdp.WebSocketable, onEvent func(Event)) *Conn {
	c := &Conn{
		ws: ws, onEvent: onEvent, start: time.Now(),
		pending: map[int]func(json.RawMessage, error){},
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	c.wg.Add(2)
	go c.read()
	go c.write()
	return c
}

// Silence returns how long ago the last message came, or the connection began.
func (c *Conn) Silence() time.Duration { return time.Since(c.start) - time.Duration(c.heard.Load()) }

// Done returns a channel that is closed when the connection has ended. Its goroutines may still run: see Wait.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Wait returns when all goroutines of the connection have ended. The owner must close the transport first.
func (c *Conn) Wait() { c.wg.Wait() }

// Post sends a call without waiting. The reading goroutine calls reply (nil for none), or Post itself does when the
// call cannot be sent; reply must not block.
func (c *Conn) Post(session, method string, params any, reply func(json.RawMessage, error)) {
	c.post(session, method, params, reply)
}

func (c *Conn) post(session, method string, params any, reply func(json.RawMessage, error)) int {
	fail := func(err error) {
		if reply != nil {
			reply(nil, err)
		}
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		fail(ErrClosed)
		return 0
	}
	c.last++
	id := c.last
	data, err := json.Marshal(rodcdp.Request{ID: id, SessionID: session, Method: method, Params: params})
	if err != nil {
		c.mu.Unlock()
		fail(fmt.Errorf("encoding %s: %w", method, err))
		return 0
	}
	if reply != nil {
		c.pending[id] = reply
	}
	c.out = append(c.out, data)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return id
}

// Call sends a call and waits for its response. An error of the protocol has a *rodcdp.Error in its chain.
func (c *Conn) Call(ctx context.Context, session, method string, params any) (json.RawMessage, error) {
	return c.callUntil(ctx, nil, session, method, params)
}

func (c *Conn) callUntil(
	ctx context.Context, gone <-chan struct{}, session, method string, params any,
) (json.RawMessage, error) {
	type answer struct {
		result json.RawMessage
		err    error
	}
	got := make(chan answer, 1)
	id := c.post(session, method, params, func(r json.RawMessage, err error) { got <- answer{r, err} })
	select {
	case a := <-got:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", method, a.err)
		}
		return a.result, nil
	case <-ctx.Done():
		c.drop(id)
		return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-gone:
		c.drop(id)
		return nil, ErrReplaced
	}
}

func (c *Conn) drop(id int) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
}

func (c *Conn) write() {
	defer c.wg.Done()
	for {
		select {
		case <-c.done:
			return
		case <-c.wake:
		}
		c.mu.Lock()
		batch := c.out
		c.out = nil
		c.mu.Unlock()
		for _, data := range batch {
			if err := c.ws.Send(data); err != nil {
				return
			}
		}
	}
}

func (c *Conn) read() {
	defer c.wg.Done()
	defer c.end()
	for {
		data, err := c.ws.Read()
		if err != nil {
			return
		}
		c.heard.Store(int64(time.Since(c.start)))
		if id, result, ok := splitAnswer(data); ok {
			if reply := c.take(id); reply != nil {
				reply(result, nil)
			}
			continue
		}
		var head struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *rodcdp.Error   `json:"error"`
			Event
		}
		if err := json.Unmarshal(data, &head); err != nil {
			continue
		}
		if head.ID == 0 {
			c.onEvent(head.Event)
			continue
		}
		reply := c.take(head.ID)
		switch {
		case reply == nil:
		case head.Error != nil:
			reply(nil, head.Error)
		default:
			reply(head.Result, nil)
		}
	}
}

func (c *Conn) take(id int) func(json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply := c.pending[id]
	delete(c.pending, id)
	return reply
}

func (c *Conn) end() {
	c.mu.Lock()
	c.closed = true
	left := c.pending
	c.pending = map[int]func(json.RawMessage, error){}
	c.mu.Unlock()
	close(c.done)
	for _, reply := range left {
		reply(nil, ErrClosed)
	}
}

// Decode decodes the JSON answer of a script or call.
func Decode[T any](raw json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("reading the page's answer: %w", err)
	}
	return v, nil
}

// DecodeEvent decodes the parameters of an event, false when they have another form.
func DecodeEvent[T any](e Event) (T, bool) {
	var v T
	return v, json.Unmarshal(e.Params, &v) == nil
}

type sessionClient struct {
	ctx     context.Context
	conn    *Conn
	session string
}

func (s sessionClient) GetContext() context.Context { return s.ctx }

func (s sessionClient) Call(ctx context.Context, _, method string, params any) ([]byte, error) {
	return s.conn.Call(ctx, s.session, method, params)
}
