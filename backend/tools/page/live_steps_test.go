package page

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// stepsReport is what programs get of a run_steps.
func stepsReport(t *testing.T, r toolspec.Result) (v struct {
	Done    int
	Steps   []stepResult
	Stopped string
	Page    struct {
		URL string
		Tab int
	}
	Text string
},
) {
	t.Helper()
	b, err := json.Marshal(r.Value)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRunSteps(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":"demo"}`)
	field, button, list := idIn(t, look, `textbox "Name"`), idIn(t, look, `button "Place order"`),
		idIn(t, look, `combobox "Size"`)
	r := h.do("run_steps", `{"steps":[{"tool":"type_text","annotationId":%d,"text":"Ana"},
		{"tool":"select_option","annotationId":%d,"values":["Large"],"unless":{"text":"no such words"}},
		{"tool":"select_option","annotationId":%d,"values":["Small"],"unless":{"role":"button","name":"place"}},
		{"tool":"click_element","args":{"annotationId":%d},"expect":{"text":"Placed for Ana","gone":"Loading"}}]}`, field, list, list, button)
	v := stepsReport(t, r)
	if v.Done != 3 || v.Stopped != "" || len(v.Steps) != 4 || v.Steps[2].Status != "skipped" || v.Text != r.Text {
		t.Errorf("%+v", v)
	}
	wantParts(t, "steps", r.Text, `1 typed "Ana" into [`, "\n4 clicked [", "\nPage: Order", "\ndid 3 of 4 steps",
		`textbox "Name" = "Ana"`, `combobox "Size" = "Large"`)
	if r.Sentence != "Ran 3 steps" || !slices.Equal(r.Sources, []string{live.url}) {
		t.Errorf("sentence %q, sources %v", r.Sentence, r.Sources)
	}
}

func TestStepsStopAtUnexpectedChange(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":"demo"}`)
	id := func(what string) string { return jsonOf(idIn(t, look, what)) }
	typing := `{"tool":"type_text","annotationId":` + id(`textbox "Name"`) + `,"text":"B"}`
	for _, c := range []struct {
		name, steps string
		done        int
		stopped     string
	}{
		{"a disabled button", typing + `,{"tool":"click_element","annotationId":` + id(`button "Later"`) + `},` +
			typing, 1, "stopped at step 2: [" + id(`button "Later"`) + `] button "Later" is disabled`},
		{"what is expected does not come", `{"tool":"hover_element","annotationId":` + id(`button "Place order"`) +
			`,"expect":{"role":"link","name":"nowhere"}},` + typing, 1, `there is no link "nowhere"`},
		{"an event that is expected does not come", typing[:len(typing)-1] + `,"expect":{"event":"download"}},` +
			typing, 1, "expects the event download"},
		{
			"a new tab", `{"tool":"click_element","annotationId":` + id(`link "In a new tab"`) + `},` + typing, 1,
			"opened tab",
		},
	} {
		r := h.do("run_steps", `{"steps":[%s]}`, c.steps)
		v := stepsReport(t, r)
		if v.Done != c.done || !strings.Contains(v.Stopped, c.stopped) {
			t.Errorf("%s: %d done, stopped %q, want %d and %q", c.name, v.Done, v.Stopped, c.done, c.stopped)
		}
		wantParts(t, c.name, r.Text, "\ndid 1 of ", "; stopped ")
	}
}

// turningPage has buttons that say something else once they are pressed, and a list that uses its
// buttons again for what stood below.
const turningPage = `<title>Turning</title><button id=plain>Show notes</button><p id=notes hidden>Notes</p>
<button id=first aria-expanded=false>Open one</button><button id=second aria-expanded=true>Close two</button><ul></ul><script>
const id = (n) => document.getElementById(n)
id('plain').onclick = () => { id('notes').hidden = !id('notes').hidden; id('plain').textContent = id('notes').hidden ? 'Show notes' : 'Hide notes' }
for (const [b, n] of [[id('first'), 'one'], [id('second'), 'two']]) b.onclick = () => { const open = b.ariaExpanded !== 'true'; b.ariaExpanded = String(open); b.textContent = (open ? 'Close ' : 'Open ') + n }
let list = ['Apple', 'Pear', 'Plum']
const ul = document.querySelector('ul')
ul.innerHTML = list.map(() => '<div><button></button></div>').join('')
const draw = () => { while (ul.children.length > list.length) ul.lastChild.remove(); list.forEach((n, i) => { ul.children[i].firstChild.textContent = 'Drop ' + n }) }
draw()
;[...ul.children].forEach((row, i) => { row.firstChild.onclick = () => { list.splice(i, 1); draw() } })
</script>`

func TestToggleIsClickedAgainButAReusedElementIsNot(t *testing.T) {
	h := newToolSession(t)
	press := func(look toolspec.Result, what string) string {
		return `{"tool":"click_element","annotationId":` + jsonOf(idIn(t, look, what)) + `}`
	}
	for _, name := range []string{`button "Show notes"`, `button "Open one"`, `button "Close two"`} {
		p := press(h.do("navigate_page", `{"url":%q}`, live.url+"/turning"), name)
		r := h.do("run_steps", `{"steps":[%s,%s,%s]}`, p, p, p)
		if v := stepsReport(t, r); v.Done != 3 || v.Stopped != "" {
			t.Errorf("%s: %d done, stopped %q", name, v.Done, v.Stopped)
		}
	}
	p := press(h.do("navigate_page", `{"url":%q}`, live.url+"/turning"), `button "Drop Apple"`)
	r := h.do("run_steps", `{"steps":[%s,%s]}`, p, p)
	if v := stepsReport(t, r); v.Done != 1 || !strings.Contains(v.Stopped, `is now button "Drop Pear"`) {
		t.Errorf("the list: %d done, stopped %q", v.Done, v.Stopped)
	}
}

func TestUnexpectedNavigationStopsSteps(t *testing.T) {
	h := newToolSession(t)
	link := func() string {
		return jsonOf(idIn(t, h.do("navigate_page", `{"url":"demo"}`), `link "Read more"`))
	}
	back := `{"tool":"navigate_page","action":"back"}`
	v := stepsReport(t, h.do("run_steps", `{"steps":[{"tool":"click_element","annotationId":%s},%s]}`, link(), back))
	if v.Done != 1 || !strings.Contains(v.Stopped, "the page went to "+live.url+"/article") {
		t.Errorf("not said: %+v", v)
	}
	for _, guard := range []string{
		`"navigates":true`, `"expect":{"url":"/article"}`,
		`"expect":{"event":"navigated","text":"On lamps"}`,
	} {
		v = stepsReport(t, h.do("run_steps",
			`{"steps":[{"tool":"click_element","annotationId":%s,%s},{"tool":"get_page_content","max_tokens":100},%s]}`,
			link(), guard, back))
		if v.Done != 3 || v.Stopped != "" || v.Page.URL != live.url+"/" ||
			!strings.Contains(v.Text, "2 get_page_content:\nPage: On lamps") {
			t.Errorf("%s: %+v", guard, v)
		}
	}
}

func TestInvalidStepIsRefusedBeforeFirstRuns(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":"demo"}`)
	field := jsonOf(idIn(t, look, `textbox "Name"`))
	typing := `{"tool":"type_text","annotationId":` + field + `,"text":"never"}`
	for bad, says := range map[string]string{
		`{"tool":"klick_element"}`:                    "the nearest is click_element",
		`{"tool":"run_steps","steps":[]}`:             "run_steps cannot be a step",
		`{"tool":"press_key","expect":{"txet":"x"}}`:  "expect takes text",
		`{"tool":"press_key","unless":{}}`:            "unless is empty",
		`{"tool":"press_key","expect":{"event":"x"}}`: "event is one of navigated",
		`{"tool":5}`: "tool cannot be read",
	} {
		r := h.try("run_steps", `{"steps":[`+typing+`,`+bad+`]}`)
		if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Error, "step 2: ") ||
			!strings.Contains(r.Error, says) {
			t.Errorf("%s: %+v", bad, r)
		}
	}
	if r := h.do("annotate_page", `{}`); strings.Contains(r.Text, "never") {
		t.Errorf("a step was done:\n%s", r.Text)
	}
	r := h.try("run_steps", `{"steps":[{"tool":"click_element","annotationId":99999999}]}`)
	if r.Success || r.ErrorType != toolspec.UserError || !strings.Contains(r.Error, "step 1 of 1: ") {
		t.Errorf("the first step's failure: %+v", r)
	}
}

