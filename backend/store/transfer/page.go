package transfer

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// entry is a message as a person reads it. Code is the text of a call or result, which is shown as it is.
type entry struct {
	Author, Text, Code string
	Time               time.Time
}

// page is a conversation as a person reads it.
type page struct {
	Title   string
	Entries []entry
}

// newPage reads the title and the active branch of c.
func newPage(c Conversation) (page, error) {
	var p page
	var messages []chat.Message
	at := map[string]int{}
	branches := map[string]event.Branch{}
	branchOf, branch := map[string]string{}, ""
	for _, e := range c.Events {
		data := newData(e.Kind)
		if data == nil {
			continue
		}
		if err := json.Unmarshal(e.Data, data); err != nil {
			return p, fmt.Errorf("reading %s: %w", e.Kind, err)
		}
		switch d := data.(type) {
		case *chat.Conversation:
			p.Title = d.Title
		case *event.Branch:
			branches[d.ID], branch = *d, d.ID
		case *event.BranchRef:
			branch = d.ID
		case *chat.Message:
			if i, known := at[d.ID]; known {
				messages[i] = *d
				continue
			}
			at[d.ID], branchOf[d.ID] = len(messages), branch
			if d.Time.IsZero() {
				d.Time = e.Time
			}
			messages = append(messages, *d)
		}
	}
	for _, m := range onPath(messages, at, branches, branchOf, branch) {
		p.Entries = append(p.Entries, entriesOf(m)...)
	}
	return p, nil
}

// onPath returns the messages of the branch and of those before it, in order.
func onPath(
	messages []chat.Message, at map[string]int, branches map[string]event.Branch, branchOf map[string]string,
	branch string,
) []chat.Message {
	var path []chat.Message
	upto := len(messages) - 1
	for range len(branches) + 1 { // branches may refer to each other in a wrong file
		for i := upto; i >= 0; i-- {
			if branchOf[messages[i].ID] == branch {
				path = append(path, messages[i])
			}
		}
		after, known := at[branches[branch].After]
		if branch == "" || !known {
			break
		}
		upto, branch = after, branchOf[messages[after].ID]
	}
	slices.Reverse(path)
	return path
}

func entriesOf(m chat.Message) []entry {
	var out []entry
	switch m.Role {
	case chat.RoleUser:
		out = append(out, entry{Author: "You", Text: m.Text, Time: m.Time})
	case chat.RoleAssistant:
		if strings.TrimSpace(m.Text) != "" {
			out = append(out, entry{Author: "Assistant", Text: m.Text, Time: m.Time})
		}
		for _, c := range m.Calls {
			out = append(out, entry{Author: "Call of " + c.Name, Code: string(c.Args), Time: m.Time})
		}
	case chat.RoleTool:
		out = append(out, entry{Author: "Result", Code: m.Text, Time: m.Time})
	case chat.RoleNote:
		if len(m.Outside) > 0 {
			out = append(out, entry{
				Author: "Attachment from " + strings.Join(m.Outside, ", "), Code: m.Text, Time: m.Time,
			})
		}
	}
	return out
}

// WriteMarkdown writes the active branch of each conversation as Markdown.
func WriteMarkdown(w io.Writer, list []Conversation) error {
	for i, c := range list {
		p, err := newPage(c)
		if err != nil {
			return err
		}
		var b strings.Builder
		if i > 0 {
			b.WriteString("\n---\n\n")
		}
		fmt.Fprintf(&b, "# %s\n", oneLine(p.Title))
		for _, e := range p.Entries {
			fmt.Fprintf(&b, "\n## %s · %s\n\n", oneLine(e.Author), e.Time.UTC().Format("2006-01-02 15:04"))
			if e.Code == "" {
				b.WriteString(strings.TrimRight(e.Text, "\n") + "\n")
				continue
			}
			fence := fenceFor(e.Code)
			fmt.Fprintf(&b, "%s\n%s\n%s\n", fence, strings.TrimRight(e.Code, "\n"), fence)
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fenceFor returns a fence that text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

var htmlPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"stamp": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") },
	}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{{(index . 0).Title}}</title>
<style>
:root { color-scheme: light dark; font: 14px/22px system-ui, sans-serif; }
body { max-width: 72ch; margin: 32px auto; padding: 0 16px; }
h1 { font-size: 20px; line-height: 28px; }
h2 { margin: 24px 0 4px; font-size: 13px; }
time { margin-inline-start: 8px; font-weight: 400; opacity: .75; }
div, pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { padding: 8px 12px; border: 1px solid; border-radius: 8px; font: 12px/18px ui-monospace, monospace; }
</style></head><body>
{{range .}}<article>
<h1>{{.Title}}</h1>
{{range .Entries}}<section>
<h2>{{.Author}}<time>{{stamp .Time}}</time></h2>
{{if .Code}}<pre>{{.Code}}</pre>{{else}}<div>{{.Text}}</div>{{end}}
</section>
{{end}}</article>
{{end}}</body></html>
`)
})

// WriteHTML writes the active branch of each conversation as one HTML page that loads nothing. list must not be empty.
func WriteHTML(w io.Writer, list []Conversation) error {
	pages := make([]page, len(list))
	for i, c := range list {
		var err error
		if pages[i], err = newPage(c); err != nil {
			return err
		}
	}
	t, err := htmlPage()
	if err != nil {
		return err
	}
	return t.Execute(w, pages)
}
