package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/surfaces/browser"
)

// restless is a page that draws all it shows anew, again and again.
func restless(every int) string {
	return fmt.Sprintf(`<title>0</title><div id=all></div><script>
		const draw = () => all.replaceChildren(...Array.from({ length: 20 }, (_, i) => {
			const b = document.createElement('button')
			b.textContent = 'Thing ' + i
			b.onclick = () => { document.title = 'met ' + i }
			return b
		}))
		draw()
		setInterval(draw, %d)
	</script>`, every)
}

func TestWhatIsDrawnAnewAllTheTimeIsStillMet(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": restless(300)}))
	for i := range 12 {
		e := the(t, page, "button", fmt.Sprintf("Thing %d", i))
		ans, err := s.Click(ctx, browser.ClickOptions{ID: e.ID})
		if err != nil {
			t.Fatalf("thing %d: %v", i, err)
		}
		if ans.Page.Title != fmt.Sprintf("met %d", i) || !strings.Contains(ans.Outcome, e.Name) {
			t.Errorf("%q, but the page says %q", ans.Outcome, ans.Page.Title)
		}
	}
}
