package panelpage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"sextant/backend/browser/observe/identity"
	"sextant/backend/panelpage"
	"sextant/backend/surface"
	"sextant/shared/wire"
)

func TestMarksAreSentToWindow(t *testing.T) {
	t.Parallel()
	var sent wire.SurfaceMarks
	p, _, _ := newPage(t, fakeAnswers{
		"see": reply(packed("d1",
			`{"box":{"x":0,"y":100,"w":400,"h":300},"clip":{"x":0,"y":100,"w":400,"h":300},"visible":true,"at":1}`,
			node(7, "button", "Save"))),
		"frame.see": reply(packed("f1", "", node(3, "link", "Inside"))),
		"marks": func(a wire.SurfaceRequest) (string, error) {
			return `{"v":true}`, json.Unmarshal(a.Args[0], &sent)
		},
	})
	ans, err := p.Annotate(t.Context(), surface.AnnotateOptions{})
	if err != nil || len(ans.Elements) != 2 {
		t.Fatalf("%+v, %v", ans, err)
	}
	if sent.DocID != "d1" || sent.FrameDocID != "f1" || sent.Version != 1 || len(sent.Marks) != 2 {
		t.Fatalf("the marks sent are %+v", sent)
	}
	own, theirs := sent.Marks[0], sent.Marks[1]
	if own.Handle != 7 || own.Element.ID != ans.Elements[0].ID || own.Element.Frame != "" ||
		own.Element.Name != "Save" {
		t.Errorf("the page's own number is %+v", own)
	}
	if theirs.Handle != 3 || theirs.Element.Frame != "panel:notes" || theirs.Element.Box.Y != 120 {
		t.Errorf("the frame's number is %+v", theirs)
	}
}

func TestActionSucceedsWhenMarksFail(t *testing.T) {
	t.Parallel()
	p, _, _ := newPage(t, fakeAnswers{
		"see":   reply(packed("d1", "", node(7, "button", "Save"))),
		"marks": func(wire.SurfaceRequest) (string, error) { return "", errors.New("the window is busy") },
	})
	if ans, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); err != nil || len(ans.Elements) != 1 {
		t.Errorf("%+v, %v", ans, err)
	}
}

func TestOperableCountDoesNotRecordObservation(t *testing.T) {
	t.Parallel()
	p, r, _ := newPage(t, fakeAnswers{
		"see": reply(packed("d1", "", node(7, "button", "Save"),
			strings.Replace(node(8, "button", "Allow"), "~3~", "~1~", 1))),
	})
	if n, err := p.CountUsable(t.Context()); n != 1 || err != nil {
		t.Errorf("%d elements, %v", n, err)
	}
	if len(r.asked) != 1 {
		t.Errorf("the window was asked %+v", r.asked)
	}
	if ans, err := p.Annotate(t.Context(), surface.AnnotateOptions{ChangesOnly: true}); err != nil ||
		len(ans.Elements) != 2 {
		t.Errorf("the first look after it tells %+v, %v", ans.Elements, err)
	}
}

