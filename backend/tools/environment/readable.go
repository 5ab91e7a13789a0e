package environment

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	readability "codeberg.org/readeck/go-readability/v2"
	"codeberg.org/readeck/go-readability/v2/render"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An article counts as the page when it is long enough and holds enough of what the page says;
// on shops, lists and applications it is not, and the whole body is read.
const (
	articleLeast = 400
	articleShare = 0.4
)

// readable is what can be read in a page's HTML, in format markdown or text.
func readable(source, address, format string) (string, error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", fmt.Errorf("parsing the page: %w", err)
	}
	node := mainPart(doc, address)
	if format == "text" {
		return tidy(render.InnerText(node)), nil
	}
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	md, err := conv.ConvertNode(node, converter.WithDomain(address))
	if err != nil {
		return "", fmt.Errorf("writing the page as markdown: %w", err)
	}
	return tidy(string(bytes.TrimSpace(md))), nil
}

// mainPart is the article in doc, else its body.
func mainPart(doc *html.Node, address string) *html.Node {
	body := find(doc, atom.Body)
	if body == nil {
		return doc
	}
	u, err := url.Parse(address)
	if err != nil {
		return body
	}
	parser := readability.NewParser()
	article, err := parser.ParseDocument(doc, u)
	if err != nil || article.Node == nil {
		return body
	}
	all := utf8.RuneCountInString(render.InnerText(body))
	if n := utf8.RuneCountInString(render.InnerText(article.Node)); n < articleLeast || float64(n) < articleShare*float64(all) {
		return body
	}
	return article.Node
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
