package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/calls/deadline"
	"sextant/backend/tools/panels/accepted"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// maxPinned bounds how many tools of a server are remembered, maxPin how long one may be, in bytes.
const (
	maxPinned = 512
	maxPin    = 128 << 10
)

// Change is a tool that its server says something else of than the person knows.
type Change struct {
	Server, Tool string
	// Diff is readable, line by line, of what the server said then and says now: outside text.
	Diff string
	// Call is the call that waits for the answer.
	Call toolspec.Call
}

// pinned is what is remembered of a tool: all that a model or a person reads of it.
func pinned(t *sdk.Tool) string {
	text := asText(struct {
		Name         string               `json:"name"`
		Title        string               `json:"title,omitempty"`
		Description  string               `json:"description,omitempty"`
		InputSchema  any                  `json:"inputSchema"`
		OutputSchema any                  `json:"outputSchema,omitempty"`
		Annotations  *sdk.ToolAnnotations `json:"annotations,omitempty"`
	}{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations})
	if len(text) > maxPin {
		return accepted.Hash([]byte(text))
	}
	return text
}

// meet pins the tools that are new, and returns for each that changed since the person knew it what it
// was. With the server added, its first tools are known; one that comes later has no grant yet and is
// asked about as any other is.
func (v *server) meet(ctx context.Context, found []*sdk.Tool) (was map[string]*sdk.Tool, err error) {
	before, err := v.known(ctx)
	if err != nil {
		return nil, err
	}
	was = map[string]*sdk.Tool{}
	fresh := map[string]string{}
	for _, t := range found {
		now := pinned(t)
		then, known := before.Tools[t.Name]
		switch {
		case !known && len(before.Tools)+len(fresh) < maxPinned:
			fresh[t.Name] = now
		case known && then == now:
		default:
			// One that was too long to be kept is shown as nothing but its name.
			old := &sdk.Tool{Name: t.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}
			if known {
				_ = json.Unmarshal([]byte(then), old)
			}
			was[t.Name] = old
		}
	}
	if len(fresh) == 0 && before.Tools != nil {
		return was, nil
	}
	return was, v.remember(ctx, func(k *wire.KnownServer) {
		tools := map[string]string{}
		maps.Copy(tools, k.Tools)
		maps.Copy(tools, fresh)
		k.Tools = tools
	})
}

// review stops a call of a tool that was changed, unless the person says that it may go on. What
// changes again while they read is asked about again. Calls of other tools go on meanwhile.
func (v *server) review(ctx context.Context, call toolspec.Call, name string) *toolspec.Result {
	for v.change(name) != nil {
		// Another call's question takes none of this one's time.
		resume := deadline.Pause(ctx)
		select {
		case v.reviewing <- struct{}{}:
			resume()
		case <-ctx.Done():
			resume()
			r := toolspec.Fail(toolspec.SystemError, fmt.Sprintf("stopped while the person is asked about a changed tool of the MCP server %s; %s was not called", v.name, name), "")
			return &r
		}
		refusal := v.judge(ctx, call, name)
		<-v.reviewing
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

// judge asks the person about a changed tool, one at a time, and takes the change over when they agree.
func (v *server) judge(ctx context.Context, call toolspec.Call, name string) *toolspec.Result {
	changed := v.change(name)
	if changed == nil {
		return nil
	}
	known, err := v.known(ctx)
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError, err.Error(), "Check that the disk is not full, then call again.")
		return &r
	}
	now := pinned(changed)
	if known.Tools[name] == now {
		v.take(name, changed) // a list that was on its way when they agreed
		return nil
	}
	c := Change{Server: v.name, Tool: name, Call: call, Diff: accepted.DiffOf(name, []byte(known.Tools[name]), []byte(now))}
	goOn, why := false, "there is nobody to ask"
	if v.owner.cfg.Review != nil {
		inner, _, done, _ := v.flying.of(ctx)
		goOn, err = v.owner.cfg.Review(inner, c)
		done()
		if why = "the person said no"; err != nil {
			why = err.Error()
		}
	}
	if !goOn {
		r := toolspec.Fail(toolspec.SecurityError, fmt.Sprintf("the MCP server %s has changed its tool %s since the person knew it, and %s, so it was not called.\n%s", v.name, name, why, shorten(c.Diff, 4000)),
			"The person can look at the difference and allow it in Sextant's window when it is called there.")
		r.Sources = []string{"mcp:" + v.name}
		return &r
	}
	if err := v.remember(ctx, func(k *wire.KnownServer) {
		tools := maps.Clone(k.Tools)
		tools[name] = now
		k.Tools = tools
	}); err != nil {
		v.log.Warn("a changed tool was allowed and is asked about again", "tool", name, "error", err)
	}
	v.take(name, changed)
	return nil
}

// change is what the server says now of a tool that it changed, nil for one that it did not.
func (v *server) change(name string) *sdk.Tool {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	for _, t := range v.tools {
		if t.theirs == name {
			return t.changed
		}
	}
	return nil
}

// take has a changed tool offered as the server describes it now.
func (v *server) take(name string, changed *sdk.Tool) {
	def, err := v.define(changed)
	now := pinned(changed)
	v.set(func() {
		// Not in place: lists that were handed out keep what they have.
		tools := append([]tool(nil), v.tools...)
		for i := range tools {
			if tools[i].theirs == name && tools[i].changed != nil && pinned(tools[i].changed) == now {
				tools[i].changed = nil
				if err == nil {
					def.App = tools[i].def.App
					def.TimeoutMS = tools[i].def.TimeoutMS
					tools[i].def = def
				}
			}
		}
		v.tools = tools
	})
	v.owner.publish()
}