func TestOnlyCoreToolsMayBeSteps(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":"demo"}`)
	for tool, args := range map[string]string{
		"upload_file": `"annotationId":1,"path":"/etc/hosts"`, "evaluate_script": `"script":"document.title = 'ran'"`,
		"page_tools": `"action":"list"`,
		"downloads":  `"action":"list"`, "network_requests": `"limit":5`, "console_messages": `"limit":5`,
		"handle_dialog": `"accept":true`,
		"save_pdf":      `"paper":"a4"`, "emulate_device": `"width":400`, "get_annotations": `"limit":5`,
	} {
		r := h.try("run_steps", `{"steps":[{"tool":"press_key","key":"Tab"},{"tool":"`+tool+`",`+args+`}]}`)
		if r.Success || r.ErrorType != toolspec.ValidationError ||
			!strings.Contains(r.Error, "step 2: "+tool+" cannot be a step; a step is one of navigate_page, ") ||
			!strings.Contains(r.Error, "hover_element") || strings.Contains(r.Error, "downloads,") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := h.do("annotate_page", `{}`); strings.Contains(r.Text, "Page: ran") || strings.Contains(r.Text, "focused") {
		t.Errorf("a step was done:\n%s", r.Text)
	}
	h.do("run_steps", `{"steps":[{"tool":"move_path","points":[{"x":5,"y":5},{"x":9,"y":9}]},{"tool":"get_selection"},{"tool":"click_at","x":5,"y":5}]}`)
	for _, d := range live.tools.Definitions("") {
		if d.Hints.Confirm && slices.Contains(live.tools.stepTools, d.Name) {
			t.Errorf("%s asks a person, and may be a step", d.Name)
		}
	}
}

func TestStepsThatTypeSecretsAreHidden(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":"demo"}`)
	for what, hidden := range map[string]bool{`textbox "Name"`: false, `textbox "Password"`: true} {
		d := live.tools.Describe(h.call("run_steps", `{"steps":[{"tool":"type_text","annotationId":`+
			jsonOf(idIn(t, look, what))+`,"text":"geheim7"}]}`))
		if slices.Contains(d.SecretArgs, "steps") != hidden || d.Sentence != "Running 1 step" {
			t.Errorf("%s: %+v", what, d)
		}
	}
	r := h.do("run_steps", `{"steps":[{"tool":"type_text","annotationId":%d,"text":"geheim7"}]}`,
		idIn(t, look, `textbox "Password"`))
	if b, err := json.Marshal(r.Value); err != nil || strings.Contains(string(b)+r.Text, "geheim7") {
		t.Errorf("the password is shown:\n%s", r.Text)
	}
}

func TestDialogAnsweredByAStepIsNotReportedAsOpen(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":%q}`, live.url+"/asking")
	click := `{"tool":"click_element","annotationId":` + jsonOf(idIn(t, look, `button "Ask"`)) + `}`
	r := h.do("run_steps", `{"steps":[%s,{"tool":"press_key","key":"Enter"}]}`, click)
	if wantParts(t, "both steps", r.Text, "did 2 of 2 steps"); strings.Contains(r.Text, "is blocked until") {
		t.Errorf("the dialog is answered, but:\n%s", r.Text)
	}
	r = h.do("run_steps", `{"steps":[%s]}`, click)
	wantParts(t, "a dialog that is open", r.Text, "is blocked until the dialog is answered")
	h.do("press_key", `{"key":"Escape"}`)
}

func TestAwaitedTextIsInResult(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":%q}`, live.url+"/suggesting")
	r := h.do("run_steps", `{"steps":[{"tool":"type_text","annotationId":%s,"text":"fra","expect":{"text":"Frankfurt"}}]}`,
		jsonOf(idIn(t, look, `textbox "Place"`)))
	wantParts(t, "suggestions that came late", r.Text, "did 1 of 1 step", `button "Frankfurt"`)
}

func TestExpectedTabIsListed(t *testing.T) {
	h := newToolSession(t)
	look := h.do("navigate_page", `{"url":%q}`, live.url+"/")
	r := h.do("run_steps", `{"steps":[{"tool":"click_element","annotationId":%s,"expect":{"event":"opened_tab"}}]}`,
		jsonOf(idIn(t, look, `link "In a new tab"`)))
	wantParts(t, "the new tab", r.Text, "did 1 of 1 step", "Page: On lamps")
	if strings.Contains(r.Text, "annotate_page lists it") {
		t.Errorf("what is listed is said to be still to be listed:\n%s", r.Text)
	}
	h.do("browser_tabs", `{"action":"close","tab":%d}`, stepsReport(t, r).Page.Tab)
}
