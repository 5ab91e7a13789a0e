package ws_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/api/ws"
	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/sqlite"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// width and height are the picture's size in the benchmarks.
const width, height = 1280, 720

// window is a client of the hub.
type window struct {
	b    *testing.B
	conn *websocket.Conn
}

// openWindow starts a browser on the page, a hub and a window whose live view is open.
func openWindow(b *testing.B, page string) *window {
	b.Helper()
	if _, err := launch.Find(""); errors.Is(err, launch.ErrNotFound) {
		b.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	b.Cleanup(cancel)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html>"+page)
	}))
	b.Cleanup(site.Close)
	db, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "bench.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	recorder, err := eventlog.New(ctx, db, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(recorder.Close)
	engine := browser.New(browser.Config{Headless: true, Publish: func(e event.Event) {
		_, _ = recorder.Publish(ctx, e)
	}})
	b.Cleanup(func() { _ = engine.Close() })
	hub := ws.New(ws.Config{
		Version: "bench", CheckKey: func(string) (bool, bool) { return true, true },
		Allowed: func(*http.Request) bool { return true }, Events: recorder, Browser: engine,
		Log: slog.New(slog.DiscardHandler),
	})
	b.Cleanup(hub.Close)
	server := httptest.NewServer(hub)
	b.Cleanup(server.Close)
	if _, err := engine.Session("").Navigate(ctx, browser.NavigateOptions{URL: site.URL}); err != nil {
		b.Fatal(err)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(ctx, strings.Replace(server.URL, "http", "ws", 1), nil)
	if err != nil {
		b.Fatal(err)
	}
	_ = resp.Body.Close()
	b.Cleanup(func() { _ = conn.Close() })
	w := &window{b: b, conn: conn}
	w.send(wire.ClientMessage{V: wire.Version, Kind: "hello", Token: "x"})
	w.send(wire.ClientMessage{V: wire.Version, Kind: "live.open", Width: width, Height: height, Scale: 1})
	return w
}

func (w *window) send(m wire.ClientMessage) {
	if err := w.conn.WriteJSON(m); err != nil {
		w.b.Fatal(err)
	}
}

// picture waits for the next picture, acknowledges it as a window does, and returns it with the time it came.
func (w *window) picture() (wire.FrameHeader, []byte, time.Time) {
	for {
		_ = w.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		kind, data, err := w.conn.ReadMessage()
		received := time.Now()
		if err != nil {
			w.b.Fatal(err)
		}
		if kind != websocket.BinaryMessage {
			continue
		}
		n := binary.BigEndian.Uint32(data)
		var header wire.FrameHeader
		if err := json.Unmarshal(data[4:4+n], &header); err != nil {
			w.b.Fatal(err)
		}
		w.send(wire.ClientMessage{V: wire.Version, Kind: "live.ack", Frame: header.Frame})
		return header, data[4+n:], received
	}
}

// red reports whether the middle of the picture is more red than blue.
func (w *window) red(picture []byte) bool {
	img, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		w.b.Fatal(err)
	}
	r, _, blue, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	return r > blue
}

// BenchmarkLiveFrames counts the pictures per second of a page that changes with every frame: text, boxes and a moving
// gradient at 1280×720.
func BenchmarkLiveFrames(b *testing.B) {
	w := openWindow(b, `<style>body{margin:0;height:100vh;overflow:hidden;background:linear-gradient(90deg,#246,#a64);font:16px sans-serif;color:#fff}
.b{position:absolute;width:160px;height:90px;background:#fffa;animation:m 2s linear infinite alternate}@keyframes m{to{transform:translateX(1000px)}}</style>`+
		strings.Repeat("<p>Some words of a page that is being read while things move on it.</p>", 12)+
		strings.Repeat(`<div class="b" style="top:60px"></div><div class="b" style="top:260px;animation-duration:1s"></div>`, 4)+
		`<p id="n"></p><script>let i = 0; (function f() { n.textContent = ++i; requestAnimationFrame(f) })()</script>`)
	for header, _, _ := w.picture(); header.Width != width; header, _, _ = w.picture() {
	}
	bytesSeen := 0
	b.ResetTimer()
	for b.Loop() {
		_, picture, _ := w.picture()
		bytesSeen += len(picture)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(float64(bytesSeen)/float64(b.N)/1024, "KiB/frame")
}

// BenchmarkLiveClick measures the time from a click on the picture to the picture that shows its effect.
func BenchmarkLiveClick(b *testing.B) {
	w := openWindow(b, `<body style="margin:0;height:100vh;background:#f00" onclick="this.style.background = this.style.background.includes('255, 0, 0') || this.style.background.includes('#f00') ? '#00f' : '#f00'">`+
		strings.Repeat("<p>Some words of a page that is being read.</p>", 12))
	header, picture, _ := w.picture()
	for header.Width != width {
		header, picture, _ = w.picture()
	}
	was := w.red(picture)
	var times []time.Duration
	b.ResetTimer()
	for b.Loop() {
		begin := time.Now()
		for _, kind := range []string{"down", "up"} {
			w.send(wire.ClientMessage{
				V: wire.Version, Kind: "input",
				Input: &wire.Input{Type: kind, X: width / 2, Y: height / 2, Button: "left", Count: 1},
			})
		}
		for {
			_, picture, received := w.picture()
			if w.red(picture) != was {
				was = !was
				times = append(times, received.Sub(begin))
				break
			}
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(times[len(times)*9/10].Microseconds())/1000, "ms/90th")
}
