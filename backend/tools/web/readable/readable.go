// Package readable extracts the readable text of HTML as markdown or plain text. It leaves out navigation, asides and
// the footer around an article. The text is as untrusted as the HTML.
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

	"sextant/shared/annotation"
)

// maxArticleForms limits the forms and buttons together.
const (
	minArticle      = 600
	minArticleShare = 0.5
	maxArticleForms = 1
)

// ExtractPage returns the readable text of a page as the browser shows it at address; format is "markdown" or "text".
// cut is true if the navigation, asides and footer around an article were left out.
func ExtractPage(source, address, format string) (text string, cut bool, err error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", false, fmt.Errorf("parsing the page: %w", err)
	}
	return convert(doc, address, format)
}

// ExtractHTML is like ExtractPage, but takes HTML as the server sent it. It leaves out scripts and elements that their
// markup hides.
func ExtractHTML(source, address, format string) (text string, cut bool, err error) {
	doc, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err != nil {
		return "", false, fmt.Errorf("parsing the page: %w", err)
	}
	drop(doc, isHidden)
	each(doc, func(n *html.Node) {
		if n.DataAtom == atom.Noscript {
			// Without scripts, the content of noscript is part of the page.
			n.DataAtom, n.Data = atom.Div, "div"
		}
	})
	return convert(doc, address, format)
}

func isHidden(n *html.Node) bool {
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

func convert(doc *html.Node, address, format string) (text string, cut bool, err error) {
	node := find(doc, atom.Body)
	if node == nil {
		node = doc
	}
	cut = isArticle(node) && dropAsides(node)
	drop(node, func(n *html.Node) bool {
		return n.DataAtom == atom.A && strings.TrimSpace(render.InnerText(n)) == "" && find(n, atom.Img) == nil
	})
	each(node, func(n *html.Node) {
		if n.DataAtom == atom.A && attr(n, "href") == "" {
			// The converter would turn this element into a link to the page itself.
			n.DataAtom, n.Data = atom.Span, "span"
		}
	})
	describePictures(node, format == "text")
	if format == "text" {
		markEmptyCells(node)
		return tidy(annotation.CleanLines(render.InnerText(node))), cut, nil
	}
	conv := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	md, err := conv.ConvertNode(node, converter.WithDomain(address))
	if err != nil {
		return "", false, fmt.Errorf("writing the page as markdown: %w", err)
	}
	return tidy(annotation.CleanLines(unescape(string(bytes.TrimSpace(md))))), cut, nil
}

// describePictures replaces pictures by their alternative text: those without an address, or all.
func describePictures(root *html.Node, all bool) {
	each(root, func(n *html.Node) {
		alt := strings.TrimSpace(attr(n, "alt"))
		if n.DataAtom == atom.Img && alt != "" && (all || attr(n, "src") == "") {
			n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
			n.AppendChild(&html.Node{Type: html.TextNode, Data: "[picture: " + alt + "]"})
		}
	})
}

// markEmptyCells keeps the values of a table's row in their columns, because plain text leaves out empty cells.
func markEmptyCells(root *html.Node) {
	each(root, func(n *html.Node) {
		if (n.DataAtom == atom.Td || n.DataAtom == atom.Th) && strings.TrimSpace(render.InnerText(n)) == "" {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: "-"})
		}
	})
}

// unescape replaces the HTML entities that the converter keeps.
func unescape(md string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(md)
}

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
	if text == nil || fields > maxArticleForms {
		return false
	}
	all, n := utf8.RuneCountInString(render.InnerText(body)), utf8.RuneCountInString(render.InnerText(text))
	return n >= minArticle && float64(n) >= minArticleShare*float64(all)
}

func dropAsides(body *html.Node) bool {
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

func drop(n *html.Node, match func(*html.Node) bool) (dropped bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode && match(c) {
			n.RemoveChild(c)
			dropped = true
		} else if drop(c, match) {
			dropped = true
		}
		c = next
	}
	return dropped
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
