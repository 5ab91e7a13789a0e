// Package readable turns HTML into what a person would read of it, as markdown or plain text:
// navigation, asides and the footer around an article are left out, links and tables stay. It
// is for looking at a page's words only and says nothing of whether they are to be trusted.
package readable

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2/render"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sextant/shared/annotator"
)

// A part of a page counts as its article when it is long enough, holds most of what the page
// says, and nothing on the page is there to be filled in.
const (
	articleLeast = 600
	articleShare = 0.5
	articleForms = 1
)

// Page is what can be read in the HTML of a page that a browser shows at address, in format
// markdown or text. cut is true when what stands around an article (navigation, asides, footer)
// was left out.
func Page(source, address, format string) (text string, cut bool, err error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", false, fmt.Errorf("parsing the page: %w", err)
	}
	return read(doc, address, format)
}

// Source is Page for HTML as a server sent it, which no browser has taken scripts and hidden
// parts out of.
func Source(source, address, format string) (text string, cut bool, err error) {
	doc, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err != nil {
		return "", false, fmt.Errorf("parsing the page: %w", err)
	}
	drop(doc, unseen)
	each(doc, func(n *html.Node) {
		if n.DataAtom == atom.Noscript {
			// Nothing ran a script, so this is what is to be read.
			n.DataAtom, n.Data = atom.Div, "div"
		}
	})
	return read(doc, address, format)
}

// unseen reports whether the markup itself says that nobody sees n.
func unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Iframe, atom.Object:
		return true
	}
	style := strings.ReplaceAll(strings.ToLower(attr(n, "style")), " ", "")
	return has(n, "hidden") || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// read writes a parsed document, which it changes.
func read(doc *html.Node, address, format string) (text string, cut bool, err error) {
	node := find(doc, atom.Body)
	if node == nil {
		node = doc
	}
	cut = isArticle(node) && strip(node)
	drop(node, func(n *html.Node) bool {
		return n.DataAtom == atom.A && strings.TrimSpace(render.InnerText(n)) == "" && find(n, atom.Img) == nil
	})
	each(node, func(n *html.Node) {
		if n.DataAtom == atom.A && attr(n, "href") == "" {
			// The converter would let it lead to the page itself.
			n.DataAtom, n.Data = atom.Span, "span"
		}
	})
	if format == "text" {
		return tidy(annotator.CleanLines(render.InnerText(node))), cut, nil
	}
	conv := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	md, err := conv.ConvertNode(node, converter.WithDomain(address))
	if err != nil {
		return "", false, fmt.Errorf("writing the page as markdown: %w", err)
	}
	return tidy(annotator.CleanLines(plainSigns(string(bytes.TrimSpace(md))))), cut, nil
}

// plainSigns writes the signs that the converter keeps as HTML the way a reader sees them.
func plainSigns(md string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(md)
}

// isArticle reports whether body is mostly one text to read.
func isArticle(body *html.Node) bool {
	fields := 0
	var text *html.Node
	each(body, func(n *html.Node) {
		switch {
		case n.DataAtom == atom.Form || n.DataAtom == atom.Button:
			fields++
		case text == nil && (n.DataAtom == atom.Article || attr(n, "role") == "article"):
			text = n
		}
	})
	if text == nil {
		text = find(body, atom.Main)
	}
	if text == nil || fields > articleForms {
		return false
	}
	all, n := utf8.RuneCountInString(render.InnerText(body)), utf8.RuneCountInString(render.InnerText(text))
	return n >= articleLeast && float64(n) >= articleShare*float64(all)
}

// strip takes navigation, asides and the footer out, and reports whether there were any.
func strip(body *html.Node) bool {
	return drop(body, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Nav, atom.Aside, atom.Footer:
			return true
		}
		switch attr(n, "role") {
		case "navigation", "complementary", "contentinfo":
			return true
		}
		return false
	})
}

// drop takes out the nodes that out holds for.
func drop(n *html.Node, out func(*html.Node) bool) (some bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode && out(c) {
			n.RemoveChild(c)
			some = true
		} else if drop(c, out) {
			some = true
		}
		c = next
	}
	return some
}

func each(n *html.Node, do func(*html.Node)) {
	if n.Type == html.ElementNode {
		do(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		each(c, do)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func find(n *html.Node, a atom.Atom) *html.Node {
	if n.Type == html.ElementNode && n.DataAtom == a {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if f := find(c, a); f != nil {
			return f
		}
	}
	return nil
}

// tidy drops blanks at line ends and more than one empty line in a row.
func tidy(s string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\r\n\u00a0")
		if line == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat("\n", min(empty+1, 2)))
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
