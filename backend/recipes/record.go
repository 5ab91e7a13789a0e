package recipes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sextant/backend/recipes/alike"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// ErrNothingToRepeat means that the calls acted on nothing that a recipe can repeat.
var ErrNothingToRepeat = errors.New("nothing can be repeated: nothing was done on a page, or what was tried failed")

// recordedCall is a call as the event log stores it.
type recordedCall struct {
	ID    string
	Start event.CallStart
	End   event.CallEnd
	// Imported is true for what another program recorded.
	Imported bool
}

// byHand reports whether a person did it in a browser. A person presses twice; the assistant asks for two presses.
func (c recordedCall) byHand() bool { return c.Start.PageURL != "" || c.Imported }

// Source says what a recipe repeats: a turn of a conversation, a whole conversation if Turn is "", or, without a
// conversation, what happened after the event Since: the calls with the ids Calls, or what the person did by hand in
// the browser if there are none.
type Source struct {
	Conversation, Turn string
	Since              int64
	Calls              []string
}

// maxSearched bounds how many events are searched.
const maxSearched = 20_000

// maxReportTime bounds the wait for the last step that the person did by hand.
const maxReportTime = 2 * time.Second

// Draft returns the recipe that repeats what is in source, without a name. It saves nothing.
func (r *Recipes) Draft(ctx context.Context, source Source) (recipe.Recipe, error) {
	byHand := source.Conversation == "" && len(source.Calls) == 0
	if byHand {
		waiting, cancel := context.WithTimeout(ctx, maxReportTime)
		r.cfg.ReportSteps(waiting)
		cancel()
	}
	var events []event.Event
	var err error
	if source.Conversation == "" {
		events, err = r.cfg.EventsAfter(ctx, source.Since, maxSearched)
	} else {
		events, err = r.cfg.Events(ctx, source.Conversation)
	}
	if err != nil {
		return recipe.Recipe{}, fmt.Errorf("reading what was done: %w", err)
	}
	calls, address, err := callsOf(events, func(e event.Event, c event.CallStart) bool {
		if len(source.Calls) > 0 {
			outer, _, _ := strings.Cut(e.Call, ".") // a step of run_steps has the id of its call with a number
			return slices.Contains(source.Calls, e.Call) || slices.Contains(source.Calls, outer)
		}
		if byHand {
			return e.Conversation == "" && c.Caller == toolspec.CallerPerson && c.Origin == toolspec.OriginBaseline &&
				c.ParentCall == ""
		}
		return source.Turn == "" || e.Turn == source.Turn
	})
	if err != nil {
		return recipe.Recipe{}, err
	}
	if byHand {
		address = inferEffects(calls, r.cfg.PageURL())
	}
	return record(calls, address)
}

// inferEffects adds to what the person did by hand that it led to another page or opened a dialog, and returns the
// address of the page on which it began. last is the address of the page now.
func inferEffects(calls []recordedCall, last string) (first string) {
	for i, c := range calls {
		if c.Start.PageURL == "" {
			continue
		}
		if first == "" {
			first = c.Start.PageURL
		}
		next := last
		if i+1 < len(calls) {
			if calls[i+1].Start.Tool == dialogTool {
				calls[i].End.Change = &annotation.Change{Events: []string{"dialog"}}
				continue
			}
			next = calls[i+1].Start.PageURL
		}
		if next != "" && surface.WithoutFragment(next) != surface.WithoutFragment(c.Start.PageURL) {
			calls[i].End.Change = &annotation.Change{URL: next, Events: []string{"navigated"}}
		}
	}
	return first
}

// callsOf returns the calls for which mine is true, in the order in which they started, and the address of the page on
// which they began, "" if it is not known.
func callsOf(events []event.Event, mine func(event.Event, event.CallStart) bool) (calls []recordedCall, address string,
	err error,
) {
	at := map[string]int{}
	for _, e := range events {
		switch e.Kind {
		case event.CallStarted:
			c := recordedCall{ID: e.Call}
			if err := json.Unmarshal(e.Data, &c.Start); err != nil {
				return nil, "", fmt.Errorf("reading call %s: %w", e.Call, err)
			}
			if mine(e, c.Start) {
				at[e.Call] = len(calls)
				calls = append(calls, c)
			}
		case event.CallEnded:
			var end event.CallEnd
			if err := json.Unmarshal(e.Data, &end); err != nil {
				return nil, "", fmt.Errorf("reading call %s: %w", e.Call, err)
			}
			i, known := at[e.Call]
			if known {
				calls[i].End = end
			}
			if end.Change != nil && (len(calls) == 0 || (known && address == "" && !acts(calls[i]))) {
				address = end.Change.URL
			}
		}
	}
	return calls, address, nil
}

