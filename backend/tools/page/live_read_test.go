package page

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"sextant/shared/toolspec"
)

func TestPageContentIsPaged(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"%s/article"}`, live.url)
	first := h.do("get_page_content", `{"max_tokens":300}`)
	c, ok := first.Value.(content)
	if !ok || c.Next == 0 || c.Total < 3000 || live.tools.tokens.Count(first.Text) > 300 {
		t.Fatalf("%+v", first.Value)
	}
	wantParts(t, "first part", first.Text, "Page: On lamps | ", "continue with offset ", "[brass]("+live.url+"/brass)")
	whole := c.Text
	for c.Next > 0 {
		c = h.do("get_page_content", `{"max_tokens":300,"offset":%d}`, c.Next).Value.(content)
		whole += c.Text
	}
	all := h.do("get_page_content", `{"max_tokens":50000}`).Value.(content)
	if whole != all.Text || utf8.RuneCountInString(all.Text) != all.Total {
		t.Errorf("the parts are not the whole: %d and %d characters", len(whole), len(all.Text))
	}
	if strings.Contains(all.Text, "Imprint") || strings.Contains(all.Text, "Other") {
		t.Errorf("the article contains the text around it:\n%s", all.Text)
	}
	plain := h.do("get_page_content", `{"format":"text"}`).Text
	wantParts(t, "text", plain, "a brass one does so")
	if strings.Contains(plain, "](") {
		t.Errorf("plain text holds links:\n%s", plain)
	}
}

func TestPageWithoutArticleIsReadWhole(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"demo"}`)
	wantParts(t, "content", h.do("get_page_content", `{}`).Text, "# Order", "Place order", "Read more", "Far below")
}

func TestBoxesAndUnlistedElements(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"demo"}`)
	text := h.do("annotate_page", `{"boxes":true}`).Text
	if !regexp.MustCompile(`\] button "Place order" \((.+, )?\d+×\d+ at \d+,\d+\)`).MatchString(text) {
		t.Errorf("no box in:\n%s", text)
	}
	wantParts(t, "annotations", h.do("get_annotations", `{}`).Text, `button "Place order"`, "… 0 more above and ",
		" more below; annotate_page with scope=page")
}

func TestGetSelection(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"%s/article"}`, live.url)
	if r := h.do("get_selection", `{}`); r.Text != "Nothing is selected." || len(r.Sources) != 0 {
		t.Errorf("%q %v", r.Text, r.Sources)
	}
	h.do("select_text", `{"text":"gives light to a desk"}`)
	if r := h.do("get_selection", `{}`); r.Text != "gives light to a desk" || len(r.Sources) != 1 {
		t.Errorf("%q %v", r.Text, r.Sources)
	}
}

func TestScreenshotSizeIsBounded(t *testing.T) {
	h := newToolSession(t)
	r := h.do("navigate_page", `{"url":"demo"}`)
	height := func(what string, r toolspec.Result) int {
		t.Helper()
		c, kind, err := image.DecodeConfig(bytes.NewReader(r.Images[0].Data))
		v, ok := r.Value.(screenshotValue)
		if err != nil || "image/"+kind != r.Images[0].MIME || !ok || v.Width != c.Width || v.Height != c.Height ||
			v.Tokens != (c.Width*c.Height+749)/750 {
			t.Fatalf("%s: %+v, %+v, %v", what, c, r.Value, err)
		}
		return c.Height
	}
	view := h.do("take_screenshot", `{"annotated":true}`)
	one := h.do("take_screenshot", `{"annotationId":%d}`, idIn(t, r, `button "Place order"`))
	v, f, o := height("viewport", view), height("full page", h.do("take_screenshot", `{"full_page":true}`)),
		height("element", one)
	if f <= v || o >= v || f < 3000 {
		t.Errorf("heights: viewport %d, full page %d, element %d", v, f, o)
	}
	if len(view.Sources) != 1 || one.Sentence != "Took a picture of “Place order”" {
		t.Errorf("%v %q", view.Sources, one.Sentence)
	}
	for _, args := range []string{
		`{"annotated":true,"max_tokens":200}`, `{"full_page":true,"max_tokens":300}`,
		`{"max_tokens":50}`,
	} {
		r := h.do("take_screenshot", `%s`, args)
		height(args, r)
		got, _ := r.Value.(screenshotValue)
		if got.Tokens > 310 || got.Scale >= 1 || !strings.Contains(r.Text, "scale 0.") {
			t.Errorf("%s: %+v %q", args, got, r.Text)
		}
	}
}

func TestScreenshotOfTallElement(t *testing.T) {
	h := newToolSession(t)
	r := h.do("navigate_page", `{"url":"%s/tall"}`, live.url)
	v, _ := h.do("take_screenshot", `{"annotationId":%d}`, idIn(t, r, `button "Tall"`)).Value.(screenshotValue)
	if v.Height < 2400 || v.Width > 400 {
		t.Errorf("%+v", v)
	}
}
