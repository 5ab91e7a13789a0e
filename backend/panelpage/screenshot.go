package panelpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/backend/surface/screenshot"
	"sextant/shared/annotation"
)

// maxSecrets is the maximum number of typed secrets that pictures cover. The oldest are forgotten first.
const maxSecrets = 64

const shotLimit = 10 * time.Second

// stageState is the window's answer once it is ready for a picture and shows nothing of its own over the page.
type stageState struct {
	// Own is true for the window of the desktop program, false for one in a web browser.
	Own bool `json:"own"`
	// Width is the window's width in CSS pixels, Stage the box of the page in it, and Covered the boxes to paint
	// over.
	Width   float64        `json:"width"`
	Stage   collect.Rect   `json:"stage"`
	Covered []collect.Rect `json:"covered"`
}

func (p *Page) coverSecret(text string) {
	if text == "" {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.secrets = append(slices.DeleteFunc(p.secrets, func(s string) bool { return s == text }), text)
	p.secrets = p.secrets[max(0, len(p.secrets)-maxSecrets):]
}

// Screenshot takes a picture of the visible part of the page, or of one element. It works only in the window of the
// desktop program, because a web browser does not give a page a picture of itself. It refuses o.FullPage.
func (p *Page) Screenshot(ctx context.Context, o surface.ScreenshotOptions) (surface.Picture, error) {
	if o.FullPage {
		return surface.Picture{}, &surface.Fault{
			Kind: surface.FaultInvalid,
			Message: fmt.Sprintf("full_page was sent, but a picture of the panel %s shows only what is in view.",
				p.name()),
			Suggestion: "Leave full_page out, and call scroll_page first for what lies below.",
		}
	}
	release, err := p.acquire(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	defer release()
	ctx, cancel := context.WithTimeoutCause(ctx, shotLimit, errNoAnswer)
	defer cancel()
	pic, err := p.capture(ctx, o)
	if err != nil {
		return surface.Picture{}, p.explain(ctx, err)
	}
	return pic, nil
}

func (p *Page) capture(ctx context.Context, o surface.ScreenshotOptions) (surface.Picture, error) {
	if o.ID != 0 {
		g, err := p.target(o.ID)
		if err != nil {
			return surface.Picture{}, err
		}
		// An element that cannot be pressed can still be captured; whether it is in view is checked below.
		_, _ = collect.Aim(ctx, g.w, g.element.Handle,
			collect.AimOptions{Scroll: true, Expectation: observe.ExpectationOf(g.element)})
	}
	p.s.mu.Lock()
	camera := p.s.camera
	secrets := slices.Clone(p.secrets)
	p.s.mu.Unlock()
	if camera == nil {
		return surface.Picture{}, p.noPictureFault()
	}
	pose, err := p.pose(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	if !pose.Own {
		return surface.Picture{}, p.noPictureFault()
	}
	// The window must not stay in the pose.
	released := false
	defer func() {
		if !released {
			_, _ = p.ask(context.WithoutCancel(ctx), false, "posed")
		}
	}()
	l, err := p.takeSnapshot(ctx, false)
	if err != nil {
		return surface.Picture{}, err
	}
	png, err := camera(ctx)
	if err != nil {
		return surface.Picture{}, p.failedFault(ctx, err)
	}
	released = true
	if err := p.endPose(ctx); err != nil {
		return surface.Picture{}, err
	}
	d := screenshot.WindowCapture{PNG: png, Width: pose.Width, Part: toBox(pose.Stage), Elements: l.Elements}
	for _, r := range pose.Covered {
		d.CoveredBoxes = append(d.CoveredBoxes, toBox(r))
	}
	for i, e := range l.Elements {
		if e.ID == o.ID {
			d.Crop = &l.Elements[i]
		}
		if slices.ContainsFunc(secrets, func(s string) bool {
			return strings.Contains(e.Value, s) ||
				strings.Contains(e.Name, s)
		}) {
			d.CoveredBoxes = append(d.CoveredBoxes, e.Box)
		}
	}
	if o.ID != 0 && (d.Crop == nil || !d.Crop.InView) {
		return surface.Picture{}, &surface.Fault{
			Kind:    surface.FaultBlocked,
			Message: fmt.Sprintf("[%d] cannot be seen now.", o.ID), Suggestion: "Call annotate_page.",
		}
	}
	return screenshot.RenderWindow(d, o)
}

func (p *Page) pose(ctx context.Context) (stageState, error) {
	raw, err := p.ask(ctx, false, "pose")
	if err != nil {
		return stageState{}, err
	}
	var answer struct {
		V stageState `json:"v"`
		E string     `json:"e"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return stageState{}, fmt.Errorf("asking the window to pause: %w", err)
	}
	if answer.E != "" {
		return stageState{}, p.failedFault(ctx, errors.New(answer.E))
	}
	return answer.V, nil
}

// endPose ends the pose. It fails if the window did not keep the pose: the picture may then show another panel, or
// content of the person's that is not covered.
func (p *Page) endPose(ctx context.Context) error {
	// The window must be released even if the picture came too late.
	raw, err := p.ask(context.WithoutCancel(ctx), false, "posed")
	if err != nil {
		return err
	}
	var answer struct {
		V struct {
			Held bool `json:"held"`
		} `json:"v"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("asking the window whether it kept still: %w", err)
	}
	if !answer.V.Held {
		return p.failedFault(ctx, errors.New("the window's content changed while the picture was taken"))
	}
	return nil
}

func toBox(r collect.Rect) annotation.Box {
	r = limitBox(r)
	return annotation.Box{X: r.X, Y: r.Y, Width: r.W, Height: r.H}
}

func (p *Page) noPictureFault() *surface.Fault {
	return &surface.Fault{
		Kind: surface.FaultBlocked,
		Message: fmt.Sprintf("There is no picture of the panel %s: the person has Sextant open in a web browser, "+
			"which gives no pictures of it. "+
			"Pages in Sextant's browser and panels in its own window can be photographed.", p.name()),
		Suggestion: "Call get_page_content for its text, or annotate_page for what can be used on it.",
	}
}

// failedFault returns the cause of ctx if it has ended, else a fault saying that there is no picture.
func (p *Page) failedFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &surface.Fault{
		Kind: surface.FaultTimeout, Message: fmt.Sprintf("There is no picture of the panel %s: %s.", p.name(),
			surface.Truncate(err.Error(), 200)),
		Suggestion: "Call get_page_content for its text, or take_screenshot again.",
	}
}
