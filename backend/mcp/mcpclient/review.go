package mcpclient

import (
	"context"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/definitions"
	"sextant/backend/mcp/inflight"
	"sextant/backend/pipeline/deadline"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// ToolChange is a tool with a definition that differs from the one that the person knows.
type ToolChange struct {
	Server, Tool string
	// Diff shows the difference line by line. It is text from outside.
	Diff string
	// Call is the call that waits for the answer.
	Call toolspec.Call
}

// pinTools pins new tools without asking: they have no grant yet and are confirmed like any other.
func (v *server) pinTools(ctx context.Context, tools []*sdk.Tool) (changed map[string]*sdk.Tool, err error) {
	known, err := v.known(ctx)
	if err != nil {
		return nil, err
	}
	fresh, changed := definitions.Compare(known.Pins, tools)
	if len(fresh) == 0 && known.Pins != nil {
		return changed, nil
	}
	return changed, v.remember(ctx, func(k *wire.KnownServer) {
		pins := map[string]string{}
		maps.Copy(pins, k.Pins)
		maps.Copy(pins, fresh)
		k.Pins = pins
	})
}

// review returns a refusal unless the person allows a changed tool. If it changes while they read, it asks again.
func (v *server) review(ctx context.Context, call toolspec.Call, name string) *toolspec.Result {
	for v.changedTool(name) != nil {
		// Waiting for another call's question does not count against this call's deadline.
		resume := deadline.Pause(ctx)
		select {
		case v.reviewing <- struct{}{}:
			resume()
		case <-ctx.Done():
			resume()
			r := toolspec.Fail(toolspec.SystemError, fmt.Sprintf(
				"stopped while the person was asked about a changed tool of the MCP server %s; %s was not "+
					"called", v.name, name), "")
			return &r
		}
		refusal := v.askAboutChange(ctx, call, name)
		<-v.reviewing
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

func (v *server) askAboutChange(ctx context.Context, call toolspec.Call, name string) *toolspec.Result {
	changed := v.changedTool(name)
	if changed == nil {
		return nil
	}
	known, err := v.known(ctx)
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError, err.Error(),
			"Check that the data folder is there and its disk is not full, then call again.")
		return &r
	}
	pin := definitions.PinOf(changed)
	if known.Pins[name] == pin {
		v.accept(name, changed) // its list was on its way when the person agreed
		return nil
	}
	c := ToolChange{Server: v.name, Tool: name, Call: call, Diff: definitions.Diff(name, known.Pins[name], pin)}
	allowed, why := false, "there is nobody to ask"
	if v.owner.cfg.Review != nil {
		inner, resume := inflight.FromContext(ctx).Pause(ctx)
		allowed, err = v.owner.cfg.Review(inner, c)
		resume()
		if why = "the person declined"; err != nil {
			why = err.Error()
		}
	}
	if !allowed {
		r := toolspec.Fail(toolspec.SecurityError, fmt.Sprintf(
			"the MCP server %s has changed its tool %s since the person last saw it, and %s, so it was not called.\n%s",
			v.name, name, why, excerpt.TruncateRunes(c.Diff, 4000)),
			"The person can review the difference and allow it in Sextant's window when the tool is called there.")
		r.Sources = []string{v.source()}
		return &r
	}
	if err := v.remember(ctx, func(k *wire.KnownServer) {
		pins := maps.Clone(k.Pins)
		pins[name] = pin
		k.Pins = pins
	}); err != nil {
		v.log.Warn("a changed tool was allowed, but this could not be saved; it will be asked again", "tool", name,
			"err", err)
	}
	v.accept(name, changed)
	return nil
}

func (v *server) changedTool(name string) *sdk.Tool {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	for _, t := range v.tools {
		if t.theirs == name {
			return t.changed
		}
	}
	return nil
}

func (v *server) accept(name string, changed *sdk.Tool) {
	def, err := definitions.FromTool(v.name, v.isRemote(), changed)
	pin := definitions.PinOf(changed)
	v.set(func() {
		tools := slices.Clone(v.tools)
		for i := range tools {
			if tools[i].theirs != name || tools[i].changed == nil || definitions.PinOf(tools[i].changed) != pin {
				continue
			}
			tools[i].changed = nil
			if err == nil {
				def.AppURI, def.TimeoutMS = tools[i].def.AppURI, tools[i].def.TimeoutMS
				tools[i].def = def
			}
		}
		v.tools = tools
	})
	v.owner.publish()
}
