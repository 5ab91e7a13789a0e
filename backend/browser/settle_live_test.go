package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/surface"
)

// serveEvents sends a server-sent event now and then, until its page leaves.
func serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for n := 0; ; n++ {
		if _, err := w.Write([]byte("data: " + strings.Repeat("x", n%3+1) + "\n\n")); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// serveWebSocket sends a WebSocket message now and then, until its page leaves.
func serveWebSocket(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		if conn.WriteMessage(websocket.TextMessage, []byte("hello")) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// slowPage answers with a page after a moment.
func slowPage(page string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html>" + page))
	}
}

func TestSettleOnPagesThatAreNeverQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		// by is what the click waits for where that is sure: a change that is there at once may be
		// over before it is looked for.
		page, press, by string
		// seen is a button that must be in the result; "" for one that may come later.
		seen string
		// opens is how the wait for the page itself may end at the cap.
		opens string
	}{
		"a stream of events": {
			page:  `<button onclick="this.textContent='Done'">Go</button><p id=p></p><script>new EventSource('/stream').onmessage = (e) => { p.textContent = e.data }</script>`,
			press: "Go", seen: "Done",
		},
		"a stream that a click opens": {
			// What the stream says first may come after the answer when the machine is busy.
			page:  `<button onclick="new EventSource('/stream').onmessage = () => { this.textContent = 'Done' }">Go</button>`,
			press: "Go",
		},
		"a socket": {
			page:  `<button onclick="this.textContent='Done'">Go</button><p id=p></p><script>new WebSocket('ws://' + location.host + '/chat').onmessage = () => { p.textContent += '.' }</script>`,
			press: "Go", seen: "Done",
		},
		"a socket that a click opens": {
			page:  `<button onclick="this.textContent = 'Done'; new WebSocket('ws://' + location.host + '/chat')">Go</button>`,
			press: "Go", seen: "Done",
		},
		// What a page asks for as it opens may be what it is going to show.
		"a long poll": {
			opens: "still waiting for requests",
			page:  `<button onclick="this.textContent='Done'">Go</button><script>(async () => { for (;;) await fetch('/poll').catch(() => new Promise(() => {})) })()</script>`,
			press: "Go", seen: "Done",
		},
		"a frame that is lazy and far below": {
			page:  `<button onclick="this.textContent='Done'">Go</button><div style="height:30000px"></div><iframe loading=lazy src=/never></iframe>`,
			press: "Go", seen: "Done",
		},
		"a lazy frame that a click brings near": {
			page:  `<button onclick="document.querySelector('iframe').scrollIntoView()">Go</button><div style="height:30000px"></div><iframe loading=lazy src=/slow></iframe>`,
			press: "Go", by: "frame", seen: "In the frame",
		},
		"a form whose answer comes in a frame": {
			page:  `<form action=/slow target=f><button>Send</button></form><iframe name=f src=/quiet></iframe>`,
			press: "Send", by: "frame", seen: "In the frame",
		},
		"a set of frames": {
			page:  `<frameset cols="50%,50%"><frame src=/menu name=menu><frame src=/quiet name=main></frameset>`,
			press: "Open", by: "frame", seen: "In the frame",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := session(t)
			page := openPage(t, ctx, s, site(t, map[string]any{
				"/": "<title>T</title>" + c.page, "/stream": serveEvents, "/chat": serveWebSocket,
				"/poll": neverAnswer, "/never": neverAnswer,
				"/slow": slowPage("<button>In the frame</button>"), "/quiet": "<p>Quiet",
				"/menu": `<form action=/slow target=main><button>Open</button></form>`,
			}))
			if strings.HasPrefix(page.SettledBy, "still") && page.SettledBy != c.opens {
				t.Errorf("opening ended as %q after %d ms", page.SettledBy, page.SettledMS)
			}
			ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", c.press).ID})
			if err != nil {
				t.Fatal(err)
			}
			if c.by != "" && ans.SettledBy != c.by || strings.HasPrefix(ans.SettledBy, "still") {
				t.Errorf("the click settled by %q after %d ms, want %q", ans.SettledBy, ans.SettledMS, c.by)
			}
			if c.seen != "" {
				findElement(t, ans, "button", c.seen)
			} else if _, err := s.Wait(ctx, surface.WaitOptions{Text: "Done", Seconds: 20}); err != nil {
				t.Error(err)
			}
		})
	}
}
