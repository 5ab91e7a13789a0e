package browser_test

import (
	"io"
	"net/http"
	"testing"

	"sextant/backend/surface"
)

func TestWorkersRun(t *testing.T) {
	ctx, s := session(t)
	script := func(code string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, code)
		}
	}
	url := site(t, map[string]any{
		"/": `<title>Workers</title><p id=a>-</p><p id=b>-</p><p id=c>-</p><script>
			const tell = (id, w) => { w.onmessage = e => document.getElementById(id).textContent = e.data; w.onerror = e => document.getElementById(id).textContent = 'error ' + e.message }
			tell('a', new Worker('/plain.js'))
			tell('b', new Worker(URL.createObjectURL(new Blob(['postMessage("blob runs")']))))
			tell('c', new Worker('/outer.js'))
			</script>`,
		"/plain.js": script(`postMessage("plain runs")`),
		"/outer.js": script(`new Worker('/plain.js').onmessage = e => postMessage("nested " + e.data)`),
	})
	openPage(t, ctx, s, url)
	for _, text := range []string{"plain runs", "blob runs", "nested plain runs"} {
		if _, err := s.Wait(ctx, surface.WaitOptions{Text: text, Seconds: 5}); err != nil {
			t.Errorf("%v", err)
		}
	}
}
