package app

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/build/testsites"
	"sextant/shared/annotation"
)

// solver solves a task of the page "tasks" by what the public tools answer, and by nothing else.
type solver struct {
	*mcpClient
	t    *testing.T
	list []annotation.Element
	// text is what can be read, ask its first line: the task.
	text, ask string
}

// do calls a tool that must succeed and keeps the elements it answers with.
func (s *solver) do(tool string, args map[string]any) string {
	s.t.Helper()
	r, err := s.session.CallTool(s.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		s.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		s.t.Fatalf("%s %v failed: %s", tool, args, text)
	}
	return text
}

// look lists the whole page again.
func (s *solver) look() {
	s.t.Helper()
	r, err := s.session.CallTool(s.t.Context(),
		&sdk.CallToolParams{Name: "annotate_page", Arguments: map[string]any{"scope": "page"}})
	if err != nil || r.IsError {
		s.t.Fatalf("annotate_page: %v %+v", err, r)
	}
	b, err := json.Marshal(r.StructuredContent)
	var a annotation.Observation
	if err != nil || json.Unmarshal(b, &a) != nil {
		s.t.Fatalf("annotate_page answers %s (%v)", b, err)
	}
	s.list = a.Elements
}

func (s *solver) read() {
	s.t.Helper()
	s.text = s.do("get_page_content", map[string]any{"format": "text"})
	_, s.text, _ = strings.Cut(s.text, "\n\n")
	s.ask, _, _ = strings.Cut(s.text, "\n")
}

// asked are the parts of the task that the pattern's groups hold.
func (s *solver) asked(pattern string) []string {
	s.t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(s.ask)
	if m == nil {
		s.t.Fatalf("the task %q is not as %q", s.ask, pattern)
	}
	return m[1:]
}

// the is the element of that name, else the first whose role and name begin so.
func (s *solver) the(role, name string) annotation.Element {
	s.t.Helper()
	for _, fits := range []func(name, want string) bool{strings.EqualFold, strings.HasPrefix} {
		for _, e := range s.list {
			if strings.HasPrefix(e.Role, role) && fits(e.Name, name) {
				return e
			}
		}
	}
	s.t.Fatalf("no %s %q for %q in\n%s", role, name, s.ask, lines(s.list))
	return annotation.Element{}
}

func lines(list []annotation.Element) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s %s %v\n", annotation.Line(e), e.Value, e.Box)
	}
	return b.String()
}

func (s *solver) click(role, name string) {
	s.t.Helper()
	s.do("click_element", map[string]any{"annotationId": s.the(role, name).ID})
}

func (s *solver) fill(role, name, text string) {
	s.t.Helper()
	s.do("type_text", map[string]any{"annotationId": s.the(role, name).ID, "text": text})
}

// drawn is the middle of the first part of a picture that is described so.
func (s *solver) drawn(what string) map[string]any {
	s.t.Helper()
	m := regexp.MustCompile(what + ` \d+×\d+ around (-?\d+),(-?\d+)`).FindStringSubmatch(s.text)
	if m == nil {
		s.t.Fatalf("no %s in %s", what, s.text)
	}
	x, _ := strconv.Atoi(m[1])
	y, _ := strconv.Atoi(m[2])
	return map[string]any{"x": x, "y": y}
}