// windowPicture is 1600 × 1200 pixels for a window of 800 × 600: red all over, the page's place green.
func windowPicture(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	for y := range 1200 {
		for x := range 1600 {
			c := color.RGBA{0xff, 0, 0, 0xff}
			if x >= 100 && x < 900 && y >= 20 && y < 1020 {
				c = color.RGBA{0, 0xff, 0, 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const pose = `{"v":{"own":true,"width":800,"stage":{"x":50,"y":10,"w":400,"h":500},"covered":[{"x":350,"y":400,"w":100,"h":110}]}}`

// newPageWithCamera returns a page in a window with a camera, and counts how often the window was released.
func newPageWithCamera(t *testing.T, answers fakeAnswers,
	camera func(context.Context) ([]byte, error),
) (p *panelpage.Page, rested *int) {
	t.Helper()
	rested = new(int)
	for name, text := range map[string]string{
		"pose": pose, "marks": `{"v":true}`, "awaitSettled": `{"v":{"over":true}}`, "aim": aimed,
		"type": `{"v":{"now":"hunter2hunter2"}}`,
		"see": packed("d1", "", node(7, "button", "Save"),
			strings.Replace(node(8, "textbox", "Key", "hunter2hunter2", "0", "", "required"), "~10~20~", "~100~220~",
				1)),
	} {
		if answers[name] == nil {
			answers[name] = reply(text)
		}
	}
	posed := answers["posed"]
	if posed == nil {
		posed = reply(`{"v":{"held":true}}`)
	}
	answers["posed"] = func(a wire.SurfaceRequest) (string, error) { *rested++; return posed(a) }
	s := panelpage.New(panelpage.Config{
		Elements: identity.NewElementRegistry(),
		Title:    func(string) string { return "Notes" },
	})
	s.SetWindowClient(&fakeWindow{answers: answers})
	s.SetCaptureFunc(camera)
	return s.Page("notes"), rested
}

func TestScreenshotIsCroppedToPanel(t *testing.T) {
	t.Parallel()
	shot := windowPicture(t)
	p, rested := newPageWithCamera(t, fakeAnswers{},
		func(context.Context) ([]byte, error) { return shot, nil })
	if _, err := p.Annotate(t.Context(), surface.AnnotateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Type(t.Context(), surface.TypeOptions{
		ID: 2, Text: "hunter2hunter2",
		SecretFor: "panel:notes",
	}); err != nil {
		t.Fatal(err)
	}
	pic, err := p.Screenshot(t.Context(), surface.ScreenshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(pic.Data))
	if err != nil {
		t.Fatal(err)
	}
	if pic.Width != 800 || pic.Height != 1000 || pic.Scale != 2 {
		t.Errorf("it is %d × %d, scale %g", pic.Width, pic.Height, pic.Scale)
	}
	green, grey := color.RGBA{0, 0xff, 0, 0xff}, color.RGBA{0x30, 0x30, 0x30, 0xff}
	for _, c := range []struct {
		what string
		x, y int
		want color.RGBA
	}{
		{"a corner of the page", 0, 0, green},
		{"what lies over it", 700, 900, grey},
		{"beside the secret", 60, 440, green},
		{"the secret that was typed", 200, 450, grey},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := color.RGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if *rested != 1 {
		t.Errorf("the window was let go %d times", *rested)
	}

	one, err := p.Screenshot(t.Context(), surface.ScreenshotOptions{ID: 2, Annotated: true})
	if err != nil || one.Width != 216 || one.Height != 76 {
		t.Errorf("the picture of one element is %d × %d, %v", one.Width, one.Height, err)
	}
	small, err := p.Screenshot(t.Context(), surface.ScreenshotOptions{MaxTokens: 200})
	if err != nil || small.Tokens() > 200 {
		t.Errorf("a small picture costs %d tokens, %v", small.Tokens(), err)
	}
}

func TestScreenshotFailureNamesCause(t *testing.T) {
	t.Parallel()
	shot := windowPicture(t)
	camera := func(context.Context) ([]byte, error) { return shot, nil }
	for _, c := range []struct {
		what    string
		answers fakeAnswers
		camera  func(context.Context) ([]byte, error)
		o       surface.ScreenshotOptions
		kind    string
		says    string
	}{
		{
			"a program without a window", nil, nil,
			surface.ScreenshotOptions{},
			surface.FaultBlocked,
			"open in a web browser",
		},
		{
			"a window in a web browser",
			fakeAnswers{"pose": reply(`{"v":{"own":false}}`)},
			camera,
			surface.ScreenshotOptions{},
			surface.FaultBlocked,
			"open in a web browser",
		},
		{
			"a dialog over it",
			fakeAnswers{"pose": reply(`{"e":"a dialog lies over it"}`)},
			camera,
			surface.ScreenshotOptions{},
			surface.FaultTimeout, "a dialog lies over it",
		},
		{"a window that does not draw", nil, func(context.Context) ([]byte, error) {
			return nil,
				errors.New("it does not answer")
		}, surface.ScreenshotOptions{}, surface.FaultTimeout, "it does not answer"},
		{
			"a window that moved meanwhile",
			fakeAnswers{"posed": reply(`{"v":{"held":false}}`)},
			camera,
			surface.ScreenshotOptions{},
			surface.FaultTimeout,
			"changed while the picture was taken",
		},
		{
			"a window that shows another panel by then",
			fakeAnswers{"posed": func(wire.SurfaceRequest) (string, error) {
				return "",
					errors.New("the window shows another panel now")
			}},
			camera,
			surface.ScreenshotOptions{},
			surface.FaultNoPage, "another panel",
		},
		{
			"all of the page", nil, camera,
			surface.ScreenshotOptions{FullPage: true},
			surface.FaultInvalid,
			"what is in view",
		},
		{
			"a place that is out of the window",
			fakeAnswers{"pose": reply(`{"v":{"own":true,"width":800,"stage":{"x":900,"y":10,"w":400,"h":500}}}`)},
			camera,
			surface.ScreenshotOptions{},
			surface.FaultBlocked, "Nothing of the page can be seen",
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.answers == nil {
				c.answers = fakeAnswers{}
			}
			p, _ := newPageWithCamera(t, c.answers, c.camera)
			_, err := p.Screenshot(t.Context(), c.o)
			if faultKind(err) != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Error(err)
			}
		})
	}
}
