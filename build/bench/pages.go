package main

import (
	"embed"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

//go:embed pages/*.html
var pageFiles embed.FS

// Truth is the expected listing of one element, as the page's HTML states it.
type Truth struct {
	Role string
	// Names are the accepted names; with Loose, a name only has to contain one of them. For an element without a name
	// several are accepted, for example "trash" and "delete".
	Names []string
	Loose bool
	// WhyUnusable says why the element cannot be used, "" for a usable element.
	WhyUnusable string
}

// Page is one generated page with its expected elements and the action that is tried on it.
type Page struct {
	Name, Kind string
	HTML       string // the body's content
	With       []string
	Part       bool // used only as a frame or target of another page
	Truth      []Truth
	Act        []Step
	Effect     string
	// RestartAfter is set if tabs or dialogs stay open, so that systems are restarted after this page.
	RestartAfter bool
	Nodes        int // elements, including those of frames
}

// Step is one step of an action, for example `click link:Help` or `type textbox:Name => Ana`.
type Step struct {
	Do     string
	On, To Truth
	Text   string
}

var (
	directive      = regexp.MustCompile(`(?m)^(kind|act|effect|with|part|leaves): (.*)$`)
	truthAttribute = regexp.MustCompile(`data-truth=(?:"([^"]*)"|'([^']*)')`)
	notAttribute   = regexp.MustCompile(`<([^<>]*)data-truth-not="([^"]*)"([^>]*)>([^<]*)`)
	label          = regexp.MustCompile(`aria-label="([^"]*)"`)
	elementStart   = regexp.MustCompile(`<[a-z]`)
)

// loadPages reads and generates all pages and returns them with the sorted names of those to measure.
func loadPages() (map[string]*Page, []string, error) {
	pages := map[string]*Page{}
	entries, err := fs.ReadDir(pageFiles, "pages")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(pageFiles, "pages/"+e.Name())
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSuffix(e.Name(), ".html")
		pages[name] = parsePage(name, string(text))
	}
	for name, text := range bigPages() {
		pages[name] = parsePage(name, text)
	}
	var names []string
	for name, p := range pages {
		for _, part := range p.With {
			inner := pages[part]
			if inner == nil {
				return nil, nil, fmt.Errorf("page %s: no part %q", name, part)
			}
			p.Truth = append(p.Truth, inner.Truth...)
			p.Nodes += inner.Nodes
		}
		if !p.Part {
			names = append(names, name)
			if len(p.Truth) == 0 || len(p.Act) == 0 || p.Effect == "" {
				return nil, nil, fmt.Errorf("page %s has no expected elements, no action or no effect", name)
			}
		}
	}
	slices.Sort(names)
	return pages, names, nil
}

func parsePage(name, text string) *Page {
	p := &Page{Name: name}
	head, body, _ := strings.Cut(text, "-->")
	for _, m := range directive.FindAllStringSubmatch(head, -1) {
		switch m[1] {
		case "kind":
			p.Kind = m[2]
		case "act":
			for _, s := range strings.Split(m[2], "; ") {
				p.Act = append(p.Act, parseStep(s))
			}
		case "effect":
			p.Effect = m[2]
		case "with":
			p.With = strings.Fields(m[2])
		case "leaves":
			p.RestartAfter = true
		case "part":
			p.Part = true
		}
	}
	p.HTML = strings.NewReplacer("{rows}", rows(60), "{entries}", entries(10)).Replace(strings.TrimSpace(body))
	for _, m := range truthAttribute.FindAllStringSubmatch(p.HTML, -1) {
		p.Truth = append(p.Truth, parseTruth(html.UnescapeString(m[1]+m[2])))
	}
	for _, m := range notAttribute.FindAllStringSubmatch(p.HTML, -1) {
		called := strings.TrimSpace(m[4])
		if l := label.FindStringSubmatch(m[1] + m[3]); l != nil {
			called = l[1]
		}
		p.Truth = append(p.Truth, Truth{Names: []string{called}, WhyUnusable: m[2]})
	}
	p.Nodes = len(elementStart.FindAllString(p.HTML, -1))
	return p
}

