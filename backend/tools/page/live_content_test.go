package page

import (
	"strings"
	"testing"
)

const applicationPage = `<!doctype html><title>Flights</title><nav><a href="/x">Home</a></nav>
<div id=query>Book the cheapest flight.</div><main><article><h2>User agreement</h2><p>` + "LONG" + `</p></article>
<form><textarea>some notes</textarea><button>Submit</button> <button>Book flight for $129</button></form></main>
<p>Click on the <span style="display:inline-block;width:20px;height:20px;background:#ff0000"></span> box, not the
<span style="display:inline-block;width:20px;height:20px;background:#123456"></span> one. Aggy&gt;Shanta &lt;b&gt; a_b *c*</p>
<a href="#here">972-212-4185</a> <a href="/empty"></a> <a href="javascript:go()">Run</a> <a href="sub/page?x=1">Sub</a>
<img src="/pics/ch_3.png" width=20 height=20><table><tr><th>A<th>B<tr><td>1<td>2</table><pre><code>x &lt; 1
  y</code></pre><ul><li>one<li>two</ul><iframe srcdoc="<p>In the frame</p>"></iframe></html>`

func TestPageContentKeepsVisibleText(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"%s/application"}`, live.url)
	md := h.do("get_page_content", `{}`).Text
	wantParts(t, "markdown", md, "Book the cheapest flight.", "User agreement", "Home", "Book flight for $129",
		"Aggy>Shanta <b> a_b *c*",
		"972-212-4185", "[Sub]("+live.url+"/sub/page?x=1)", "[picture ch_3.png ", "| A | B |", "x < 1\n  y", "- one",
		"In the frame")
	for _, not := range []string{"](#", "[](", "javascript:", "&gt;", "notes Submit", "notesSubmit", "(" + live.url +
		"/application"} {
		if strings.Contains(md, not) {
			t.Errorf("%q is in:\n%s", not, md)
		}
	}
	wantParts(t, "text", h.do("get_page_content", `{"format":"text"}`).Text, "Book the cheapest flight.",
		"Book flight for $129", "(red)", "In the frame")
}

func TestPageContentNamesWhatItLeftOut(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"%s/article"}`, live.url)
	wantParts(t, "article", h.do("get_page_content", `{"max_tokens":300}`).Text,
		"without navigation, asides and footer; characters 0 to ")
}