// solvers are fixed scripts, one for each kind of task.
var solvers = map[string]func(*solver){
	"colour": func(s *solver) { s.click("clickable", s.asked(`colour: \((.+?)\) `)[0]) },
	"shades": func(s *solver) {
		for _, e := range s.list {
			if strings.HasPrefix(e.Name, "green") {
				s.do("click_element", map[string]any{"annotationId": e.ID})
			}
		}
		s.click("button", "Done")
	},
	"shape": func(s *solver) { s.click("clickable", s.asked(`the (.+)\.`)[0]) },
	"mail": func(s *solver) {
		w := s.asked(`by (\w+), press the (\w+) sign`)
		row := s.the("clickable", w[0]+" wrote").Box
		for _, e := range s.list {
			if strings.Contains(e.Name, w[1]) && e.Box.Width < 40 && e.Box.Y > row.Y && e.Box.Y < row.Y+row.Height {
				s.do("click_element", map[string]any{"annotationId": e.ID})
				return
			}
		}
		s.t.Fatalf("no sign %q in the row of %s:\n%s", w[1], w[0], lines(s.list))
	},
	"sliders": solveSliders,
	"sorting": func(s *solver) {
		w := s.asked(`Bring (\w+) to place (\d)`)
		to, _ := strconv.Atoi(w[1])
		var items []annotation.Element
		for _, e := range s.list {
			if slices.Contains(e.States, "draggable") {
				items = append(items, e)
			}
		}
		if len(items) != 5 {
			s.t.Fatalf("%d entries can be dragged:\n%s", len(items), lines(s.list))
		}
		s.do("drag_element", map[string]any{"from": s.the("listitem", w[0]).ID, "to": items[to-1].ID})
	},
	"carry": func(s *solver) {
		w := s.asked(`Put (\w+) into the basket (\w+)`)
		s.do("drag_element", map[string]any{"from": s.the("", w[0]).ID, "to": s.the("", w[1]).ID})
	},
	"target": func(s *solver) {
		s.do("drag_element", map[string]any{"from": s.the("clickable", "red circle").ID, "to": s.drawn("square")})
	},
	"prose": func(s *solver) { s.click("link", "all that was ever written down of the "+s.asked(`the (\w+)\.`)[0]) },
	"list":  func(s *solver) { s.click("clickable", s.asked(`Choose (.+) in`)[0]) },
	"menu": func(s *solver) {
		w := s.asked(`Choose (.+) under (\w+)`)
		s.do("hover_element", map[string]any{"annotationId": s.the("", w[1]).ID})
		s.look()
		s.click("", w[0])
	},
	"moving": func(s *solver) { s.click("button", "Catch") },
	"calendar": func(s *solver) {
		w := s.asked(`Choose (\d+) (\w+) 2027`)
		s.click("textbox", "Day")
		months := []string{"May", "June", "July", "August", "September"}
		for range 5 {
			s.read()
			s.look()
			shown := regexp.MustCompile(`(\w+) 2027[^.]`).FindStringSubmatch(s.text + " ")
			if shown == nil {
				s.t.Fatalf("no month in %s", s.text)
			}
			switch d := slices.Index(months, w[1]) - slices.Index(months, shown[1]); {
			case d > 0:
				s.click("button", "Later")
				continue
			case d < 0:
				s.click("button", "Earlier")
				continue
			}
			break
		}
		for _, e := range s.list {
			if e.Name == w[0] {
				s.do("click_element", map[string]any{"annotationId": e.ID})
				return
			}
		}
		s.t.Fatalf("no day %s in\n%s", w[0], lines(s.list))
	},
	"complete": func(s *solver) {
		w := s.asked(`begins with (\w+)`)[0]
		s.fill("textbox", "Bird", w)
		s.do("wait_for", map[string]any{"text": "That is all", "seconds": 20})
		s.look()
		s.click("listitem", w)
	},
	"tree": func(s *solver) {
		w := s.asked(`Open (\w+) and press leaf (.+)\.`)
		s.click("treeitem", w[0])
		s.look()
		s.click("treeitem", w[1])
	},
	"fields": func(s *solver) {
		w := s.asked(`amount to (\d+) and the paint to this colour: \((?:\w+ )?(.+?)\)`)
		s.fill("spinbutton", "Amount", w[0])
		s.fill("color", "Paint", w[1])
		s.click("button", "Done")
	},
	"stroke": func(s *solver) {
		s.do("move_path", map[string]any{"press": true, "points": []any{s.drawn("red circle"), s.drawn("blue circle")}})
		s.click("button", "Done")
	},
	"select": func(s *solver) {
		framed := strings.Split(s.text, "\n")
		i := slices.IndexFunc(framed, func(l string) bool { return strings.HasPrefix(l, "We saw") })
		for i--; strings.TrimSpace(framed[i]) == ""; i-- {
		}
		want := strings.TrimSpace(framed[i])
		// The frame itself holds the same words: the text is asked for with what stands before it.
		at := strings.Index(s.text[strings.Index(s.text, "We saw"):], want)
		whole, _, _ := strings.Cut(s.text[strings.Index(s.text, "We saw"):], " today")
		s.do("select_text", map[string]any{"text": whole, "start": at, "end": at + len(want)})
		s.click("button", "Done")
	},
	"editor": func(s *solver) {
		w := s.asked(`Give (\w+) the (?:style|colour) (\w+)`)
		s.do("select_text", map[string]any{"annotationId": s.the("textbox", "Words").ID, "text": w[0]})
		if w[1] == "bold" {
			s.click("button", "Bold")
		} else {
			s.click("clickable", "Colour")
			s.look()
			s.click("clickable", w[1])
		}
		s.click("button", "Done")
	},
	"copy": func(s *solver) {
		s.click("textbox", "Field "+s.asked(`Copy field (\d)`)[0])
		s.do("press_key", map[string]any{"key": "Control+a"})
		s.do("press_key", map[string]any{"key": "Control+c"})
		s.click("textbox", "Last")
		s.do("press_key", map[string]any{"key": "Control+v"})
		s.click("button", "Done")
	},
	"layers": func(s *solver) {
		w := s.asked(`open the tab (\w+),`)[0]
		s.click("button", "×")
		s.click("tab", w)
		s.look()
		s.click("button", "Details")
		s.look()
		s.click("button", "Take")
	},
}