func parseTruth(s string) Truth {
	role, name, ok := strings.Cut(s, ":")
	if !ok || strings.HasPrefix(s, "~") {
		role, name = "", s
	}
	t := Truth{Role: role}
	name, t.Loose = strings.CutPrefix(name, "~")
	t.Names = []string{name}
	if t.Loose {
		t.Names = strings.Split(name, "|")
	}
	return t
}

func parseStep(s string) Step {
	do, rest, _ := strings.Cut(s, " ")
	on, to, _ := strings.Cut(rest, " => ")
	step := Step{Do: do, Text: to}
	switch do {
	case "press":
		step.Text = rest
	case "accept":
	case "drag":
		step.On, step.To = parseTruth(on), parseTruth(to)
	default:
		step.On = parseTruth(on)
	}
	return step
}

func rows(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `<li><a href="#%d" onclick="effect('Row %d')" data-truth="link:Row %d">Row %d</a>`, i, i, i, i)
	}
	return b.String()
}

func entries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<div style="top:%dpx" data-truth="clickable:Entry %d">Entry %d</div>`, i*40, i+1, i+1)
	}
	return b.String()
}

func bigPages() map[string]string {
	made := map[string]string{
		"links": "kind: 300 links\nact: click link:Link 250\neffect: 250\n--><h1>Links</h1><ul>" +
			repeat(300, func(i int) string {
				return fmt.Sprintf(`<li><a href="#%d" onclick="effect('%d')" data-truth="link:Link %d">Link %d</a>`,
					i, i, i, i)
			}) + "</ul>",
		"table": "kind: 1,000 rows, 3,000 controls\nact: click checkbox:Pick 700\neffect: " +
			"700\n--><h1>Stock</h1><table><tr><th>Pick<th>Lamp<th>Price<th>Edit</tr>" +
			repeat(1000, func(i int) string {
				return fmt.Sprintf(
					`<tr><td><input type="checkbox" aria-label="Pick %d" onclick="effect('%d')" data-truth="checkbox:Pick %d"></td><td><a href="#%d" data-truth="link:Lamp %d">Lamp %d</a></td><td>%d.00</td><td><button data-truth="button:Edit %d">Edit %d</button></td></tr>`,
					i,
					i,
					i,
					i,
					i,
					i,
					i%97,
					i,
					i,
				)
			}) + "</table>",
		"nodes16k": "kind: 16,000 nodes\nact: click button:Act 150\neffect: 150\n-->" + dense(16_000),
		"nodes40k": "kind: 40,000 nodes\nact: click button:Act 150\neffect: 150\n-->" + dense(40_000),
		"article": "kind: long prose\nact: click link:note 20\neffect: 20\n--><h1>On lamps</h1>" +
			repeat(40, func(i int) string {
				prose := strings.Repeat("The lamp in the window burned through the night and nobody asked why. ", 12)
				return "<p>" + prose + fmt.Sprintf(
					`See <a href="#n%d" onclick="effect('%d')" data-truth="link:note %d">note %d</a>.</p>`, i, i, i, i)
			}),
	}
	// Nested frames, each with another origin than its parent.
	for level := 2; level <= 4; level++ {
		next := fmt.Sprintf("level%d", level+1)
		if level == 4 {
			next = "inner"
		}
		made[fmt.Sprintf("level%d", level)] = fmt.Sprintf(`part: yes
--><button data-truth="button:Level %d">Level %d</button><iframe title="next" src="{other}/%s?k={key}" width="%d" height="%d"></iframe>`, level, level, next, 500-level*20, 520-level*90)
	}
	return made
}

func repeat(n int, one func(i int) string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(one(i))
	}
	return b.String()
}

// dense returns a page with the given number of elements, 200 of them buttons.
func dense(nodes int) string {
	return "<h1>Dense</h1>" + repeat(200, func(i int) string {
		return fmt.Sprintf(`<div><button onclick="effect('%d')" data-truth="button:Act %d">Act %d</button>`, i, i, i) +
			strings.Repeat("<span>word </span>", nodes/200-2) + "</div>"
	})
}
