package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/recipes"
	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// recording is a user flow of the Recorder of Chrome's DevTools, as @puppeteer/replay reads it.
type recording struct {
	Title   string         `json:"title"`
	Timeout int            `json:"timeout"`
	Steps   []recorderStep `json:"steps"`
}

type recorderStep struct {
	Type           string          `json:"type"`
	Frame          []int           `json:"frame,omitempty"`
	URL            string          `json:"url,omitempty"`
	Selectors      [][]string      `json:"selectors,omitempty"`
	OffsetX        int             `json:"offsetX,omitempty"`
	OffsetY        int             `json:"offsetY,omitempty"`
	Button         string          `json:"button,omitempty"`
	Value          *string         `json:"value,omitempty"`
	Key            string          `json:"key,omitempty"`
	Y              int             `json:"y,omitempty"`
	Expression     string          `json:"expression,omitempty"`
	AssertedEvents []recorderEvent `json:"assertedEvents,omitempty"`
}

type recorderEvent struct {
	Type string `json:"type"`
}

// What the Recorder writes for every recording, in milliseconds and CSS pixels.
const (
	recorderTimeout = 10_000
	pressedAt       = 4 // from the corner of an element
)

// Recorder returns a recipe as a recording of Chrome's DevTools Recorder, with values in place of its parameters. Those
// without a value have their default, and secret ones are empty. omitted names the steps that are left out, a line
// each.
func Recorder(rec recipe.Recipe, values map[string]string) (text string, omitted []string, err error) {
	all := map[string]string{}
	for _, p := range rec.Parameters {
		all[p.Name] = ""
		if p.Default != nil && !p.Secret {
			all[p.Name] = *p.Default
		}
		if value, ok := values[p.Name]; ok {
			all[p.Name] = value
		}
	}
	w := recorderWriter{recipe: recipes.Fill(rec, all)}
	for i, s := range w.recipe.Steps {
		if w.skip {
			w.skip = false
			continue
		}
		if why := w.step(i, s); why != "" {
			w.omitted = append(w.omitted, fmt.Sprintf("step %d, %s: %s", i+1, recipes.Sentence(s), why))
		}
	}
	// What the last step began may still be saved.
	w.add(recorderStep{
		Type: "waitForExpression", Expression: "new Promise((done) => setTimeout(() => done(true), 1000))",
	})
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(recording{Title: cmp.Or(rec.Description, rec.Name), Timeout: recorderTimeout, Steps: w.steps})
	return b.String(), w.omitted, err
}

type recorderWriter struct {
	recipe  recipe.Recipe
	steps   []recorderStep
	omitted []string
	// skip is true if the step was written with the one before it.
	skip bool
}

func (w *recorderWriter) add(steps ...recorderStep) { w.steps = append(w.steps, steps...) }

const noMatch = "the Recorder has nothing like it"

// step writes step i, or returns why it is left out.
func (w *recorderWriter) step(i int, s recipe.Step) (omitted string) {
	var args stepArgs
	_ = json.Unmarshal(s.Args, &args) // an argument of another type is left out
	refs := recipes.References(s)
	ref, onElement := refs["annotationId"]
	_, scrollsBox := refs["target"]
	event := ""
	if s.Expect != nil {
		event = s.Expect.Event
	}
	if event == "dialog" {
		w.answerDialog(i)
	}
	first := len(w.steps)
	switch {
	case s.Optional && s.Tool != "scroll_page":
		return "it may not be there, and a recording cannot go on then"
	case ref.Role == annotation.UnknownRole:
		return "its element is not known yet"
	case s.Tool == "navigate_page" && args.URL != "" && args.URL != "demo":
		w.add(recorderStep{Type: "navigate", URL: withScheme(args.URL)})
	case s.Tool == "navigate_page" && historyCall[args.Action] != "":
		w.add(recorderStep{Type: "waitForExpression", Expression: "(" + historyCall[args.Action] + ", true)"})
	case s.Tool == "press_key":
		w.add(pressKeys(args.Key)...)
	case s.Tool == "wait_for" && args.Text != "":
		w.add(recorderStep{Type: "waitForElement", Selectors: [][]string{{"text/" + args.Text}}})
	case s.Tool == "scroll_page" && !scrollsBox && verticalScroll[args.Direction]:
		w.add(scrollStep(args))
	case !onElement:
		return noMatch
	case ref.InOtherTab:
		return "the Recorder knows a tab only by its exact address"
	case ref.Frame != "" && countFrames(w.recipe) > 1:
		return "the Recorder knows a frame only by its place"
	default:
		if !w.onElement(s.Tool, ref, args) {
			return noMatch
		}
	}
	if event == "navigated" || historyCall[args.Action] != "" {
		w.leadsAway(w.steps[first:])
	}
	if selectors := w.appears(s.Expect); len(selectors) > 0 {
		w.add(recorderStep{Type: "waitForElement", Selectors: selectors})
	}
	return ""
}

