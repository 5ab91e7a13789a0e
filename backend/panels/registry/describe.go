package registry

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"sextant/backend/panels/manifest"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// Describe describes what call would do. If the call may start a program that needs an approval, it describes that
// start with the exact command instead, because the question is then about the program.
func (r *Registry) Describe(call toolspec.Call) toolspec.Description {
	o := r.state.Load().tools[call.Tool]
	if o == nil {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	if describer, call := r.describerOf(call); describer != nil {
		if d, ok := describer.Describe(call); ok {
			return d
		}
	}
	if o.runner != nil {
		if d := r.describeStart(o, call); d.NewProgram != "" {
			return d
		}
	}
	args, missing := r.fillContext(o, call.Args)
	d := toolspec.Description{Sentence: sentence(o, args), Target: o.Endpoint}
	if u, err := url.Parse(o.url); err == nil && o.url != "" && !manifest.IsLoopback(u.Hostname()) {
		d.Hosts = []string{strings.ToLower(u.Host)}
	}
	for _, host := range o.fetchHosts.List {
		d.Hosts = append(d.Hosts, strings.ToLower(host))
	}
	if missing != "" {
		return d
	}
	sent, err := newEndpointCall(o.BoundTool, args)
	if err != nil {
		return d
	}
	d.Target = sent.target()
	if len(d.Hosts) > 0 {
		d.Target = sent.method + " " + address(o.url, sent)
	}
	if o.isMCPServer {
		d.Target = o.url
	}
	if !o.Def.Hints.ReadOnly {
		d.Data = excerpt.TruncateRunes(string(sent.body), 2000)
	}
	return d
}

var placeholderForm = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// sentence returns the tool's user_description with each {name} replaced by an argument, or else the names of the panel
// and the tool.
func sentence(o *callable, args map[string]json.RawMessage) string {
	if o.UserDescription == "" {
		return fmt.Sprintf("%s: %s", o.title, o.Name)
	}
	text := placeholderForm.ReplaceAllStringFunc(o.UserDescription, func(match string) string {
		value, ok := args[match[1:len(match)-1]]
		if !ok {
			return "…"
		}
		return excerpt.TruncateRunes(oneLine(plain(value)), 60)
	})
	return excerpt.TruncateRunes(text, 160)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shownCommands records for each call that waits for approval which program was shown (process.Runner.Identity).
type shownCommands struct {
	byCall map[string]string
	order  []string
}

const maxShown = 256

func (s *shownCommands) put(call, command string) {
	if call == "" {
		return
	}
	if s.byCall == nil {
		s.byCall = map[string]string{}
	}
	if _, ok := s.byCall[call]; ok {
		// The user was shown the first command, so a later one must not replace it.
		return
	}
	s.byCall[call] = command
	s.order = append(s.order, call)
	if len(s.order) > maxShown {
		delete(s.byCall, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *shownCommands) take(call string) (command string, ok bool) {
	command, ok = s.byCall[call]
	delete(s.byCall, call)
	return command, ok
}

// describeStart describes the start of o's program: the exact command and what it may access. It returns the zero
// Description if the program needs no approval.
func (r *Registry) describeStart(o *callable, call toolspec.Call) toolspec.Description {
	r.mu.Lock()
	asks := r.needsApproval(o.runner)
	if asks {
		r.shown.put(call.ID, o.runner.Identity())
	}
	r.mu.Unlock()
	if !asks {
		return toolspec.Description{}
	}
	d := toolspec.Description{
		Sentence:   fmt.Sprintf("Starting the %s panel's program: %s", o.title, o.runner.CommandLine()),
		NewProgram: fmt.Sprintf("the %s panel's program", o.title),
		Target:     o.runner.CommandLine(), Data: "in the folder " + o.runner.Dir(),
		Unconfined: o.runner.UnconfinedReason(),
	}
	if may := o.runner.Access(); may != "" {
		d.Target += ", which may " + may
	}
	return d
}
