package kills

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"sextant/shared/event"
	"sextant/shared/wire"
)

// instance is one run of the program, from its start to its kill, with a connected window.
type instance struct {
	w        *worker
	cmd      *exec.Cmd
	stderr   bytes.Buffer
	exited   chan struct{}
	killOnce sync.Once

	url, key string
	socket   *websocket.Conn

	mu sync.Mutex
	// turnEnds counts ended turns by conversation.
	turnEnds map[string]int
}

// start starts the program.
func (w *worker) start(p plan) (*instance, error) {
	l := &instance{w: w, exited: make(chan struct{}), turnEnds: map[string]int{}}
	_ = os.Remove(w.path("token"))
	l.cmd = exec.Command(w.program, "serve", "--token-file", w.path("token"), "--allow-hosts", "127.0.0.1")
	l.cmd.Env = append(os.Environ(), w.env...)
	if len(p.env) > 0 {
		l.cmd.Env = append(l.cmd.Env, append(p.env, "LD_PRELOAD="+w.preload)...)
	}
	l.cmd.Stderr = &l.stderr
	if err := l.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	go func() {
		_ = l.cmd.Wait() // how it ended is read from its state
		close(l.exited)
	}()
	return l, nil
}

// kill ends the program as the kernel does when memory runs out.
func (l *instance) kill() {
	l.killOnce.Do(func() { _ = l.cmd.Process.Signal(syscall.SIGKILL) })
}

// waitForExit waits for the process and returns an error if it ended other than by the kill.
func (l *instance) waitForExit() error {
	<-l.exited
	if l.socket != nil {
		_ = l.socket.Close()
	}
	if status, ok := l.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() &&
		status.Signal() == syscall.SIGKILL {
		return nil
	}
	return fmt.Errorf("the program ended by itself: %v\n%s", l.cmd.ProcessState, l.stderr.String())
}

var errExited = errors.New("the program has exited")

// connect waits until the program answers, and opens the window's stream.
func (l *instance) connect() error {
	var ready struct{ URL, Window string }
	deadline := time.Now().Add(30 * time.Second)
	for {
		b, err := os.ReadFile(l.w.path("token"))
		if err == nil && json.Unmarshal(b, &ready) == nil {
			break
		}
		select {
		case <-l.exited:
			return errExited
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the program did not start within 30 s:\n%s", l.stderr.String())
		}
	}
	_, code, _ := strings.Cut(ready.Window, "#code=")
	l.url = ready.URL
	var session struct{ Token string }
	status, err := l.request(http.MethodPost, "/api/session", map[string]string{"code": code}, &session)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("exchanging the code: %d, %w", status, err)
	}
	l.key = session.Token
	if err := l.verifyEvents(); err != nil {
		return err
	}
	if left, _ := filepath.Glob(l.w.path("work/.*")); len(left) > 0 {
		l.w.faults.add("a killed write left %v, and the next start did not remove it", left)
	}
	socket, res, err := websocket.DefaultDialer.Dial(strings.Replace(l.url, "http://", "ws://", 1)+"/ws", nil)
	if err != nil {
		return fmt.Errorf("opening the stream: %w", err)
	}
	_ = res.Body.Close()
	l.socket = socket
	if err := socket.WriteJSON(wire.ClientMessage{
		V: wire.Version, Kind: "hello", Token: l.key,
		After: l.w.acks.lastEvent(),
	}); err != nil {
		return fmt.Errorf("sending hello: %w", err)
	}
	return nil
}

// verifyEvents reads the events stored since the last time and compares them with those sent.
func (l *instance) verifyEvents() error {
	var stored []event.Event
	for after := l.w.acks.verifiedUpTo(); ; {
		var page struct{ Events []event.Event }
		status, err := l.request(http.MethodGet, fmt.Sprintf("/api/events?after=%d&limit=5000", after), nil, &page)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("reading events: %d, %w", status, err)
		}
		if len(page.Events) == 0 {
			break
		}
		stored = append(stored, page.Events...)
		after = stored[len(stored)-1].Seq
	}
	for _, lost := range l.w.acks.compare(stored) {
		l.w.faults.add("%s", lost)
	}
	return nil
}

// listen records every event until the stream ends.
func (l *instance) listen() {
	for {
		var e wire.Envelope
		if l.socket.ReadJSON(&e) != nil {
			return
		}
		if e.Seq == 0 {
			continue
		}
		l.w.acks.addEvent(event.Event{
			Seq: e.Seq, Kind: event.Kind(e.Kind), Time: e.Time, Conversation: e.Conversation, Turn: e.Turn,
			Call: e.Call, Data: e.Data,
		})
		switch event.Kind(e.Kind) {
		case event.TurnEnded:
			l.mu.Lock()
			l.turnEnds[e.Conversation]++
			l.mu.Unlock()
		case event.ApprovalAsked:
			go l.approve(e.Data)
		}
		l.w.trigger.reached(e.Kind)
	}
}

func (l *instance) turnsEnded(conversation string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turnEnds[conversation]
}

// approve approves a call after 10 ms.
func (l *instance) approve(data json.RawMessage) {
	var a event.Approval
	if json.Unmarshal(data, &a) != nil {
		return
	}
	time.Sleep(10 * time.Millisecond)
	_, _ = l.request(http.MethodPost, "/api/approvals/"+a.ID, map[string]string{"answer": "once", "hash": a.Hash}, nil)
}

// request sends one HTTP request. It returns an error if the program has exited.
func (l *instance) request(method, path string, body, into any) (int, error) {
	var packed bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&packed).Encode(body); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, l.url+path, &packed)
	if err != nil {
		return 0, err
	}
	if l.key != "" {
		req.Header.Set("Authorization", "Bearer "+l.key)
	}
	res, err := l.w.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if into != nil && res.StatusCode < 300 {
		err = json.NewDecoder(res.Body).Decode(into)
	}
	return res.StatusCode, err
}

// path returns the path of a file in the worker's folder.
func (w *worker) path(name string) string { return filepath.Join(w.dir, name) }
