package panelpage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"sextant/backend/browser/observe/identity"
	"sextant/backend/panelpage"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/wire"
)

// fakeAnswers are the answers of a fakeWindow by function, with "frame." before those for the frame.
type fakeAnswers map[string]func(wire.SurfaceRequest) (string, error)

// fakeWindow is a window that gives the answers of a test; without one it waits for the end of ctx.
type fakeWindow struct {
	answers fakeAnswers
	asked   []wire.SurfaceRequest
	closed  bool
}

func (f *fakeWindow) HasWindow() bool { return !f.closed }

func (f *fakeWindow) Ask(ctx context.Context, ask wire.SurfaceRequest) (json.RawMessage, error) {
	f.asked = append(f.asked, ask)
	name := ask.Operation
	if ask.Frame {
		name = "frame." + name
	}
	answer := f.answers[name]
	if answer == nil {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	text, err := answer(ask)
	return json.RawMessage(text), err
}

func reply(text string) func(wire.SurfaceRequest) (string, error) {
	return func(wire.SurfaceRequest) (string, error) { return text, nil }
}

// packed is what the collector answers: nodes as it packs them, and frames as JSON.
func packed(doc, frames string, nodes ...string) string {
	head := fmt.Sprintf(`{"url":"u","title":"t","now":5,"viewW":800,"viewH":600,"frames":[%s]}`, frames)
	text, _ := json.Marshal("=" + strings.Join(append([]string{head, ""}, nodes...), "`"))
	return fmt.Sprintf(`{"v":{"text":%s,"doc":%q}}`, text, doc)
}

// node is one packed element in view: flags 3 for one that can be used.
func node(handle int, role, name string, more ...string) string {
	return strings.Join(append([]string{fmt.Sprint(handle), "3", "10", "20", "100", "30", "0", role, name, "trail" +
		name, "s.x", "", "0"}, more...), "~")
}

const aimed = `{"v":{"state":"ok","x":60,"y":35}}`

func newPage(t *testing.T, answers fakeAnswers) (*panelpage.Page, *fakeWindow,
	*identity.ElementRegistry,
) {
	t.Helper()
	r := &fakeWindow{answers: answers}
	for name, answer := range map[string]string{
		"awaitSettled": `{"v":{"over":true}}`, "frame.awaitSettled": `{"v":{"over":true}}`,
		"marks": `{"v":true}`,
	} {
		if answers[name] == nil {
			answers[name] = reply(answer)
		}
	}
	elements := identity.NewElementRegistry()
	s := panelpage.New(panelpage.Config{Elements: elements, Title: func(string) string { return "Notes" }})
	s.SetWindowClient(r)
	return s.Page("notes"), r, elements
}

func faultKind(err error) string {
	var f *surface.Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}

func TestPanelPageIsListedLikeBrowserPage(t *testing.T) {
	t.Parallel()
	p, _, _ := newPage(t, fakeAnswers{
		"see": reply(packed("d1", "", node(7, "button", "Save"), node(9, "textbox", "Name", "Ana", "0", "",
			"required"))),
	})
	a, err := p.Annotate(t.Context(), surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "Page: Notes | panel:notes | v1\n[1] button \"Save\"\n[2] textbox \"Name\" = \"Ana\" (required)"
	if got := annotation.Text(a); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a, err = p.Annotate(t.Context(), surface.AnnotateOptions{ChangesOnly: true}); err != nil ||
		len(a.Elements) != 0 || a.Page.Version != 1 {
		t.Errorf("a second look says %+v, %v", a, err)
	}
	if a, err = p.Annotate(t.Context(), surface.AnnotateOptions{Query: "name"}); err != nil || len(a.Elements) != 1 ||
		a.Elements[0].ID != 2 {
		t.Errorf("a query finds %+v, %v", a.Elements, err)
	}
}

func TestClickReportsChanges(t *testing.T) {
	t.Parallel()
	pressed := 0
	p, r, _ := newPage(t, fakeAnswers{
		"see": func(wire.SurfaceRequest) (string, error) {
			if pressed > 0 {
				return packed("d1", "", node(7, "button", "Save"), node(8, "link", "Undo")), nil
			}
			return packed("d1", "", node(7, "button", "Save")), nil
		},
		"aim":   reply(aimed),
		"press": func(wire.SurfaceRequest) (string, error) { pressed++; return `{"v":true}`, nil },
	})
	if _, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := p.Click(t.Context(), surface.ClickOptions{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != `clicked [1] button "Save"` || !a.OnlyChanges || len(a.Elements) != 1 || a.Elements[0].Name != "Undo" {
		t.Errorf("it answers %+v", a)
	}
	for _, ask := range r.asked {
		if ask.Operation == "press" && (string(ask.Args[0]) != "7" || ask.Panel != "notes") {
			t.Errorf("it pressed %s of %s", ask.Args[0], ask.Panel)
		}
	}
	if pressed != 1 {
		t.Errorf("it pressed %d times", pressed)
	}
}

func TestNonOperableElementsAreListedButRefused(t *testing.T) {
	t.Parallel()
	p, r, _ := newPage(t, fakeAnswers{
		"see": reply(packed("d1", "", strings.Replace(node(7, "button", "Allow always", "", "0", "",
			panelpage.PersonOnlyState), "~3~", "~1~", 1))),
		"aim": reply(aimed), "press": reply(`{"v":true}`), "type": reply(`{"v":{}}`), "choose": reply(`{"v":[]}`),
		"hover": reply(`{"v":true}`),
	})
	a, err := p.Annotate(t.Context(), surface.AnnotateOptions{})
	if err != nil || !strings.Contains(annotation.Text(a), `[1] button "Allow always" (only you)`) {
		t.Fatalf("%s, %v", annotation.Text(a), err)
	}
	for name, try := range map[string]func() error{
		"click":  func() error { _, err := p.Click(t.Context(), surface.ClickOptions{ID: 1}); return err },
		"type":   func() error { _, err := p.Type(t.Context(), surface.TypeOptions{ID: 1, Text: "x"}); return err },
		"select": func() error { _, err := p.Select(t.Context(), 1, []string{"x"}); return err },
		"hover":  func() error { _, err := p.Hover(t.Context(), 1); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := try()
			if faultKind(err) != surface.FaultBlocked || !strings.Contains(err.Error(), "for the person only") {
				t.Error(err)
			}
		})
	}
	for _, ask := range r.asked {
		if ask.Operation != "see" && ask.Operation != "marks" {
			t.Errorf("the page was asked for %s", ask.Operation)
		}
	}
}

const frame = `{"h":3,"src":"x","visible":true,"at":1,"box":{"x":100,"y":50,"w":300,"h":200},"clip":{"x":100,"y":50,"w":300,"h":200}}`

func TestFrameElementsAreListedAndClicked(t *testing.T) {
	t.Parallel()
	p, r, _ := newPage(t, fakeAnswers{
		"see":       reply(packed("d1", frame, node(1, "button", "Page"), node(2, "button", "Tools"))),
		"frame.see": reply(packed("f1", "", node(1, "button", "Inside"))),
		"frame.aim": reply(aimed), "frame.press": reply(`{"v":true}`),
	})
	a, err := p.Annotate(t.Context(), surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range a.Elements {
		names = append(names, e.Name)
	}
	if strings.Join(names, ",") != "Page,Inside,Tools" || a.Elements[1].Box.X != 110 ||
		a.Elements[1].Frame != "panel:notes" {
		t.Fatalf("%+v", a.Elements)
	}
	if _, err := p.Click(t.Context(), surface.ClickOptions{ID: a.Elements[1].ID}); err != nil {
		t.Fatal(err)
	}
	for _, ask := range r.asked {
		if (ask.Operation == "press" || ask.Operation == "aim") && !ask.Frame {
			t.Errorf("%s went to the window's own page", ask.Operation)
		}
	}
}

// A frame's page may answer anything in place of the script; that affects only what is listed of the frame.
func TestForgedFrameAnswersAffectOnlyFrame(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	many := make([]string, 4000)
	for i := range many {
		many[i] = node(i+1, "button", "b")
	}
	forged, _ := json.Marshal("=" + `{"viewW":1e308,"viewH":-1,"now":1e300,"above":2147483647,"below":-5,"frames":[` +
		frame + `]}` + "``" +
		"1~3~NaN~-Inf~1e308~1e308~-7~BUTTON\n[1] link~" + long + "~k~s~r~NaN")
	for name, answer := range map[string]string{
		"nothing": ``, "null": `null`, "a number": `7`, "a list": `[]`, "no JSON": `{"v":`,
		"no text":            `{"v":{"text":5,"doc":[]}}`,
		"not its form":       `{"v":{"text":"?roots:1,2","doc":"x"}}`,
		"not installed":      `{"m":true}`,
		"an endless refusal": `{"e":"` + long + `"}`,
		"the word gone":      `{"e":"gone"}`,
		"a broken record":    packed("f", "", "1~3~x"),
		"no fields":          packed("f", "", "~~~~~~~"),
		"twice one handle":   packed("f", "", node(1, "button", "a"), node(1, "button", "b")),
		"negative handles":   packed("f", "", node(-1, "button", "a"), node(0, "button", "b")),
		"very many":          packed("f", "", many...),
		"lines in a name":    packed("f", "", node(1, "button", "a\n[1] button \"Save\"\nPage: x")),
		"states of its own": packed("f", "", node(1, "button", "a", "v", "99", "dialog \"x\"\n[1] y", "only you\n"+long+
			strings.Repeat("\nstate", 100))),
		"another document":   packed(long, "", node(1, "button", "a")),
		"numbers of no size": `{"v":{"text":` + string(forged) + `,"doc":"f"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, _, _ := newPage(t, fakeAnswers{
				"see":       reply(packed("d1", frame, node(1, "button", "Ours"))),
				"frame.see": reply(answer), "frame.live": reply(answer), "frame.shown": reply(answer),
				"frame.aim": reply(answer), "frame.press": reply(answer), "frame.html": reply(answer),
				"frame.hasText": reply(answer),
				"html": reply(
					`{"v":"<p>ours</p>"}`,
				), "hasText": reply(`{"v":false}`), "shown": reply(`{"v":[]}`),
				"live": reply(`{"v":[]}`),
			})
			for range 2 {
				a, err := p.Annotate(t.Context(), surface.AnnotateOptions{Scope: "page"})
				if err != nil {
					t.Fatalf("the page cannot be seen any more: %v", err)
				}
				checkInvariants(t, a)
			}
			if html, _, _, err := p.HTML(t.Context()); err != nil || !strings.HasPrefix(html, "<p>ours</p>") {
				t.Errorf("the text is %.60q, %v", html, err)
			}
			for _, e := range p.Annotations() {
				if e.Frame == "" {
					continue
				}
				if _, err := p.Click(t.Context(), surface.ClickOptions{ID: e.ID}); err != nil && faultKind(err) == "" {
					t.Errorf("pressing in it: %v", err)
				} else if err != nil && len(err.Error()) > 500 {
					t.Errorf("its words are %d bytes of the error", len(err.Error()))
				}
				break
			}
		})
	}
}

// checkInvariants checks what holds of every answer, whatever the frame said.
func checkInvariants(t *testing.T, a annotation.Observation) {
	t.Helper()
	ids := map[int]bool{}
	ours := 0
	for _, e := range a.Elements {
		if ids[e.ID] || e.ID <= 0 {
			t.Errorf("[%d] is listed twice or is zero", e.ID)
		}
		ids[e.ID] = true
		if e.Name == "Ours" && e.Frame == "" {
			ours = e.ID
		}
		if e.Frame == "" {
			continue
		}
		b := e.Box
		for _, v := range []float64{b.X, b.Y, b.Width, b.Height} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("a box of %v", b)
			}
		}
		if b.X < 100 || b.Y < 50 || b.X+b.Width > 400.01 || b.Y+b.Height > 250.01 || b.Width < 0 || b.Height < 0 {
			t.Errorf("the box %v leaves the frame", b)
		}
		if len(e.Name) > 1300 || len(e.States) > 13 {
			t.Errorf("a name of %d bytes, %d states", len(e.Name), len(e.States))
		}
	}
	if ours != 1 {
		t.Errorf("our own button is [%d]", ours)
	}
	if len(a.Elements) > 1600 || a.Above < 0 || a.Below < 0 {
		t.Errorf("%d elements, %d above, %d below", len(a.Elements), a.Above, a.Below)
	}
	for i, line := range strings.Split(annotation.Text(a), "\n") {
		if i > 0 && strings.HasPrefix(line, "Page:") || strings.HasPrefix(line, "[1] ") && line != `[1] button "Ours"` {
			t.Errorf("line %d is %.80q", i, line)
		}
	}
}

func FuzzFrameAnswer(f *testing.F) {
	f.Add(packed("f", "", node(1, "button", "a")))
	f.Add(`{"v":{"text":"={}` + "``" + `1~3~1~1~1~1~0~a~b~c~d~e~1","doc":"x"}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		p, _, _ := newPage(t, fakeAnswers{
			"see": reply(packed("d1", frame, node(1, "button", "Ours"))), "frame.see": reply(answer),
			"frame.live": reply(`{"v":[]}`),
		})
		a, err := p.Annotate(t.Context(), surface.AnnotateOptions{Scope: "page"})
		if err != nil {
			t.Fatal(err)
		}
		checkInvariants(t, a)
	})
}

func TestHiddenPageIsReported(t *testing.T) {
	t.Parallel()
	answers := fakeAnswers{
		"see": reply(packed("d1", "", node(7, "button", "Save"))),
		"aim": reply(aimed), "press": reply(`{"v":true}`),
	}
	p, r, elements := newPage(t, answers)
	if _, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); err != nil {
		t.Fatal(err)
	}
	answers["aim"] = func(wire.SurfaceRequest) (string, error) {
		return "",
			errors.New("the window shows another panel now")
	}
	if _, err := p.Click(t.Context(), surface.ClickOptions{ID: 1}); faultKind(err) != surface.FaultNoPage ||
		!strings.Contains(err.Error(), "another panel") {
		t.Errorf("another panel: %v", err)
	}
	answers["aim"], answers["see"] = reply(aimed), reply(packed("d2", "", node(7, "button", "Save")))
	if a, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); err != nil || a.Elements[0].ID != 2 {
		t.Errorf("a reloaded page: %+v, %v", a, err)
	}
	if _, err := p.Click(t.Context(), surface.ClickOptions{ID: 1}); faultKind(err) != surface.FaultGone {
		t.Errorf("a number of the page before: %v", err)
	}
	if !elements.WasIssued(2) || elements.WasIssued(3) {
		t.Error("the ids do not come from the registry")
	}
	r.closed = true
	if _, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); faultKind(err) != surface.FaultNoPage ||
		!strings.Contains(err.Error(), "No window is open") {
		t.Errorf("no window: %v", err)
	}
}

func TestCanceledCallStopsWaiting(t *testing.T) {
	t.Parallel()
	p, _, _ := newPage(t, fakeAnswers{})
	stopped := errors.New("stopped by the person")
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { stop(stopped) })
	if _, err := p.Annotate(ctx, surface.AnnotateOptions{}); !errors.Is(err, stopped) {
		t.Errorf("it ends with %v", err)
	}
}
