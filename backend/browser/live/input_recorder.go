package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sextant/backend/browser/inspect"
	"sextant/backend/browser/page"
	"sextant/shared/annotation"
	"sextant/shared/wire"
)

// Step is one thing that the person did on the live picture, expressed as the call of a tool with the same effect.
type Step struct {
	Tool     string
	Args     json.RawMessage
	Sentence string
	// Elements describes the elements that the step acts on, by argument.
	Elements map[string]annotation.Reference
	// URL is the address of the page at that moment.
	URL string
}

const (
	typingPause    = 1500 * time.Millisecond
	maxTyped       = 200
	enteredTimeout = 500 * time.Millisecond
	inputBacklog   = 256
)

// pickedType is the type of the input by which the person chose from a picker. Its text is the label or the value.
const pickedType = "picked"

// hit is the element under a press or of a picker, nil for none, and ref its reference. reported is closed when
// everything before it is reported; it is nil for an input.
type recordedInput struct {
	reported chan<- struct{}

	in  wire.Input
	at  time.Time
	hit *annotation.Element
	ref annotation.Reference
	url string
	// suggested is true for a picked suggestion of a text field.
	suggested bool
}

// inputRecorder converts the person's inputs to steps. One goroutine owns all fields except inputs, enteredSignal and
// those guarded by mu.
type inputRecorder struct {
	manager *page.Manager
	report  func(Step)
	inputs  chan recordedInput

	// field is the field that was clicked last, nil when the focus may be elsewhere. ref is the reference of the
	// element of the step that is made.
	field *annotation.Element
	ref   annotation.Reference
	// chooses is true if arrows and Space may choose something: after Tab, and after a press on what takes no text.
	chooses bool
	// typed is the text after backspaces, sent all characters sent since begun.
	typed, sent []rune
	begun       time.Time
	url         string

	enteredSignal chan struct{}
	mu            sync.Mutex
	entered       []page.EnteredText
}

func newRecorder(m *page.Manager, report func(Step)) *inputRecorder {
	return &inputRecorder{
		manager: m, report: report, inputs: make(chan recordedInput, inputBacklog),
		enteredSignal: make(chan struct{}, 1),
	}
}

func (i *inputRecorder) addEnteredText(k page.EnteredText) {
	i.mu.Lock()
	// Text that a tool typed before the person's is in the list too; the oldest is dropped.
	if i.entered = append(i.entered, k); len(i.entered) > 20*maxTyped {
		i.entered = slices.Clone(i.entered[10*maxTyped:])
	}
	i.mu.Unlock()
	select {
	case i.enteredSignal <- struct{}{}:
	default:
	}
}

// record never blocks: when the page is slow to be described, steps are lost, but not input.
func (i *inputRecorder) record(in recordedInput) {
	if i.report == nil {
		return
	}
	select {
	case i.inputs <- in:
	default:
		i.manager.Log.Warn("dropped a person's step: too many at once")
	}
}

func (i *inputRecorder) run() {
	pause := time.NewTimer(typingPause)
	defer pause.Stop()
	for {
		select {
		case n := <-i.inputs:
			i.take(n)
			pause.Reset(typingPause)
		case <-pause.C:
			i.flush()
		case <-i.manager.Done():
			for {
				select {
				case n := <-i.inputs:
					i.take(n)
				default:
					i.flush()
					return
				}
			}
		}
	}
}

func (i *inputRecorder) take(n recordedInput) {
	if n.reported != nil {
		i.flush()
		close(n.reported)
		return
	}
	switch n.in.Type {
	case "down":
		i.flush()
		i.click(n)
	case "text":
		i.add(n, n.in.Text)
	case "keydown":
		i.press(n)
	case pickedType:
		i.flush()
		i.pick(n)
	}
}

func takesText(e *annotation.Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "combobox", "spinbutton":
		return true
	}
	return false
}

// pick reports what the person chose from the picker of a field.
func (i *inputRecorder) pick(n recordedInput) {
	if n.hit == nil {
		return
	}
	i.field, i.ref = nil, n.ref
	tool, args := "type_text", map[string]any{"annotationId": n.hit.ID, "text": n.in.Text}
	if role := n.hit.Role; !n.suggested && (role == "combobox" || role == "listbox") {
		tool, args = "select_option", map[string]any{"annotationId": n.hit.ID, "values": []string{n.in.Text}}
	}
	sentence := fmt.Sprintf("chose %q in %s", annotation.Clean(n.in.Text, 80), describeElement(n.hit))
	i.step(tool, args, sentence, n.url)
}

func (i *inputRecorder) click(n recordedInput) {
	i.field, i.ref, i.chooses = nil, n.ref, n.hit != nil && !takesText(n.hit)
	verb, button := "Clicked", n.in.Button
	switch {
	case button == "right":
		verb = "Right-clicked"
	case button == "middle":
		verb = "Middle-clicked"
	case n.in.Count == 2:
		verb = "Double-clicked"
	case n.in.Count > 2 && (n.hit == nil || takesText(n.hit)):
		return // a third press selects text; the first two are recorded
	}
	if n.hit == nil {
		args := map[string]any{"x": n.in.X, "y": n.in.Y}
		i.step("click_at", args, fmt.Sprintf("%s at %.0f, %.0f", verb, n.in.X, n.in.Y), n.url)
		return
	}
	if takesText(n.hit) {
		i.field = n.hit
	}
	args := map[string]any{"annotationId": n.hit.ID}
	if button != "" && button != "left" {
		args["button"] = button
	}
	if n.in.Count == 2 {
		args["count"] = 2
	}
	i.step("click_element", args, fmt.Sprintf("%s %s", strings.ToLower(verb), describeElement(n.hit)), n.url)
}

