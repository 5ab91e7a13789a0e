package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/surface"
)

// BenchmarkAnnotate16k looks at the viewport of a page of about 16,000 nodes.
func BenchmarkAnnotate16k(b *testing.B) {
	ctx, s := session(b)
	var rows strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&rows, `<tr><td>%d</td><td><a href="#%d">Row %d</a></td><td><button>Edit %d</button></td><td><span><b>x</b></span></td></tr>`, i, i, i, i)
	}
	openPage(b, ctx, s, site(b, map[string]any{"/": `<table>` + rows.String() + `</table>`}))
	b.ResetTimer()
	for b.Loop() {
		if _, err := s.Annotate(ctx, surface.AnnotateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClick clicks a button that changes nothing but itself, with answer.
func BenchmarkClick(b *testing.B) {
	ctx, s := session(b)
	page := openPage(b, ctx, s, site(b,
		map[string]any{"/": `<button aria-label=B onclick="this.textContent = +this.textContent + 1">0</button>`}))
	id := findElement(b, page, "button", "B").ID
	b.ResetTimer()
	for b.Loop() {
		if _, err := s.Click(ctx, surface.ClickOptions{ID: id}); err != nil {
			b.Fatal(err)
		}
	}
}
