package page

import (
	"context"
	"slices"
	"sync"

	"sextant/backend/tools/page/keys"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type pressParams struct {
	Key string `json:"key" required:"true"`
}

func (t *Tools) pressKey() tool {
	return build(tool{
		name: "press_key", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"key":"Enter"}`, `{"key":"Control+a"}`, `{"key":"ArrowDown"}`},
	}, func(s session, p pressParams) toolspec.Description {
		d := toolspec.Description{Sentence: "Pressing " + annotation.Clean(p.Key, 30)}
		if keys.EntersText(p.Key) {
			// A key that enters a character sends data to the focused page, as typing does.
			d.Data, d.Hosts = p.Key, focusedHosts(s)
		}
		return withKeyEffect(s, d, p.Key)
	}, func(ctx context.Context, s session, p pressParams) (toolspec.Result, error) {
		from := focusedHosts(s)
		a, err := s.PressKey(ctx, p.Key)
		if err != nil {
			return toolspec.Result{}, err
		}
		if keys.IsCopy(p.Key) {
			t.clipboard.set(from)
		}
		return t.result(a, "Pressed "+annotation.Clean(p.Key, 30)), nil
	})
}

func focusedHosts(s session) []string {
	var all []string
	for _, at := range s.KeyTargets() {
		if h := observation.Host(at); h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// clipboard contains the hosts from which the content of the clipboard was copied. All sessions share it.
type clipboard struct {
	mu    sync.Mutex
	hosts []string
}

func (c *clipboard) set(hosts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hosts = hosts
}

func (c *clipboard) otherThan(to []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hosts) == 0 {
		return []string{"the clipboard"}
	}
	return slices.DeleteFunc(slices.Clone(c.hosts), func(host string) bool { return len(to) == 1 && to[0] == host })
}

// Other callers, such as a person, know what they copied.
func (t *Tools) describePaste(call toolspec.Call, d *toolspec.Description) {
	switch call.From.Caller {
	case toolspec.CallerModel, toolspec.CallerCreatedTool, toolspec.CallerRun:
	default:
		return
	}
	if p, err := read[pressParams](call.Args); call.Tool == "press_key" && err == nil && keys.IsPaste(p.Key) {
		d.CopiedFrom = t.clipboard.otherThan(d.Hosts)
	}
}