func describeElement(e *annotation.Element) string {
	return fmt.Sprintf("[%d] %s %q", e.ID, e.Role, annotation.Clean(e.Name, 80))
}

// CDP's bits for Control and Meta, which turn a key into a command.
const (
	controlKey  = 2
	commandKeys = controlKey | 4
)

func (i *inputRecorder) press(n recordedInput) {
	key := n.in.Key
	single := utf8.RuneCountInString(key) == 1
	switch {
	case i.chooses && len(i.sent) == 0 && (key == " " || strings.HasPrefix(key, "Arrow")):
		name := strings.ReplaceAll(key, " ", "Space")
		i.step("press_key", map[string]any{"key": name}, "Pressed "+name, n.url)
	case single && n.in.Modifiers&commandKeys == 0:
		i.add(n, key)
	case key == "Backspace" && len(i.typed) > 0:
		i.typed = i.typed[:len(i.typed)-1]
	case single && n.in.Modifiers&commandKeys != 0:
		i.flush()
		i.step("press_key", map[string]any{"key": "Control+" + key}, "Pressed Control+"+key, n.url)
	case key == "Enter" || key == "Escape" || key == "Tab":
		i.flush()
		i.step("press_key", map[string]any{"key": key}, "Pressed "+key, n.url)
		i.field = nil // the focus may be elsewhere now
		i.chooses = key == "Tab"
	}
}

func (i *inputRecorder) add(n recordedInput, text string) {
	if len(i.sent) == 0 {
		i.begun = n.at
	}
	i.url = n.url
	if len(i.sent) < 10*maxTyped {
		i.typed = append(i.typed, []rune(text)...)
		i.sent = append(i.sent, []rune(text)...)
	}
}

// flush reports a step for the typed text. The step shows the text only when the page reported all of it in one field,
// the one that was clicked if a field was, and the field does not hide it.
func (i *inputRecorder) flush() {
	if len(i.sent) == 0 {
		return
	}
	n, sent := len(i.typed), string(i.sent)
	text := string(i.typed[:min(n, maxTyped)])
	entered := i.collectEnteredText(len(i.sent))
	i.typed, i.sent = nil, nil
	if n == 0 {
		return
	}
	if i.field == nil && len(entered) > 0 {
		id := i.manager.Elements.ID(entered[0].Document, entered[0].Handle)
		i.field, i.ref = i.manager.ShownSession().ElementByID(id)
	}
	into, shown := i.inField(entered, sent)
	if !shown {
		where := ""
		args := map[string]any{"text": "…"}
		if into {
			where = " into " + describeElement(i.field)
			args["annotationId"] = i.field.ID
		}
		i.step("type_text", args, fmt.Sprintf("Typed %d characters%s", n, where), i.url)
		return
	}
	args := map[string]any{"annotationId": i.field.ID, "text": text}
	if !entered[0].ReplacesAll {
		args["clear"] = false
	}
	i.step("type_text", args,
		fmt.Sprintf("Typed %q into %s", annotation.Clean(text, 80), describeElement(i.field)), i.url)
}

// collectEnteredText waits a moment for late reports, up to n characters.
func (i *inputRecorder) collectEnteredText(n int) []page.EnteredText {
	limit := time.NewTimer(enteredTimeout)
	defer limit.Stop()
	for {
		i.mu.Lock()
		list := slices.DeleteFunc(slices.Clone(i.entered),
			func(k page.EnteredText) bool { return k.At.Before(i.begun) })
		i.mu.Unlock()
		count := 0
		for _, k := range list {
			count += utf8.RuneCountInString(k.Text)
			if !k.Shown {
				count++
			}
		}
		waiting := count < n
		if waiting {
			select {
			case <-i.enteredSignal:
				continue
			case <-limit.C:
			case <-i.manager.Done():
			}
		}
		i.mu.Lock()
		i.entered = nil
		i.mu.Unlock()
		return list
	}
}

// inField reports whether all entered text went into the field. shown is true when it may be shown: it is all that
// was sent, and no part of it is hidden or unknown.
func (i *inputRecorder) inField(entered []page.EnteredText, sent string) (into, shown bool) {
	if i.field == nil || len(entered) == 0 {
		return false, false
	}
	var text strings.Builder
	shown = true
	for _, k := range entered {
		if k.Document == 0 || k.Handle == 0 || i.manager.Elements.ID(k.Document, k.Handle) != i.field.ID {
			return false, false
		}
		shown = shown && k.Shown
		text.WriteString(k.Text)
	}
	return true, shown && text.String() == sent && !inspect.OriginOf(i.manager.ShownSession(), i.field.ID).Secret
}

func (i *inputRecorder) step(tool string, args map[string]any, sentence, url string) {
	raw, err := json.Marshal(args)
	if err != nil {
		return // strings and numbers always marshal
	}
	s := Step{Tool: tool, Args: raw, Sentence: strings.ToUpper(sentence[:1]) + sentence[1:], URL: url}
	if _, onElement := args["annotationId"]; onElement {
		s.Elements = map[string]annotation.Reference{"annotationId": i.ref}
	}
	i.report(s)
}