// leadsAway makes the last of the steps wait for another page, or the press of its key if it only releases one.
func (w *recorderWriter) leadsAway(steps []recorderStep) {
	last := len(steps) - 1
	if last > 0 && steps[last].Type == "keyUp" {
		key := steps[last].Key
		last = slices.IndexFunc(steps, func(s recorderStep) bool { return s.Type == "keyDown" && s.Key == key })
	}
	steps[last].AssertedEvents = []recorderEvent{{Type: "navigation"}}
}

var historyCall = map[string]string{
	"back": "history.back()", "forward": "history.forward()", "reload": "location.reload()",
}

// onElement writes what is done with an element. It returns false if there is nothing like it.
func (w *recorderWriter) onElement(tool string, ref annotation.Reference, args stepArgs) bool {
	on := recorderStep{Selectors: selectors(ref)}
	if ref.Frame != "" {
		on.Frame = []int{0}
	}
	click := on
	click.Type, click.OffsetX, click.OffsetY = "click", pressedAt, pressedAt
	click.Button = map[string]string{"right": "secondary", "middle": "auxiliary"}[args.Button]
	switch {
	case tool == "click_element" && args.Count == 2:
		click.Type = "doubleClick"
		w.add(click)
	case tool == "click_element" && args.Count < 2:
		for _, m := range args.Modifiers {
			w.add(recorderStep{Type: "keyDown", Key: m})
		}
		w.add(click)
		for _, m := range args.Modifiers {
			w.add(recorderStep{Type: "keyUp", Key: m})
		}
	case tool == "hover_element":
		on.Type = "hover"
		w.add(on)
	case tool == "type_text" && (args.Clear == nil || *args.Clear):
		on.Type, on.Value = "change", &args.Text
		w.add(on)
		if args.Submit {
			w.add(pressKeys("Enter")...)
		}
	case tool == "select_option":
		// The Recorder chooses by the value of an option, which is not its text.
		choose := recorderStep{Type: "waitForExpression", Frame: on.Frame, Expression: chooseExpression(args.Values)}
		w.add(append(append([]recorderStep{click}, pressKeys("Escape")...), choose)...)
	case tool == "type_text":
		if len(w.steps) == 0 || w.steps[len(w.steps)-1].Type != "keyUp" { // keys have moved the caret
			w.add(click)
		}
		w.add(recorderStep{Type: "waitForExpression", Frame: on.Frame, Expression: fmt.Sprintf(
			"document.execCommand('insertText', false, %s)", quote(args.Text))})
	default:
		return false
	}
	return true
}

// chooseExpression returns a JavaScript expression that chooses the options of the list with the focus by their texts.
func chooseExpression(labels []string) string {
	text, err := json.Marshal(labels)
	if err != nil {
		return "false"
	}
	return `((list, labels) => {
  const options = [...(list?.options ?? [])];
  const wanted = (option) => labels.includes(option.label.trim());
  if (!options.some(wanted)) return false;
  if (list.multiple) for (const option of options) option.selected = wanted(option);
  else list.value = options.find(wanted).value;
  for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
})(document.activeElement, ` + string(text) + `)`
}

// pressKeys returns the steps that press a key with its modifiers, such as Control+a.
func pressKeys(chord string) []recorderStep {
	parts := strings.Split(chord, "+")
	var down, up []recorderStep
	for _, key := range parts {
		down = append(down, recorderStep{Type: "keyDown", Key: key})
		up = append([]recorderStep{{Type: "keyUp", Key: key}}, up...)
	}
	return append(down, up...)
}

var verticalScroll = map[string]bool{"": true, "down": true, "up": true, "top": true, "bottom": true}

func scrollStep(args stepArgs) recorderStep {
	const far = 1_000_000
	amount := cmp.Or(args.Amount, defaultScroll)
	switch args.Direction {
	case "top":
		return recorderStep{Type: "scroll"}
	case "bottom":
		return recorderStep{Type: "scroll", Y: far}
	case "up":
		amount = -amount
	}
	return recorderStep{Type: "waitForExpression", Expression: fmt.Sprintf("(scrollBy(0, %d), true)", amount)}
}