// record returns the recipe that repeats the calls, without those that only looked, failed, or made other calls that
// are among them. address is the page on which they began. Values that were typed, chosen or uploaded become
// parameters.
func record(calls []recordedCall, address string) (recipe.Recipe, error) {
	var b builder
	parents := parentsOf(calls)
	for _, c := range calls {
		if c.End.Status == event.CallDone && acts(c) && !onPanel(c) && !parents[c.ID] {
			if err := b.add(c); err != nil {
				return recipe.Recipe{}, err
			}
		}
	}
	if len(b.recipe.Steps) == 0 {
		return recipe.Recipe{}, ErrNothingToRepeat
	}
	if first := b.recipe.Steps[0]; opensNothing(first) && opensAgain(address) {
		open, err := json.Marshal(map[string]string{"url": address})
		if err != nil {
			return recipe.Recipe{}, fmt.Errorf("writing the first step: %w", err)
		}
		b.recipe.Steps = slices.Insert(b.recipe.Steps, 0, recipe.Step{Tool: navigateTool, Args: open})
	}
	return b.recipe, nil
}

// Action is an act on a page that another program recorded.
type Action struct {
	Tool string
	// Args are the arguments of the tool, without the number of an element.
	Args map[string]any
	// On is the element of the action, without a role for none.
	On annotation.Reference
	// Navigates is true if the action led to another page, and LeadsTo is its address, "" if that is not known.
	Navigates bool
	LeadsTo   string
}

// FromActions returns the recipe that repeats the actions, without a name.
func FromActions(actions []Action) (recipe.Recipe, error) {
	calls := make([]recordedCall, len(actions))
	for i, a := range actions {
		args := map[string]any{}
		maps.Copy(args, a.Args)
		text, err := encode(args)
		if err != nil {
			return recipe.Recipe{}, fmt.Errorf("writing the arguments of %s: %w", a.Tool, err)
		}
		c := recordedCall{ID: strconv.Itoa(i), End: event.CallEnd{Status: event.CallDone}, Imported: true}
		c.Start.Tool, c.Start.Args = a.Tool, text
		if a.On.Role != "" {
			c.Start.Elements = map[string]annotation.Reference{"annotationId": a.On}
		}
		if a.Navigates {
			c.End.Change = &annotation.Change{URL: a.LeadsTo, Events: []string{"navigated"}}
		}
		calls[i] = c
	}
	return record(calls, "")
}

const (
	navigateTool = "navigate_page"
	tabsTool     = "browser_tabs"
	dialogTool   = "handle_dialog"
)

func opensNothing(s recipe.Step) bool { return s.Tool != navigateTool && s.Tool != tabsTool }

func opensAgain(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// acts reports whether a call did something that a recipe repeats.
func acts(c recordedCall) bool { return !c.Start.ReadsOnly || c.Start.Tool == "wait_for" }

// onPanel reports whether a call acted on the page of a panel. Recipes act in the browser.
func onPanel(c recordedCall) bool {
	return c.End.Change != nil && strings.HasPrefix(c.End.Change.URL, "panel:")
}

// parentsOf returns the ids of the calls that made other calls among them. A step of run_steps has the id of its call
// with a number.
func parentsOf(calls []recordedCall) map[string]bool {
	parents := map[string]bool{}
	for _, c := range calls {
		parents[c.Start.ParentCall] = true
		if dot := strings.LastIndexByte(c.ID, '.'); dot > 0 {
			parents[c.ID[:dot]] = true
		}
	}
	return parents
}

type builder struct {
	recipe recipe.Recipe
	// values contains the recorded value of each parameter.
	values []parameterValue
}

type parameterValue struct{ name, value string }

// typedArgs are the arguments of page tools that become parameters.
var typedArgs = map[string][]string{
	"type_text": {"text"}, "select_option": {"values"}, "upload_file": {"path", "paths"},
}

// HiddenText is in place of a text that is not stored, such as a password. It becomes a secret parameter.
const HiddenText = "…"

func (b *builder) add(c recordedCall) error {
	raw := c.Start.Args
	if len(c.End.EditedArgs) > 0 {
		raw = c.End.EditedArgs
	}
	args := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&args); err != nil {
		return fmt.Errorf("reading the arguments of %s: %w", c.Start.Tool, err)
	}
	target := c.Start.Elements["annotationId"]
	for _, arg := range typedArgs[c.Start.Tool] {
		if v, ok := args[arg]; ok {
			args[arg] = mapTexts(v, func(value string) string { return b.parameter(target, value) })
		}
	}
	for arg, ref := range c.Start.Elements {
		args[arg] = mapReference(ref, b.withParameters)
	}
	if c.Start.Tool == tabsTool && args["action"] == "select" && c.End.Change != nil {
		args["tab"] = map[string]string{"url": b.pattern(c.End.Change.URL)} // another run has other numbers
	}
	if b.dropFocusBefore(c) {
		delete(args, "clear")
	}
	text, err := encode(args)
	if err != nil {
		return fmt.Errorf("writing the arguments of %s: %w", c.Start.Tool, err)
	}
	b.recipe.Steps = append(b.recipe.Steps, recipe.Step{
		Tool: c.Start.Tool, Args: text, Optional: c.Start.Tool == "scroll_page",
		Expect: mapEffect(b.effect(c, target), b.withParameters),
	})
	return nil
}

