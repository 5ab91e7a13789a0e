package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
	"go.uber.org/goleak"
)

// testChromium holds one real Chromium for the tests of this package. They run one after another: a page that is drawn
// in the background would miss their time limits.
type testChromium struct {
	browser *rod.Browser
	server  *httptest.Server
}

var chromium testChromium

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	l := launcher.New().Bin("/usr/bin/chromium").Headless(true).Set("disable-gpu")
	if os.Geteuid() == 0 {
		l = l.NoSandbox(true)
	}
	address, err := l.Launch()
	if err != nil {
		return 1, fmt.Errorf("starting chromium: %w", err)
	}
	// Cleanup waits for the end of Chromium, which can take longer than the search for leaks waits.
	ended := sync.OnceFunc(l.Cleanup)
	defer ended()
	b := rod.New().ControlURL(address)
	if err := b.Connect(); err != nil {
		return 1, fmt.Errorf("connecting to chromium: %w", err)
	}
	chromium.browser = b
	chromium.server = httptest.NewServer(http.FileServer(http.Dir("testdata")))
	code := m.Run()
	chromium.server.Close()
	if err := b.Close(); err != nil {
		return 1, err
	}
	ended()
	if code == 0 {
		// Rod's launcher keeps readers of its child's output, which end with the child.
		err = goleak.Find(goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
	}
	return code, err
}

// testWorld implements World over one page's main document.
type testWorld struct {
	page    *rod.Page
	context proto.RuntimeExecutionContextID
}

func (w *testWorld) Call(ctx context.Context, function string, args ...any) (json.RawMessage, error) {
	list := make([]*proto.RuntimeCallArgument, 0, len(args))
	for _, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		arg := &proto.RuntimeCallArgument{}
		if err := json.Unmarshal(fmt.Appendf(nil, `{"value":%s}`, b), arg); err != nil {
			return nil, err
		}
		list = append(list, arg)
	}
	r, err := proto.RuntimeCallFunctionOn{
		FunctionDeclaration: function, Arguments: list, ExecutionContextID: w.context, ReturnByValue: true,
		AwaitPromise: true,
	}.Call(w.page.Context(ctx))
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, fmt.Errorf("exception: %s %v", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	return json.Marshal(r.Result.Value)
}

func (w *testWorld) EvalMain(ctx context.Context, expression string) (json.RawMessage, error) {
	r, err := proto.RuntimeEvaluate{
		Expression: expression, IncludeCommandLineAPI: true,
		ReturnByValue: true,
	}.Call(w.page.Context(ctx))
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, fmt.Errorf("exception: %s %v", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	return json.Marshal(r.Result.Value)
}

func (w *testWorld) CallText(ctx context.Context, function string, args ...any) (string, error) {
	raw, err := w.Call(ctx, function, args...)
	if err != nil {
		return "", err
	}
	var s string
	err = json.Unmarshal(raw, &s)
	return s, err
}

func (w *testWorld) Listeners(ctx context.Context) (json.RawMessage, error) {
	page := w.page.Context(ctx)
	d, err := proto.RuntimeEvaluate{Expression: "document"}.Call(page)
	if err != nil {
		return nil, err
	}
	depth := -1
	l, err := proto.DOMDebuggerGetEventListeners{ObjectID: d.Result.ObjectID, Depth: &depth, Pierce: true}.Call(page)
	if err != nil {
		return nil, err
	}
	return json.Marshal(l)
}

func (w *testWorld) ClosedRoot(ctx context.Context, function string) (int, error) {
	page := w.page.Context(ctx)
	r, err := proto.RuntimeCallFunctionOn{FunctionDeclaration: function, ExecutionContextID: w.context}.Call(page)
	if err != nil || r.Result.ObjectID == "" {
		return 0, err
	}
	d, err := proto.DOMDescribeNode{ObjectID: r.Result.ObjectID}.Call(page)
	if err != nil {
		return 0, err
	}
	for _, root := range d.Node.ShadowRoots {
		if root.ShadowRootType == proto.DOMShadowRootTypeClosed {
			return int(root.BackendNodeID), nil
		}
	}
	return 0, nil
}

func (w *testWorld) CallNodes(ctx context.Context, function string, nodes []int) (json.RawMessage, error) {
	page := w.page.Context(ctx)
	args := make([]*proto.RuntimeCallArgument, len(nodes))
	for i, n := range nodes {
		args[i] = &proto.RuntimeCallArgument{}
		if r, err := (proto.DOMResolveNode{
			BackendNodeID:      proto.DOMBackendNodeID(n),
			ExecutionContextID: w.context,
		}).Call(page); err == nil {
			args[i].ObjectID = r.Object.ObjectID
		}
	}
	r, err := proto.RuntimeCallFunctionOn{
		FunctionDeclaration: function, Arguments: args, ExecutionContextID: w.context,
		ReturnByValue: true,
	}.Call(page)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r.Result.Value)
}

// open shows a fixture of testdata in a new tab of 1280×800.
func open(t testing.TB, path string) *testWorld {
	t.Helper()
	return openURL(t, chromium.server.URL+"/"+path)
}

func openURL(t testing.TB, url string) *testWorld {
	t.Helper()
	page, err := chromium.browser.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = page.Close() })
	page = page.Timeout(60 * time.Second)
	if err := page.SetViewport(&proto.EmulationSetDeviceMetricsOverride{
		Width: 1280, Height: 800,
		DeviceScaleFactor: 1,
	}); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(url); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	w := &testWorld{page: page}
	w.newContext(t)
	return w
}

// newContext makes the isolated world of the document that is there now.
func (w *testWorld) newContext(t testing.TB) {
	t.Helper()
	r, err := proto.PageCreateIsolatedWorld{FrameID: w.page.FrameID, WorldName: "sextant-test"}.Call(w.page)
	if err != nil {
		t.Fatal(err)
	}
	w.context = r.ExecutionContextID
}

// js evaluates in the page's own world.
func (w *testWorld) js(t testing.TB, expression string) string {
	t.Helper()
	b, err := w.EvalMain(t.Context(), expression)
	if err != nil {
		t.Fatal(err)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	return string(b)
}
