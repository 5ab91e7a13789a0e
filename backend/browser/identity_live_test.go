package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/surface"
)

// rerenderingPage is a page that rerenders everything at an interval.
func rerenderingPage(every int) string {
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

func TestClickOnConstantlyRerenderedPage(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": rerenderingPage(300)}))
	for i := range 12 {
		e := findElement(t, page, "button", fmt.Sprintf("Thing %d", i))
		ans, err := s.Click(ctx, surface.ClickOptions{ID: e.ID})
		if err != nil {
			t.Fatalf("thing %d: %v", i, err)
		}
		if ans.Page.Title != fmt.Sprintf("met %d", i) || !strings.Contains(ans.Outcome, e.Name) {
			t.Errorf("%q, but the page says %q", ans.Outcome, ans.Page.Title)
		}
	}
}

func TestClickInRowWithChangedNumbers(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<ul><li><span id="one">Order 1001</span> <button>Pay</button></li><li><span id="two">Ana Lima</span> <button>Call</button></li></ul>
<button onclick="next(1002, 'Ben Okri')">Next</button><output id="result">none</output><script>
for (const b of document.querySelectorAll('li button')) b.onclick = () => { document.getElementById('result').textContent = b.textContent + ' ' + b.previousElementSibling.textContent }
const next = (n, who) => { document.getElementById('one').textContent = 'Order ' + n; document.getElementById('two').textContent = who }
</script>`})
	page := openPage(t, ctx, s, url)
	pay, call := findElement(t, page, "button", "Pay"), findElement(t, page, "button", "Call")
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Next").ID}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Click(ctx, surface.ClickOptions{ID: pay.ID})
	if f := expectFault(t, err, surface.FaultGone); !strings.Contains(f.Message, `says "Order 1002" now`) {
		t.Errorf("the fault says %q", f.Message)
	}
	if got := result(t, ctx, s, "result"); got != "none" {
		t.Errorf("something was pressed: %q", got)
	}
	if _, err = s.Click(ctx, surface.ClickOptions{ID: pay.ID}); err != nil {
		t.Errorf("the second click after the warning: %v", err)
	}
	if got := result(t, ctx, s, "result"); got != "Pay Order 1002" {
		t.Errorf("the page says %q", got)
	}
	// Other words are another row: the number is not for that one.
	_, err = s.Click(ctx, surface.ClickOptions{ID: call.ID})
	if f := expectFault(t, err, surface.FaultGone); strings.Contains(f.Message, "says") {
		t.Errorf("the fault says %q", f.Message)
	}
}
