package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sextant/shared/annotator"
	"sextant/shared/wire"
)

// Step is one thing a person did by hand on the picture, as the call of a tool that would
// have done the same.
type Step struct {
	Tool     string
	Args     json.RawMessage
	Sentence string
	// URL is the page's at that moment.
	URL string
}

// Bounds of what is noted of a person's hand: how long typing may pause and still be one
// step, how much of it is shown, and how many inputs may wait.
const (
	typingPause = 1500 * time.Millisecond
	maxTyped    = 200
	handBacklog = 256
)

// handNote is one input with what stood under it.
type handNote struct {
	in  wire.Input
	hit *annotator.Element
	url string
}

// scribe turns a person's inputs into steps. One goroutine owns all but notes.
type scribe struct {
	b     *Browser
	notes chan handNote

	// field is the numbered field that was clicked last, nil when the focus may be elsewhere.
	field *annotator.Element
	typed []rune
	url   string
}

// note hands an input to the scribe; a page that is slow to be described loses notes, never
// the person's hand. hit is found by the caller, at the moment of the input.
func (b *Browser) note(n handNote) {
	if b.cfg.Stepped == nil {
		return
	}
	select {
	case b.scribe.notes <- n:
	default:
		b.log.Warn("a person's step is not in the log: too many at once")
	}
}

// run makes steps until the browser is closed.
func (s *scribe) run() {
	defer s.b.wg.Done()
	pause := time.NewTimer(typingPause)
	defer pause.Stop()
	for {
		select {
		case n := <-s.notes:
			s.take(n)
			pause.Reset(typingPause)
		case <-pause.C:
			s.flush()
		case <-s.b.stop:
			for {
				select {
				case n := <-s.notes:
					s.take(n)
				default:
					s.flush()
					return
				}
			}
		}
	}
}

// take notes one input.
func (s *scribe) take(n handNote) {
	switch n.in.Type {
	case "down":
		s.flush()
		s.click(n)
	case "text":
		s.add(n, n.in.Text)
	case "keydown":
		s.press(n)
	}
}

// takesText reports whether e is one of the elements that take text.
func takesText(e *annotator.Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "combobox", "spinbutton":
		return true
	}
	return false
}

func (s *scribe) click(n handNote) {
	s.field = nil
	verb, button := "Clicked", n.in.Button
	switch {
	case button == "right":
		verb = "Right-clicked"
	case button == "middle":
		verb = "Middle-clicked"
	case n.in.Count == 2:
		verb = "Double-clicked"
	case n.in.Count > 2:
		return // a third press selects; the two before are noted
	}
	if n.hit == nil {
		args := map[string]any{"x": n.in.X, "y": n.in.Y}
		s.step("click_at", args, fmt.Sprintf("%s at %.0f, %.0f", verb, n.in.X, n.in.Y), n.url)
		return
	}
	if takesText(n.hit) {
		s.field = n.hit
	}
	args := map[string]any{"annotationId": n.hit.ID}
	if button != "" && button != "left" {
		args["button"] = button
	}
	if n.in.Count == 2 {
		args["count"] = 2
	}
	s.step("click_element", args, fmt.Sprintf("%s %s", strings.ToLower(verb), titled(n.hit)), n.url)
}

// titled is an element as answers name it: [12] button "Save".
func titled(e *annotator.Element) string {
	return fmt.Sprintf("[%d] %s %q", e.ID, e.Role, annotator.Clean(e.Name, 80))
}

// CDP's bits of the modifiers that make a command of a key.
const commandKeys = 2 | 4

func (s *scribe) press(n handNote) {
	key := n.in.Key
	single := utf8.RuneCountInString(key) == 1
	switch {
	case single && n.in.Modifiers&commandKeys == 0:
		s.add(n, key)
	case key == "Backspace" && len(s.typed) > 0:
		s.typed = s.typed[:len(s.typed)-1]
	case single && n.in.Modifiers&commandKeys != 0:
		s.flush()
		s.step("press_key", map[string]any{"key": "Control+" + key}, "Pressed Control+"+key, n.url)
	case key == "Enter" || key == "Escape" || key == "Tab":
		s.flush()
		s.step("press_key", map[string]any{"key": key}, "Pressed "+key, n.url)
		s.field = nil // the focus may be elsewhere now
	}
}

// add notes typed text.
func (s *scribe) add(n handNote, text string) {
	s.url = n.url
	if len(s.typed) < 10*maxTyped {
		s.typed = append(s.typed, []rune(text)...)
	}
}

// flush makes one step of what was typed. It is shown only when it surely went into a field
// that shows it too.
func (s *scribe) flush() {
	if len(s.typed) == 0 {
		return
	}
	n := len(s.typed)
	text := string(s.typed[:min(n, maxTyped)])
	s.typed = nil
	if s.field == nil || !s.b.shows(s.field.ID) {
		where := ""
		args := map[string]any{"text": "…"}
		if s.field != nil {
			where = " into " + titled(s.field)
			args["annotationId"] = s.field.ID
		}
		s.step("type_text", args, fmt.Sprintf("Typed %d characters%s", n, where), s.url)
		return
	}
	s.step("type_text", map[string]any{"annotationId": s.field.ID, "text": text, "clear": false},
		fmt.Sprintf("Typed %q into %s", annotator.Clean(text, 80), titled(s.field)), s.url)
}

func (s *scribe) step(tool string, args map[string]any, sentence, url string) {
	raw, err := json.Marshal(args)
	if err != nil {
		return // strings and numbers always marshal
	}
	s.b.cfg.Stepped(Step{Tool: tool, Args: raw, Sentence: strings.ToUpper(sentence[:1]) + sentence[1:], URL: url})
}

// shows reports whether what is typed into the field id may be shown: it is no password
// field, and by the newest look it has the focus, so that nothing else was typed into.
func (b *Browser) shows(id int) bool {
	w := b.Session("")
	if w.Spot(id).Secret {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range w.newest() {
		if e.ID == id {
			for _, state := range e.States {
				if state == "focused" {
					return !strings.ContainsRune(e.Value, '•')
				}
			}
		}
	}
	return false
}

// newest are the elements that were seen last in the active tab. Called under mu.
func (s *Session) newest() []annotator.Element {
	switch t := s.active; {
	case t == nil:
		return nil
	case t.glanced != nil:
		return t.glanced.elements
	case t.look != nil:
		return t.look.elements
	}
	return nil
}

// under is the numbered element at a point of the viewport, the smallest one, nil for none.
// Called under mu.
func (s *Session) under(x, y float64) *annotator.Element {
	var best *annotator.Element
	for _, e := range s.newest() {
		box := e.Box
		in := e.InView && e.Usable && x >= box.X && x < box.X+box.Width && y >= box.Y && y < box.Y+box.Height
		if in && (best == nil || box.Width*box.Height < best.Box.Width*best.Box.Height) {
			best = &e
		}
	}
	return best
}