func solveSliders(s *solver) {
	w := s.asked(`volume to (\d+), the price to (\d+) and the depth to (\d+) percent`)
	s.fill("slider", "Volume", w[0])
	price := s.the("slider", "Price")
	want, _ := strconv.Atoi(w[1])
	now, _ := strconv.Atoi(strings.Fields(price.Value)[0])
	s.do("click_element", map[string]any{"annotationId": price.ID})
	key := "ArrowRight"
	if want < now {
		key = "ArrowLeft"
	}
	for range int(math.Abs(float64(want - now))) {
		s.do("press_key", map[string]any{"key": key})
	}
	s.look()
	// The last slider has no role: its position is given in percent of its track.
	i := slices.IndexFunc(s.list, func(e annotation.Element) bool { return strings.Contains(e.Value, " % (") })
	if i < 0 {
		s.t.Fatalf("the handle without a role is no slider:\n%s", lines(s.list))
	}
	depth, _ := strconv.Atoi(w[2])
	at, _ := strconv.Atoi(strings.Fields(s.list[i].Value)[0])
	s.do("drag_element", map[string]any{
		"from": s.list[i].ID,
		"by":   map[string]any{"x": float64(depth-at) / 100 * 220, "y": 0},
	})
	s.click("button", "Done")
}

func TestSmallTasksAreSolvedWithPublicTools(t *testing.T) {
	site := httptest.NewServer(testsites.Handler())
	t.Cleanup(site.Close)
	c := speak(t, testFlags(t), "solver", nil, "--headless", "--tools", "environment", "--allow-hosts", "127.0.0.1")
	names := make([]string, 0, len(solvers))
	for name := range solvers {
		names = append(names, name)
	}
	slices.Sort(names)
	seeds := 1
	if os.Getenv("SEXTANT_WHOLE") != "" {
		seeds = 3
	}
	for _, name := range names {
		for seed := 1; seed <= seeds; seed++ {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				s := &solver{mcpClient: c, t: t}
				s.do("navigate_page", map[string]any{"url": fmt.Sprintf("%s/tasks?task=%s&seed=%d", site.URL, name,
					seed)})
				s.read()
				s.look()
				solvers[name](s)
				if text := s.do("get_page_content", map[string]any{"format": "text"}); !strings.Contains(text,
					"Outcome: solved") {
					t.Errorf("not solved:\n%s\n%s", text, lines(s.list))
				}
			})
		}
	}
}