// answerDialog makes the page answer the dialog that step i opens as the next step does: recordings have no dialogs.
func (w *recorderWriter) answerDialog(i int) {
	accept, answer, skip := dialogAnswer(w.recipe, i)
	w.skip = skip
	text := "null"
	if accept {
		text = quote(answer)
	}
	w.add(recorderStep{Type: "waitForExpression", Expression: fmt.Sprintf(`((old, answers) => {
  const answer = (kind) => () => (Object.assign(window, old), answers[kind]); // once
  for (const kind in old) window[kind] = answer(kind);
  return true;
})({ alert, confirm, prompt }, { confirm: %t, prompt: %s })`, accept, text)})
}

// appears returns selectors of what must appear after a step.
func (w *recorderWriter) appears(e *recipe.Effect) [][]string {
	if e == nil || countFrames(w.recipe) > 0 { // what appears may be in a frame
		return nil
	}
	var all [][]string
	for _, r := range e.Appears {
		if isRole(r.Role) && r.Frame == "" && !strings.HasSuffix(r.Name, "…") {
			all = append(all, ariaSelector(r.Role, r.Name))
			if r.Role == "button" { // it may be a summary, which has another role for DevTools
				all = append(all, []string{"text/" + r.Name})
			}
		}
	}
	for _, text := range e.Texts {
		if !strings.ContainsAny(text, "0123456789") {
			all = append(all, []string{"text/" + text})
		}
	}
	return all
}

// selectors returns the selectors of an element. If others have its role and name, its row or its group decides.
func selectors(r annotation.Reference) [][]string {
	in := ""
	switch {
	case r.Row != "":
		in = xpathWords(r.Row)
	case r.Twins && r.Group != "":
		in = "[@aria-label=" + xpathText(r.Group) + " or self::*" + xpathWords(r.Group) + "]"
	default:
		return targetSelectors(r)
	}
	// The innermost part of the page that has the words and the element.
	inner := "xpath/(//*" + in + "[.//*[" + xpathNamed(r) + "]])[last()]"
	var all [][]string
	for _, target := range targetSelectors(r) {
		all = append(all, append([]string{inner}, target...))
	}
	return all
}

// targetSelectors returns the selectors of an element that is the only one of its role and name.
func targetSelectors(r annotation.Reference) [][]string {
	name, whole := withoutNear(r)
	switch {
	case isNamedByContent(r.Role) && whole && !strings.HasSuffix(name, "…"):
		return [][]string{{"xpath/(//*[not(self::script)][" + xpathNamed(r) + "])[last()]"}, innermost(name)}
	case isNamedByContent(r.Role) || strings.HasSuffix(name, "…"):
		return [][]string{innermost(name)}
	case slices.Contains(fields, r.Role):
		return [][]string{{"xpath///input[" + xpathNamed(r) + "]"}}
	case r.Role == "searchbox":
		return [][]string{ariaSelector("searchbox", r.Name), ariaSelector("textbox", r.Name)}
	}
	named := "xpath///*[" + xpathNamed(r) + "][@role=" + xpathText(r.Role) + "]"
	return [][]string{ariaSelector(r.Role, r.Name), {named}}
}

func ariaSelector(role, name string) []string {
	return []string{"aria/" + strings.ReplaceAll(name, "[", `\[`) + `[role="` + role + `"]`}
}

// innermost returns the selector of the innermost element that contains all words of a text.
func innermost(text string) []string {
	has := xpathWords(text)
	return []string{"xpath/(//*" + has + "[not(./*" + has + ")])[1]"}
}

// xpathWords returns conditions for elements that contain all words of a text, in lower or upper case.
func xpathWords(text string) string {
	conditions := "[not(self::script or self::style)]"
	for _, word := range strings.Fields(strings.NewReplacer("…", " ", "#", " ", "·", " ").Replace(text)) {
		conditions += "[contains(translate(., 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), " +
			xpathText(strings.Map(lowerASCII, word)) + ")]"
	}
	return conditions
}

func lowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
}

// xpathNamed returns a condition for elements that have the name of r.
func xpathNamed(r annotation.Reference) string {
	name := xpathText(r.Name)
	return "normalize-space(.)=" + name + " or @aria-label=" + name + " or @title=" + name + " or @value=" + name +
		" or @placeholder=" + name + " or @id=//label[normalize-space(.)=" + name + "]/@for or ancestor::label[" +
		"starts-with(normalize-space(.), " + name + ")]"
}

// xpathText returns text as a string in XPath, which has no escapes.
func xpathText(text string) string {
	if !strings.Contains(text, `"`) {
		return `"` + text + `"`
	}
	return `concat("` + strings.ReplaceAll(text, `"`, `", '"', "`) + `")`
}
