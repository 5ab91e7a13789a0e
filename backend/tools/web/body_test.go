package web

import (
	"net/http"
	"strings"
	"testing"
)

func TestBodyIsDecoded(t *testing.T) {
	t.Parallel()
	late := strings.Repeat("a", 3000)
	bodies := map[string]struct{ kind, body, want string }{
		"/utf8":     {"text/plain; charset=utf-8", "grüß 💡", "grüß 💡"},
		"/plain":    {"text/plain", late + "grüß", "grüß"},
		"/latin1":   {"text/plain; charset=iso-8859-1", "gr\xfc\xdf", "grüß"},
		"/guess":    {"text/plain", "gr\xfc\xdf", "grüß"},
		"/mark":     {"text/plain", "\xef\xbb\xbfgrüß", "grüß"},
		"/utf16":    {"text/plain", "\xff\xfeg\x00\xfc\x00", "gü"},
		"/utf16be":  {"text/plain; charset=utf-16be", "\x00g\x00\xfc", "gü"},
		"/meta":     {"text/html", "<meta charset=windows-1251><p>\xeb\xe0\xec\xef\xe0</p>", "лампа"},
		"/japanese": {"text/html; charset=shift_jis", "<p>\x83\x89\x83\x93\x83v</p>", "ランプ"},
		"/wrong":    {"text/plain; charset=utf-8", "gr\xfc\xdf", "gr\ufffd"},
		"/unknown":  {"text/plain; charset=martian", "grüß", "grüß"},
		"/json":     {"application/problem+json", `{"a":"ü"}`, `{"a":"ü"}`},
		"/none":     {"", "just words", "just words"},
	}
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		b := bodies[r.URL.Path]
		w.Header()["Content-Type"] = nil
		if b.kind != "" {
			w.Header().Set("Content-Type", b.kind)
		}
		respond(w, "%s", b.body)
	})
	for path, b := range bodies {
		t.Run(path[1:], func(t *testing.T) {
			wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example" + path}), b.want)
		})
	}
}

func TestBinaryBodyIsShownByTypeAndSize(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{
		"/a.png": "image/png", "/a.zip": "application/zip", "/lie": "text/plain", "/guess": "",
		"/octets": "application/octet-stream",
	}
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		if kind := kinds[r.URL.Path]; kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		respond(w, "\x89PNG\r\n\x1a\n\x00\x00\x00secret")
	})
	for path := range kinds {
		r := n.do(t, "wget", map[string]any{"uri": "http://shop.example" + path})
		wantText(t, r, "17 B", "[Not text, so it is not shown.]")
		if v := r.Value.(answer); strings.Contains(r.Text, "secret") || v.Body != "" || v.Bytes != 17 {
			t.Errorf("%s: %+v", path, v)
		}
	}
}
