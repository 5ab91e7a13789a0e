package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// pictureInput sends a person's input on the live picture.
type pictureInput struct {
	t      *testing.T
	sys    *System
	socket *websocket.Conn
}

// watchPage connects a window that watches the page.
func watchPage(t *testing.T, sys *System, window *client) *pictureInput {
	t.Helper()
	socket := dial(t, sys, strings.TrimPrefix(window.head.Get("Authorization"), "Bearer "))
	until(t, socket, "hello")
	if err := socket.WriteJSON(wire.ClientMessage{
		V: wire.Version, Kind: "live.open", Width: 1000, Height: 700,
		Scale: 1,
	}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if _, _, err := socket.ReadMessage(); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = socket.Close(); <-read })
	return &pictureInput{t, sys, socket}
}

func (p *pictureInput) send(in wire.Input) {
	p.t.Helper()
	if err := p.socket.WriteJSON(wire.ClientMessage{V: wire.Version, Kind: "input", Input: &in}); err != nil {
		p.t.Fatal(err)
	}
}

// click presses the middle of the marked element named name and returns its number.
func (p *pictureInput) click(name string) int {
	p.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		if marks := p.sys.Browser.Marks(); marks != nil && marks.Width == 1000 {
			for _, e := range marks.Elements {
				if e.Name == name {
					x, y := e.Box.X+e.Box.Width/2, e.Box.Y+e.Box.Height/2
					p.send(wire.Input{Type: "down", X: x, Y: y, Button: "left", Count: 1})
					p.send(wire.Input{Type: "up", X: x, Y: y, Button: "left", Count: 1})
					return e.ID
				}
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no mark %q", name)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (p *pictureInput) write(text string) {
	for _, r := range text {
		p.send(wire.Input{Type: "keydown", Key: string(r), Text: string(r)})
		p.send(wire.Input{Type: "keyup", Key: string(r)})
	}
}

// logged waits for a row of the log with tool and sentence.
func logged(t *testing.T, sys *System, tool, sentence string) wire.CallRow {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		rows, err := sys.Audit.List(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, row := range rows {
			if row.Tool == tool && strings.Contains(row.Sentence, sentence) {
				return row
			}
			all = append(all, row.Tool+": "+row.Sentence)
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s %q in\n%s", tool, sentence, strings.Join(all, "\n"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestPersonsInputIsRecordedAsCalls(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Form</title><body style="margin:40px"><label>Name <input></label><br><br>
			<label>Password <input type=password></label><br><br><button onclick="this.textContent='Saved'">Save</button>`)
	}))
	defer site.Close()
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	h := watchPage(t, sys, window)
	if r := window.execute("navigate_page", map[string]string{"url": site.URL}); !r.Success {
		t.Fatal(r.Error)
	}
	name := h.click("Name")
	row := logged(t, sys, "click_element", `textbox "Name"`)
	var args struct{ AnnotationID int }
	if err := json.Unmarshal(row.Args, &args); err != nil || args.AnnotationID != name ||
		row.Caller != toolspec.CallerPerson {
		t.Errorf("the click is logged as %+v", row)
	}
	h.write("Anna")
	h.send(wire.Input{Type: "keydown", Key: "Backspace"})
	typed := logged(t, sys, "type_text", "into")
	if !strings.Contains(typed.Sentence, `Typed "Ann" into`) {
		t.Errorf("typing is logged as %q", typed.Sentence)
	}
	h.click("Password")
	h.write("hunter2")
	h.send(wire.Input{Type: "keydown", Key: "Tab"})
	logged(t, sys, "press_key", "Pressed Tab")
	h.write("confidence") // nobody knows where the focus is
	h.click("Save")
	logged(t, sys, "click_element", `button "Save"`)
	h.send(wire.Input{Type: "down", X: 900, Y: 600, Button: "left", Count: 1})
	logged(t, sys, "click_at", "Clicked at 900, 600")
	rows, err := sys.Audit.List(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := json.Marshal(rows)
	for _, secret := range []string{"hunter2", "hunter", "confidence"} {
		if strings.Contains(string(all), secret) {
			t.Errorf("%q is in the log: %s", secret, all)
		}
	}
	if !strings.Contains(string(all), "Typed 7 characters into") ||
		!strings.Contains(string(all), "Typed 10 characters") {
		t.Errorf("what was typed unseen is not recorded: %s", all)
	}
}

func TestTurnContinuesAfterThePersonGivesThePageBack(t *testing.T) {
	model, err := openaitest.Start(
		openaitest.Answer{Calls: []openaitest.Call{{Name: "press_key", Args: `{"key":"Tab"}`}}},
		openaitest.Answer{Calls: []openaitest.Call{{Name: "annotate_page", Args: `{}`}}},
		openaitest.Answer{Text: "I went on."},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	if r := window.execute("navigate_page", map[string]string{"url": "demo"}); !r.Success {
		t.Fatal(r.Error)
	}
	sys.Browser.SetTakenOver(true)
	waiting := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.CallOutput}}, eventlog.FromNow)
	back := make(chan struct{})
	go func() {
		defer close(back)
		defer waiting.Close()
		for e := range waiting.C() {
			if strings.Contains(string(e.Data), "a person has taken over") {
				sys.Browser.SetTakenOver(false)
				return
			}
		}
	}()
	code, out, errs := verb(t, flags, "run", "press Tab", "--model", "openai/test", "--json")
	<-back
	var report runReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("exit %d: %v: %s %s", code, err, out, errs)
	}
	if report.Text != "I went on." || len(report.Calls) != 2 {
		t.Fatalf("report: %+v", report)
	}
	if first := report.Calls[0]; first.ErrorType != toolspec.PermissionError ||
		!strings.Contains(first.Error+first.Suggestion, "given it back") ||
		!strings.Contains(first.Suggestion, "annotate_page") {
		t.Errorf("the call that met the person: %+v", first)
	}
}

// TestBusyPageHoldsUpOnlyItsInput sends input to a page that is busy for a while. The window's other messages are
// answered meanwhile, and the turns of the wheel that waited reach the page as one.
func TestBusyPageHoldsUpOnlyItsInput(t *testing.T) {
	wheel := make(chan string, 100)
	busy := make(chan bool, 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy":
			busy <- true
		case "/wheel":
			wheel <- r.URL.RawQuery
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<title>Busy</title><body style="height:9000px"><script>
				addEventListener('mousedown', () => {
					for (const end = performance.now() + 3000; performance.now() < end;);
					fetch('/busy');
				});
				addEventListener('wheel', (e) => fetch('/wheel?' + e.deltaY), { passive: false });</script>`)
		}
	}))
	defer site.Close()
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	if r := window.execute("navigate_page", map[string]string{"url": site.URL}); !r.Success {
		t.Fatal(r.Error)
	}
	socket := dial(t, sys, strings.TrimPrefix(window.head.Get("Authorization"), "Bearer "))
	until(t, socket, "hello")
	p := &pictureInput{t, sys, socket}
	p.send(wire.Input{Type: "down", X: 50, Y: 50, Button: "left", Count: 1})
	for range 20 {
		p.send(wire.Input{Type: "wheel", X: 50, Y: 50, DY: 10})
	}
	if err := socket.WriteJSON(wire.ClientMessage{V: wire.Version, Kind: "nonsense"}); err != nil {
		t.Fatal(err)
	}
	until(t, socket, "error")
	select {
	case <-busy:
		t.Error("the answer came only after the page was no longer busy")
	default:
	}
	if got := <-wheel; got != "200" {
		t.Errorf("the first turn of the wheel that reached the page is %s, want all 200 pixels", got)
	}
}
