package browser

import (
	"context"
	"encoding/json"
	"time"

	"sextant/backend/browser/act"
	"sextant/backend/browser/inspect"
	"sextant/backend/browser/live"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/console"
	"sextant/backend/browser/page/emulation"
	"sextant/backend/browser/page/network"
	"sextant/backend/browser/page/webmcp"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// Aliases of the types in Session's methods, for callers that import only this package.
type (
	NavigateOptions = act.NavigateOptions
	TabCommand      = act.TabCommand
	Emulation       = emulation.Emulation
	Geolocation     = emulation.Geolocation
	ConsoleMessage  = console.Message
	ConsoleOptions  = console.Options
	Request         = network.Request
	RequestDetail   = network.RequestDetail
	RequestFilter   = network.RequestFilter
	PageTool        = webmcp.PageTool
	Point           = act.Point
	ClickAtOptions  = act.ClickAtOptions
	DragOptions     = act.DragOptions
	DialogOptions   = act.DialogOptions
	EvaluateOptions = act.EvaluateOptions
	EvaluateResult  = act.EvaluateResult
	PDFOptions      = inspect.PDFOptions
	LiveReader      = live.Reader
	LiveFrame       = live.Frame
	PersonStep      = live.Step
)

// Session contains the tabs of one caller. It has the methods of page.Session, and the actions of act and inspect on
// its active tab, or on the tab of the element that they name. Methods may be called concurrently unless they say
// otherwise; the actions of one tab queue. Errors of actions are *surface.Fault where the caller can correct them.
type Session struct{ *page.Session }

var _ surface.Surface = (*Session)(nil)

// Navigate opens an address in the active tab, or goes back, forward or reloads.
func (s *Session) Navigate(ctx context.Context, o NavigateOptions) (annotation.Observation, error) {
	return act.Navigate(ctx, s.Session, o)
}

// ManageTabs lists, opens, selects or closes tabs; see act.ManageTabs.
func (s *Session) ManageTabs(ctx context.Context, o TabCommand) (annotation.Observation, []event.Tab, error) {
	return act.ManageTabs(ctx, s.Session, o)
}

// GiveFiles gives files of the person to the page's open file chooser, or with at drops them there.
func (s *Session) GiveFiles(ctx context.Context, paths []string, at *Point) error {
	return act.GiveFiles(ctx, s.Session, paths, at)
}

// Click implements surface.Surface.
func (s *Session) Click(ctx context.Context, o surface.ClickOptions) (annotation.Observation, error) {
	return act.Click(ctx, s.Session, o)
}

// ClickAt presses the mouse at a point and names the element there.
func (s *Session) ClickAt(ctx context.Context, o ClickAtOptions) (annotation.Observation, error) {
	return act.ClickAt(ctx, s.Session, o)
}

// Hover implements surface.Surface.
func (s *Session) Hover(ctx context.Context, id int) (annotation.Observation, error) {
	return act.Hover(ctx, s.Session, id)
}

// Type implements surface.Surface.
func (s *Session) Type(ctx context.Context, o surface.TypeOptions) (annotation.Observation, error) {
	return act.Type(ctx, s.Session, o)
}

// Select implements surface.Surface.
func (s *Session) Select(ctx context.Context, id int, values []string) (annotation.Observation, error) {
	return act.Select(ctx, s.Session, id, values)
}

// SelectText selects text; see act.SelectText.
func (s *Session) SelectText(ctx context.Context, id int, text string, start, end int) (annotation.Observation, error) {
	return act.SelectText(ctx, s.Session, id, text, start, end)
}

// PressKey implements surface.Surface; it also answers an open dialog (Enter, Escape).
func (s *Session) PressKey(ctx context.Context, key string) (annotation.Observation, error) {
	return act.PressKey(ctx, s.Session, key)
}

// Scroll implements surface.Surface.
func (s *Session) Scroll(ctx context.Context, o surface.ScrollOptions) (annotation.Observation, error) {
	return act.Scroll(ctx, s.Session, o)
}

// Drag presses at one place, moves and releases at another.
func (s *Session) Drag(ctx context.Context, o DragOptions) (annotation.Observation, error) {
	return act.Drag(ctx, s.Session, o)
}

// MovePath moves the mouse along points, with the button held when press is true.
func (s *Session) MovePath(ctx context.Context, points []Point, press bool) (annotation.Observation, error) {
	return act.MovePath(ctx, s.Session, points, press)
}

// Upload gives files to the element id; see act.Upload.
func (s *Session) Upload(ctx context.Context, id int, paths []string) (annotation.Observation, error) {
	return act.Upload(ctx, s.Session, id, paths)
}

// HandleDialog answers the open dialog; see act.HandleDialog.
func (s *Session) HandleDialog(ctx context.Context, o DialogOptions) (annotation.Observation, error) {
	return act.HandleDialog(ctx, s.Session, o)
}

// Evaluate runs a script in the page's main world; see act.Evaluate.
func (s *Session) Evaluate(ctx context.Context, o EvaluateOptions) (annotation.Observation, EvaluateResult, error) {
	return act.Evaluate(ctx, s.Session, o)
}

// PageTools returns the tools that the active tab's page offers through WebMCP.
func (s *Session) PageTools(ctx context.Context) ([]PageTool, error) {
	return act.PageTools(ctx, s.Session)
}

// PageToolOrigin returns the origin of the document that offers a tool; see act.PageToolOrigin.
func (s *Session) PageToolOrigin(name, origin string) string {
	return act.PageToolOrigin(s.Session, name, origin)
}

// CallPageTool calls a tool that the page offers; see act.CallPageTool.
func (s *Session) CallPageTool(ctx context.Context, name, origin string, input json.RawMessage) (annotation.Observation,
	string, error,
) {
	return act.CallPageTool(ctx, s.Session, name, origin, input)
}

// Annotate implements surface.Surface.
func (s *Session) Annotate(ctx context.Context, o surface.AnnotateOptions) (annotation.Observation, error) {
	return inspect.Annotate(ctx, s.Session, o)
}

// Screenshot implements surface.Surface.
func (s *Session) Screenshot(ctx context.Context, o surface.ScreenshotOptions) (surface.Picture, error) {
	return inspect.Screenshot(ctx, s.Session, o)
}

// PrintPDF prints the active tab's page into the folder of downloads.
func (s *Session) PrintPDF(ctx context.Context, o PDFOptions) (event.Download, error) {
	return inspect.PrintPDF(ctx, s.Session, o)
}

// HTML implements surface.Surface.
func (s *Session) HTML(ctx context.Context) (html, url, title string, err error) {
	return inspect.HTML(ctx, s.Session)
}

// Selection implements surface.Surface.
func (s *Session) Selection(ctx context.Context) (string, error) {
	return inspect.Selection(ctx, s.Session)
}

// Wait implements surface.Surface.
func (s *Session) Wait(ctx context.Context, o surface.WaitOptions) (annotation.Observation, error) {
	return inspect.Wait(ctx, s.Session, o)
}

// AwaitCondition implements surface.Surface.
func (s *Session) AwaitCondition(ctx context.Context, c surface.Condition, patience time.Duration) (
	held bool, missing string, err error,
) {
	return inspect.AwaitCondition(ctx, s.Session, c, patience)
}

// OriginOf implements surface.Surface.
func (s *Session) OriginOf(id int) surface.ElementOrigin { return inspect.OriginOf(s.Session, id) }

// RoleAndName implements surface.Surface.
func (s *Session) RoleAndName(id int) (role, name string) { return inspect.RoleAndName(s.Session, id) }

// KeyTargets implements surface.Surface.
func (s *Session) KeyTargets() []string { return inspect.KeyTargets(s.Session) }

// HasLink reports whether the page in front, or a frame in it, links to exactly url.
func (s *Session) HasLink(url string) bool { return inspect.HasLink(s.Session, url) }

// SignedIn reports whether the page in front offers to sign out, or does not say in time.
func (s *Session) SignedIn() bool { return inspect.SignedIn(s.Session) }

// Address implements surface.Surface.
func (s *Session) Address() string { return inspect.Address(s.Session) }

// Follow calls changed after the page in front has changed; see live.Follow.
func (s *Session) Follow(ctx context.Context, changed func()) { live.Follow(ctx, s.Session, changed) }
