package environment

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed press_key.md
var pressAbout string

type pressParams struct {
	Key string `json:"key" required:"true"`
}

func (t *Tools) pressKey() tool {
	return build(tool{
		name: "press_key", about: about(pressAbout), hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"key":"Enter"}`, `{"key":"Control+a"}`, `{"key":"ArrowDown"}`},
	}, func(s session, p pressParams) toolspec.Description {
		d := toolspec.Description{Present: "Pressing " + annotator.Clean(p.Key, 30)}
		if writes(p.Key) {
			// A key that writes gives something away as typing does, to whoever has the focus.
			d.Data, d.Hosts = p.Key, focused(s)
		}
		return d
	}, func(ctx context.Context, s session, p pressParams) (toolspec.Result, error) {
		from := focused(s)
		a, err := s.Press(ctx, p.Key)
		if err != nil {
			return toolspec.Result{}, err
		}
		if copies(p.Key) {
			t.clip.hold(from)
		}
		return t.answered(a, "", defaultTokens, "Pressed "+annotator.Clean(p.Key, 30)), nil
	})
}

// focused are the hosts of what a key press reaches.
func focused(s session) []string {
	var all []string
	for _, at := range s.KeyTargets() {
		if h := hostOf(at); h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// chord is a key's name without what is held with it, and whether a key other than Shift is held.
func chord(key string) (last string, held bool) {
	parts := strings.Split(strings.ToLower(key), "+")
	last = parts[len(parts)-1]
	return last, slices.ContainsFunc(parts[:len(parts)-1], func(k string) bool { return k != "shift" })
}

// writes reports whether a key leaves something in a field: a letter or sign, or what was copied.
func writes(key string) bool {
	last, held := chord(key)
	return pastes(key) || !held && (utf8.RuneCountInString(key) == 1 || utf8.RuneCountInString(last) == 1)
}

func pastes(key string) bool {
	last, held := chord(key)
	return held && last == "v" || strings.EqualFold(key, "Shift+Insert")
}

func copies(key string) bool {
	last, held := chord(key)
	return held && (last == "c" || last == "x" || last == "insert") || strings.EqualFold(key, "Shift+Delete")
}

// clipboard knows where what is on the browser's clipboard came from; it is one for all tabs.
type clipboard struct {
	mu   sync.Mutex
	from []string
}

func (c *clipboard) hold(from []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from = from
}

// foreign names where what is pasted came from, when that is not all of to: then it carries
// something from one to the other, which nobody has read.
func (c *clipboard) foreign(to []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.from) == 0 {
		return []string{"the clipboard"}
	}
	return slices.DeleteFunc(slices.Clone(c.from), func(host string) bool { return len(to) == 1 && to[0] == host })
}

// pasted tells of a paste that a model asks for where its data comes from. A person, and a
// program that speaks for one, knows what was copied.
func (t *Tools) pasted(call toolspec.Call, d *toolspec.Description) {
	switch call.From.Caller {
	case toolspec.CallerModel, toolspec.CallerCreated, toolspec.CallerRun:
	default:
		return
	}
	if p, err := read[pressParams](call.Args); call.Tool == "press_key" && err == nil && pastes(p.Key) {
		d.Copied = t.clip.foreign(d.Hosts)
	}
}
