package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// shows is a window over a real WebSocket that answers questions about the panel it shows.
type shows struct {
	mu    sync.Mutex
	asked []wire.SurfaceRequest
}

func showing(t *testing.T, sys *System, key string, answers map[string]string) *shows {
	t.Helper()
	socket := dial(t, sys, key)
	until(t, socket, "hello")
	s := &shows{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var e wire.Envelope
			if socket.ReadJSON(&e) != nil {
				return
			}
			var ask wire.SurfaceRequest
			if e.Kind != "surface.ask" || json.Unmarshal(e.Data, &ask) != nil {
				continue
			}
			s.mu.Lock()
			s.asked = append(s.asked, ask)
			s.mu.Unlock()
			reply := &wire.SurfaceReply{ID: ask.ID, Value: json.RawMessage(answers[ask.Operation])}
			if answers[ask.Operation] == "" {
				reply.Value, reply.Error = nil, "not now"
			}
			if socket.WriteJSON(wire.ClientMessage{V: wire.Version, Kind: "surface.reply", Reply: reply}) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = socket.Close(); <-ended })
	return s
}

func (s *shows) did() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, a := range s.asked {
		all = append(all, a.Panel+":"+a.Operation)
	}
	return strings.Join(all, " ")
}

const packed = "={\"viewW\":800,\"viewH\":600,\"frames\":[]}``1~3~10~20~100~30~0~button~Measures~trail~s.x~~0"

func seenText(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"v": map[string]string{"text": packed, "doc": "d"}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOnlyTheWindowAnswersForTheActivePanelsPage(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	person := windowOf(t, sys)
	key := strings.TrimPrefix(person.head.Get("Authorization"), "Bearer ")
	answers := map[string]string{
		"see": seenText(t), "aim": `{"v":{"state":"ok","x":30,"y":30}}`, "press": `{"v":true}`,
		"awaitSettled": `{"v":{"over":true}}`,
		"html":         `{"v":"<h1>Tools</h1><p>All tools stand here.</p>"}`,
	}
	first := showing(t, sys, key, map[string]string{})
	w := showing(t, sys, key, answers)
	outsider := dial(t, sys, sys.Token()) // a program on the stream is no window
	until(t, outsider, "hello")

	if r := person.execute(sys.Nav.OpenTool("tools"), map[string]any{}); !r.Success {
		t.Fatal(r.Error)
	}
	r := person.execute("annotate_page", map[string]any{})
	if !r.Success || !strings.Contains(r.Text+textOf(t, r), "| panel:tools | v1") {
		t.Fatalf("%+v", r)
	}
	if row := logged(t, sys, "annotate_page", "Numbered the page"); !slices.Equal(row.Sources,
		[]string{"panel:tools"}) {
		t.Errorf("it is logged as read from %v", row.Sources)
	}
	if r := person.execute("click_element", map[string]any{"annotationId": 1}); !r.Success {
		t.Errorf("%+v", r)
	}
	if r := person.execute("get_page_content", map[string]any{}); !r.Success ||
		!strings.Contains(textOf(t, r), "All tools stand here") {
		t.Errorf("%+v", r)
	}
	if r := person.execute("take_screenshot", map[string]any{}); r.Success ||
		!strings.Contains(r.Error, "no picture of the panel") {
		t.Errorf("%+v", r)
	}
	if r := person.execute("get_workspace_state", map[string]any{}); !r.Success ||
		!strings.Contains(fmt.Sprint(r.Value), "operable:1 ") {
		t.Errorf("%+v", r)
	}
	if did := w.did(); !strings.Contains(did, "tools:aim tools:press tools:awaitSettled tools:see") {
		t.Errorf("the window was asked %s", did)
	}
	if did := first.did(); did != "" {
		t.Errorf("the window that nobody looks at was asked %s", did)
	}
	program := clientOf(t, sys)
	if r := program.execute("click_element", map[string]any{"annotationId": 1}); r.Success ||
		!strings.Contains(r.Error, "only the window's own assistant") {
		t.Errorf("a program pressed there: %+v", r)
	}
}

func TestUnrequestedAnswerIsDropped(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	person := windowOf(t, sys)
	socket := dial(t, sys, strings.TrimPrefix(person.head.Get("Authorization"), "Bearer "))
	until(t, socket, "hello")
	for _, m := range []wire.ClientMessage{
		{V: wire.Version, Kind: "surface.reply", Reply: &wire.SurfaceReply{ID: 77, Value: json.RawMessage(`1`)}},
		{V: wire.Version, Kind: "surface.reply"},
	} {
		if err := socket.WriteJSON(m); err != nil {
			t.Fatal(err)
		}
	}
	until(t, socket, "error") // the second one, which holds none; the first was dropped silently
	if err := socket.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"kind":"focus"}`)); err != nil {
		t.Fatal(err)
	}
	if r := person.execute("get_active_panel", map[string]any{}); !r.Success {
		t.Errorf("%+v", r)
	}
}

func textOf(t *testing.T, r toolspec.Result) string {
	t.Helper()
	b, err := json.Marshal(r.Value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