// dropFocusBefore drops what gave the focus to the element of c: presses of Tab, a click into the field that c fills in
// with the selection of its text, and the first click of a double click. selectedAll is true if all of its text was
// selected.
func (b *builder) dropFocusBefore(c recordedCall) (selectedAll bool) {
	is, onElement := c.Start.Elements["annotationId"]
	var args struct{ Count int }
	_ = json.Unmarshal(c.Start.Args, &args) // an argument of another type is not used here
	enters := len(typedArgs[c.Start.Tool]) > 0
	for last := len(b.recipe.Steps) - 1; onElement && c.byHand() && last >= 0; last-- {
		step := b.recipe.Steps[last]
		was := References(step)["annotationId"]
		isClick := step.Tool == "click_element" && isMinor(step.Expect) && was.Role == is.Role && was.Name == is.Name &&
			was.Row == is.Row && was.Group == is.Group
		switch {
		case pressed(step) == "Tab" && !selectedAll, isClick && (enters || args.Count > 1):
		case enters && pressed(step) == "Control+a":
			selectedAll = true
		default:
			return selectedAll
		}
		b.recipe.Steps = b.recipe.Steps[:last]
		if isClick && !enters {
			return selectedAll
		}
	}
	return selectedAll
}

// pressed returns the key that a step presses, "" if it presses none or must cause something.
func pressed(s recipe.Step) string {
	var args struct{ Key string }
	if s.Tool != "press_key" || !isMinor(s.Expect) || json.Unmarshal(s.Args, &args) != nil {
		return ""
	}
	return args.Key
}

func encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}

// parameter returns the placeholder for a value that was entered into target. Equal values are one parameter.
func (b *builder) parameter(target annotation.Reference, value string) string {
	if value == "" || strings.Contains(value, "{{") {
		return value
	}
	for _, known := range b.values {
		if known.value == value && value != HiddenText {
			return "{{" + known.name + "}}"
		}
	}
	// The label of the page becomes part of a tool's definition, which models read.
	p := recipe.Parameter{Name: b.freeName(target.Name), Description: annotation.Clean(target.Name, maxLabel)}
	if value == HiddenText {
		p.Secret = true
	} else {
		p.Default = &value
	}
	b.recipe.Parameters = append(b.recipe.Parameters, p)
	b.values = append(b.values, parameterValue{p.Name, value})
	return "{{" + p.Name + "}}"
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

const (
	maxParameterName = 30
	maxLabel         = 40
)

func (b *builder) freeName(label string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(label), "_"), "_")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "value"
	}
	name = strings.Trim(name[:min(len(name), maxParameterName)], "_")
	free := name
	taken := func(v parameterValue) bool { return v.name == free }
	for n := 2; isReserved(free) || slices.ContainsFunc(b.values, taken); n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// withParameters returns a text of a page with placeholders for recorded values. What looks like a placeholder in it is
// changed, so that no value is filled in there.
func (b *builder) withParameters(text string) string {
	text = strings.ReplaceAll(text, "{{", "{ {")
	for _, p := range b.values {
		if p.value != HiddenText {
			text = mention(text, p.value, p.name)
		}
	}
	return text
}

// effect returns what a later run of the call must cause, nil if the call caused nothing that can be compared.
// isMinor reports whether an effect is none, or only a text, such as the hint of a field.
func isMinor(e *recipe.Effect) bool {
	return e == nil || e.Event == "" && e.URL == "" && len(e.Appears) == 0
}

// sayingTools are the tools after which a text that appears is an effect. Other actions cause hints.
var sayingTools = []string{"click_element", "press_key", "select_option", "drag_element", "upload_file", dialogTool}

func (b *builder) effect(c recordedCall, target annotation.Reference) *recipe.Effect {
	change := c.End.Change
	if change == nil || c.Start.Tool == "scroll_page" {
		return nil
	}
	var e recipe.Effect
	if len(change.Events) > 0 && c.Start.Tool != navigateTool && c.Start.Tool != dialogTool {
		e.Event = change.Events[0]
	}
	switch {
	case c.Start.Tool == navigateTool || e.Event == "navigated" || e.Event == "opened_tab":
		e.URL = b.pattern(change.URL)
	case e.Event == "" && c.Start.Tool != "type_text":
		for _, r := range change.Appeared {
			if r.Role != target.Role || r.Name != target.Name {
				e.Appears = append(e.Appears, r)
			}
		}
	}
	if e.Event == "" && e.URL == "" && len(e.Appears) == 0 {
		if !slices.Contains(sayingTools, c.Start.Tool) || len(change.Texts) == 0 {
			return nil
		}
		e.Texts = change.Texts
	}
	return &e
}

// pattern returns the address without its query, with a * for each part that differs from run to run: numbers and
// values of parameters.
func (b *builder) pattern(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		varies := strings.ContainsAny(part, "0123456789")
		for _, p := range b.values {
			slug := strings.ReplaceAll(alike.Name(p.value), " ", "-")
			varies = varies || (len(slug) > 2 && strings.Contains(strings.ToLower(part), slug))
		}
		if varies {
			parts[i] = "*"
		}
	}
	host := u.Host
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() && u.Port() != "" {
		host = net.JoinHostPort(u.Hostname(), "*") // servers on this machine choose another port at each start
	}
	return u.Scheme + "://" + host + strings.Join(parts, "/")
}
