package browser_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sextant/backend/surface"
)

// BenchmarkSettle clicks on pages of several kinds of unrest and tells how long each wait took.
func BenchmarkSettle(b *testing.B) {
	slow := func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		_, _ = fmt.Fprint(w, "ok")
	}
	kinds := map[string]string{
		"nothing":   `<button>Go</button>`,
		"text":      `<button aria-label=Go onclick="this.textContent = Math.random()">Go</button>`,
		"fetch":     `<button onclick="fetch('/data').then(r => r.text()).then(t => { o.textContent = t + Math.random() })">Go</button><p id=o>-</p>`,
		"ticker":    `<button aria-label=Go onclick="this.textContent = Math.random()">Go</button><p id=o>-</p><script>setInterval(() => { o.textContent = Date.now() }, 50)</script>`,
		"animation": `<style>@keyframes s { to { transform: rotate(1turn) } } i { display: block; width: 20px; animation: s 1s infinite linear }</style><i>x</i><button aria-label=Go onclick="this.textContent = Math.random()">Go</button><p id=o>-</p><script>(function f() { o.style.width = Math.random() * 100 + 'px'; requestAnimationFrame(f) })()</script>`,
		"longpoll":  `<button aria-label=Go onclick="this.textContent = Math.random()">Go</button><script>(async () => { for (;;) await fetch('/poll') })()</script>`,
	}
	for name, body := range kinds {
		b.Run(name, func(b *testing.B) {
			ctx, s := session(b)
			page := openPage(b, ctx, s, site(b,
				map[string]any{"/": "<title>-</title>" + body, "/data": slow, "/poll": neverAnswer}))
			id := findElement(b, page, "button", "Go").ID
			settled := 0
			for b.Loop() {
				ans, err := s.Click(ctx, surface.ClickOptions{ID: id})
				if err != nil {
					b.Fatal(err)
				}
				settled += ans.SettledMS
			}
			b.ReportMetric(float64(settled)/float64(b.N), "settled-ms/op")
		})
	}
}

// BenchmarkAnnotateAtRest looks at a small page where nothing happens.
func BenchmarkAnnotateAtRest(b *testing.B) {
	ctx, s := session(b)
	openPage(b, ctx, s, site(b,
		map[string]any{"/": `<title>-</title><button>A</button><a href=/b>B</a><input aria-label=C>`}))
	for b.Loop() {
		if _, err := s.Annotate(ctx, surface.AnnotateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
