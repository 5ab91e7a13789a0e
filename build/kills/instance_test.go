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
	inst := &instance{w: w, exited: make(chan struct{}), turnEnds: map[string]int{}}
	_ = os.Remove(w.path("token"))
	inst.cmd = exec.Command(w.program, "serve", "--token-file", w.path("token"), "--allow-hosts", "127.0.0.1")
	inst.cmd.Env = append(os.Environ(), w.env...)
	if len(p.env) > 0 {
		inst.cmd.Env = append(inst.cmd.Env, append(p.env, "LD_PRELOAD="+w.preload)...)
	}
	inst.cmd.Stderr = &inst.stderr
	if err := inst.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	go func() {
		_ = inst.cmd.Wait() // waitForExit reads the state
		close(inst.exited)
	}()
	return inst, nil
}

// kill ends the program with SIGKILL, as the kernel does when memory runs out.
func (inst *instance) kill() {
	inst.killOnce.Do(func() { _ = inst.cmd.Process.Signal(syscall.SIGKILL) })
}

// waitForExit waits for the process and returns an error if it ended other than by the kill.
func (inst *instance) waitForExit() error {
	<-inst.exited
	if inst.socket != nil {
		_ = inst.socket.Close()
	}
	if status, ok := inst.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() &&
		status.Signal() == syscall.SIGKILL {
		return nil
	}
	return fmt.Errorf("the program exited before the kill: %v\n%s", inst.cmd.ProcessState, inst.stderr.String())
}

var errExited = errors.New("the program has exited")

// connect waits until the program answers, and opens the window's stream.
func (inst *instance) connect() error {
	var ready struct{ URL, Window string }
	deadline := time.Now().Add(30 * time.Second)
	for {
		b, err := os.ReadFile(inst.w.path("token"))
		if err == nil && json.Unmarshal(b, &ready) == nil {
			break
		}
		select {
		case <-inst.exited:
			return errExited
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the program did not start within 30 s:\n%s", inst.stderr.String())
		}
	}
	_, code, _ := strings.Cut(ready.Window, "#code=")
	inst.url = ready.URL
	var session struct{ Token string }
	status, err := inst.request(http.MethodPost, "/api/session", map[string]string{"code": code}, &session)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("exchanging the code: %d, %w", status, err)
	}
	inst.key = session.Token
	if err := inst.verifyEvents(); err != nil {
		return err
	}
	if left, _ := filepath.Glob(inst.w.path("work/.*")); len(left) > 0 {
		inst.w.faults.add("a killed write left %v, and the next start did not remove it", left)
	}
	socket, res, err := websocket.DefaultDialer.Dial(strings.Replace(inst.url, "http://", "ws://", 1)+"/ws", nil)
	if err != nil {
		return fmt.Errorf("opening the stream: %w", err)
	}
	_ = res.Body.Close()
	inst.socket = socket
	if err := socket.WriteJSON(wire.ClientMessage{
		V: wire.Version, Kind: "hello", Token: inst.key,
		After: inst.w.acks.lastEvent(),
	}); err != nil {
		return fmt.Errorf("sending hello: %w", err)
	}
	return nil
}

// verifyEvents reads the events stored since the last time and compares them with those sent.
func (inst *instance) verifyEvents() error {
	var stored []event.Event
	for after := inst.w.acks.verifiedUpTo(); ; {
		var page struct{ Events []event.Event }
		status, err := inst.request(http.MethodGet, fmt.Sprintf("/api/events?after=%d&limit=5000", after), nil, &page)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("reading events: %d, %w", status, err)
		}
		if len(page.Events) == 0 {
			break
		}
		stored = append(stored, page.Events...)
		after = stored[len(stored)-1].Seq
	}
	for _, lost := range inst.w.acks.compare(stored) {
		inst.w.faults.add("%s", lost)
	}
	return nil
}

// readEvent reads the next event of the window's stream, false when the stream ended.
func (inst *instance) readEvent() (event.Event, bool) {
	var e wire.Envelope
	if inst.socket.ReadJSON(&e) != nil {
		return event.Event{}, false
	}
	return event.Event{
		Seq: e.Seq, Kind: event.Kind(e.Kind), Time: e.Time, Conversation: e.Conversation, Turn: e.Turn, Call: e.Call,
		Data: e.Data,
	}, true
}

// listen records every stored event until the stream ends.
func (inst *instance) listen() {
	for e, ok := inst.readEvent(); ok; e, ok = inst.readEvent() {
		if e.Seq == 0 {
			continue
		}
		inst.w.acks.addEvent(e)
		switch e.Kind {
		case event.TurnEnded:
			inst.mu.Lock()
			inst.turnEnds[e.Conversation]++
			inst.mu.Unlock()
		case event.ApprovalAsked:
			go inst.approve(e.Data)
		}
		inst.w.trigger.reached(string(e.Kind))
	}
}

func (inst *instance) turnsEnded(conversation string) int {
	inst.mu.Lock()
	defer inst.mu.Unlock()
	return inst.turnEnds[conversation]
}

// approve approves a call after 10 ms.
func (inst *instance) approve(data json.RawMessage) {
	var a event.Approval
	if json.Unmarshal(data, &a) != nil {
		return
	}
	time.Sleep(10 * time.Millisecond)
	_, _ = inst.request(
		http.MethodPost,
		"/api/approvals/"+a.ID,
		map[string]string{"answer": "once", "hash": a.Hash},
		nil,
	)
}

// request sends one HTTP request. It returns an error if the program has exited.
func (inst *instance) request(method, path string, body, into any) (int, error) {
	var packed bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&packed).Encode(body); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, inst.url+path, &packed)
	if err != nil {
		return 0, err
	}
	if inst.key != "" {
		req.Header.Set("Authorization", "Bearer "+inst.key)
	}
	res, err := inst.w.client.Do(req)
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
