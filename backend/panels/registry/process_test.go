package registry

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// rogue is a Registry with the misbehaving panel in it.
func rogue(t *testing.T) (*Registry, string) {
	t.Helper()
	r, _, root := started(t, nil)
	copyTree(t, "testdata/rogue", filepath.Join(root, "rogue"))
	if p := waitFor(t, r, "rogue"); !p.Usable || len(p.Problems) > 0 {
		t.Fatalf("got %+v", p)
	}
	return r, filepath.Join(root, "rogue")
}

func do(t *testing.T, r *Registry, what string) toolspec.Result {
	t.Helper()
	return call(t, r, "rogue_do", `{"what":"`+what+`"}`)
}

// alive is false for a dead process that nobody has reaped yet: an orphan's reaper is the
// machine's first process, which takes its time and in some containers never does it.
func alive(pid int) bool {
	state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	_, after, _ := strings.Cut(string(state), ") ")
	return !strings.HasPrefix(after, "Z")
}

func pidIn(t *testing.T, r toolspec.Result) int {
	t.Helper()
	mustSucceed(t, r)
	n, err := r.Value.(map[string]any)["pid"].(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

func TestSampleReadingList(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	copyTree(t, "../../../docs/examples/reading-list", filepath.Join(root, "reading-list"))
	waitFor(t, r, "reading-list")
	added := call(t, r, "reading_list_add", `{"title":"A tour of Go","url":"https://go.dev/tour/"}`)
	if text := mustSucceed(t, added); !strings.Contains(text, `"id":1`) ||
		added.Sentence != "Add “A tour of Go” to the reading list" {
		t.Errorf("got %s, %q", text, added.Sentence)
	}
	mustFail(t, call(t, r, "reading_list_add", `{"title":"Again","url":"https://go.dev/tour/"}`), toolspec.UserError,
		"is on the list already, as entry 1", "Mark or remove")
	mustSucceed(t, call(t, r, "reading_list_add", `{"title":"Dune"}`))
	mustSucceed(t, call(t, r, "reading_list_mark", `{"id":1,"read":true}`))
	unread := mustSucceed(t, call(t, r, "reading_list_show", `{"state":"unread","limit":10}`))
	if !strings.Contains(unread, "Dune") || strings.Contains(unread, "tour") {
		t.Errorf("unread: %s", unread)
	}
	mustSucceed(t, call(t, r, "reading_list_remove", `{"id":2}`))
	mustFail(t, call(t, r, "reading_list_remove", `{"id":2}`), toolspec.UserError, "there is no entry 2",
		"reading_list_show")
	kept, err := os.ReadFile(filepath.Join(filepath.Dir(root), "panel-data", "reading-list", "items.json"))
	if err != nil || !strings.Contains(string(kept), "A tour of Go") || strings.Contains(string(kept), "Dune") {
		t.Errorf("kept: %s, %v", kept, err)
	}
}

func TestFirstStartAsksWithCommand(t *testing.T) {
	t.Parallel()
	r, dir := rogue(t)
	if !definition(t, r, "rogue_do").Hints.Confirm {
		t.Fatal("the first call would not ask")
	}
	d := r.Describe(toolspec.Call{ID: "1", Tool: "rogue_do", Args: json.RawMessage(`{"what":"good"}`)})
	if d.Sentence != "Starting the Rogue panel's program: node server.mjs" || d.Target != "node server.mjs" ||
		d.Data != "in the folder "+dir {
		t.Errorf("got %+v", d)
	}
	if _, err := os.Stat(filepath.Join(dir, "pid")); err == nil {
		t.Error("it was started by describing it")
	}
	mustSucceed(t, do(t, r, "good"))
	if definition(t, r, "rogue_do").Hints.Confirm {
		t.Error("the second call would ask again")
	}
	d = r.Describe(toolspec.Call{ID: "2", Tool: "rogue_echo", Args: json.RawMessage(`{"id":"a b","text":"hi"}`)})
	if d.Sentence != "Rogue: rogue_echo" || d.Target != "POST /api/rogue/echo/a%20b" || d.Data != `{"text":"hi"}` {
		t.Errorf("got %+v", d)
	}
}

func TestCommandChangedDuringQuestionIsNotStarted(t *testing.T) {
	t.Parallel()
	r, dir := rogue(t)
	c := toolspec.Call{ID: "1", Tool: "rogue_do", Args: json.RawMessage(`{"what":"good"}`)}
	def := definition(t, r, "rogue_do")
	r.Describe(c)
	text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Dir(dir), "rogue", map[string]string{manifest.FileName: strings.Replace(string(text),
		`["server.mjs"]`, `["--no-warnings", "server.mjs"]`, 1)})
	accept(t, r, "rogue")
	eventually(t, "the new command is known", func() bool {
		return strings.Contains(r.Describe(toolspec.Call{Tool: "rogue_do"}).Target, "--no-warnings")
	})
	result, err := r.Execute(t.Context(), c, def, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustFail(t, result, toolspec.PermissionError, "changed while the question waited", "Call again")
	if _, err := os.Stat(filepath.Join(dir, "pid")); err == nil {
		t.Error("something was started")
	}
}

func TestArgumentPlacement(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	for _, c := range []struct{ tool, args, want string }{
		{
			"rogue_echo", `{"id":"a b?c#d","text":{"x":1}}`,
			`{"method":"POST","url":"/api/rogue/echo/a%20b%3Fc%23d","body":{"text":{"x":1}}}`,
		},
		{"rogue_echo", `{"id":"7"}`, `{"method":"POST","url":"/api/rogue/echo/7","body":{}}`},
		{
			"rogue_query", `{"a":"x&y=1","b":[1,"two"],"c":{"k":true},"d":null}`,
			`{"method":"GET","url":"/api/rogue/echo?a=x%26y%3D1&b=1&b=two&c=%7B%22k%22%3Atrue%7D","body":null}`,
		},
		{"rogue_query", `{}`, `{"method":"GET","url":"/api/rogue/echo","body":null}`},
		{
			"rogue_erase", `{"id":"7","list":["a","b"]}`,
			`{"method":"DELETE","url":"/api/rogue/echo/7?list=a&list=b","body":null}`,
		},
	} {
		t.Run(c.tool+c.args, func(t *testing.T) {
			if got := mustSucceed(t, call(t, r, c.tool, c.args)); got != c.want {
				t.Errorf("%s %s\ngot  %s\nwant %s", c.tool, c.args, got, c.want)
			}
		})
	}
	for _, id := range []string{"..", ".", "", "a/b", `a\\b`, "a%2fb", "%2e%2e", `\u0000`} {
		mustFail(t, call(t, r, "rogue_echo", `{"id":"`+id+`"}`), toolspec.ValidationError,
			"id is part of the endpoint's path")
	}
	mustFail(t, call(t, r, "rogue_echo", `{"id":["a"]}`), toolspec.ValidationError, "should be a string or a number")
}

func TestContextFillsMissingArguments(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	if s := string(definition(t, r, "rogue_save").Parameters); strings.Contains(s, "required") {
		t.Errorf("the model gets it as an argument: %s", s)
	}
	mustFail(t, call(t, r, "rogue_save", `{}`), toolspec.ValidationError,
		"filePath is missing, and the Rogue panel's context does not supply it")
	if err := r.PublishContext("rogue", map[string]json.RawMessage{"filePath": json.RawMessage(`"a.txt"`)}); err != nil {
		t.Fatal(err)
	}
	got := call(t, r, "rogue_save", `{}`)
	if text := mustSucceed(t, got); !strings.Contains(text, `"body":{"filePath":"a.txt"}`) ||
		got.Sentence != "Save a.txt" {
		t.Errorf("got %s, %q", text, got.Sentence)
	}
	if text := mustSucceed(t, call(t, r, "rogue_save", `{"filePath":"b.txt"}`)); !strings.Contains(text, `"b.txt"`) {
		t.Errorf("got %s", text)
	}
}

func TestErrorExtraction(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	for what, want := range map[string]struct {
		kind  toolspec.ErrorType
		words []string
	}{
		"nested": {toolspec.ValidationError, []string{
			"the title is too long (422 Unprocessable Entity)",
			"Send a shorter title.",
		}},
		"list": {toolspec.ValidationError, []string{
			"first; second (400 Bad Request)",
			`A correct call: rogue_do {"what":`,
		}},
		"fastapi":   {toolspec.ValidationError, []string{"field required"}},
		"text":      {toolspec.UserError, []string{"no such note (404 Not Found)"}},
		"html":      {toolspec.SystemError, []string{"POST /api/rogue/do/html answered 500 Internal Server Error"}},
		"forbidden": {toolspec.PermissionError, []string{"not yours"}},
		"quiet":     {toolspec.UserError, []string{"the disk is full"}},
		"redirect":  {toolspec.SystemError, []string{"redirect (302 Found), which is not followed"}},
		"huge":      {toolspec.SystemError, []string{"larger than 5 MB"}},
		"badjson":   {toolspec.SystemError, []string{"returned invalid JSON", "{\"a\": nope}"}},
		"half":      {toolspec.SystemError, []string{"ended early"}},
	} {
		t.Run(what, func(t *testing.T) { mustFail(t, do(t, r, what), want.kind, want.words...) })
	}
}

func TestAnswerKindsAndBounds(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	if got := do(t, r, "words"); got.Value != "plain words" || got.Sources[0] != "panel:rogue" {
		t.Errorf("got %+v", got)
	}
	if got := do(t, r, "picture"); len(got.Images) != 1 || got.Images[0].MIME != "image/png" ||
		len(got.Images[0].Data) != 4 {
		t.Errorf("got %+v", got)
	}
	if text := mustSucceed(t, do(t, r, "binary")); !strings.Contains(text, "not text") {
		t.Errorf("got %s", text)
	}
	text := mustSucceed(t, do(t, r, "large"))
	if len(text) > maxValue+100 || !strings.HasSuffix(text, "more bytes are left out") ||
		strings.Contains(text, "\ufffd") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-40:])
	}
}

func TestProgramEnvironment(t *testing.T) {
	t.Setenv("SEXTANT_OPENAI_API_KEY", "secret")
	r, dir := rogue(t)
	got := do(t, r, "env")
	mustSucceed(t, got)
	value := got.Value.(map[string]any)
	env := value["env"].(map[string]any)
	if env["SEXTANT_OPENAI_API_KEY"] != nil || env["PATH"] == nil || env["SEXTANT_PANEL_ID"] != "rogue" {
		t.Errorf("got %v", env)
	}
	if value["token"] != env["SEXTANT_PANEL_TOKEN"] || len(value["token"].(string)) < 20 {
		t.Errorf("token %v", value["token"])
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || value["cwd"] != real {
		t.Errorf("cwd %v, want %s, %v", value["cwd"], real, err)
	}
	if out := r.Output("rogue"); !strings.Contains(out, "rogue is up") {
		t.Errorf("its output: %q", out)
	}
}

func TestCrashedProgramIsRestarted(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	first := pidIn(t, do(t, r, "env"))
	mustFail(t, do(t, r, "crash"), toolspec.SystemError, "stopped during the call, exit 3: Error: out of paper",
		"The next call starts it again")
	if second := pidIn(t, do(t, r, "env")); second == first {
		t.Error("the same process answered")
	}
}

func TestFailingStartBacksOff(t *testing.T) {
	t.Parallel()
	r, dir := rogue(t)
	block := filepath.Join(dir, "refuse-to-start")
	if err := os.WriteFile(block, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustFail(t, do(t, r, "good"), toolspec.SystemError,
		"stopped at its start, exit 1: Error: the database refused the connection")
	mustFail(t, do(t, r, "good"), toolspec.SystemError, "stopped at its start")
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	// The next start waits a second.
	mustSucceed(t, do(t, r, "good"))
}

func TestHangingCallEndsAtDeadline(t *testing.T) {
	t.Parallel()
	r, _ := rogue(t)
	mustSucceed(t, do(t, r, "good"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	mustFail(t, callIn(ctx, t, r, "rogue_do", `{"what":"hang"}`), toolspec.SystemError,
		"did not answer POST /api/rogue/do/hang in time", "whether it took effect is unknown")
	mustSucceed(t, do(t, r, "good"))
}

func TestProgramThatNeverListens(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(
		t,
		root,
		"mute",
		map[string]string{
			manifest.FileName: minimal("mute", `,"backend":{"kind":"process","command":"sleep","args":["600"]},
	  "tools":[{"name":"mute_try","description":"x","endpoint":"GET /api/mute/x"}]`),
		},
	)
	waitFor(t, r, "mute")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	mustFail(t, callIn(ctx, t, r, "mute_try", `{}`), toolspec.SystemError, "did not answer before the call ended")
}

func TestUnknownCommandError(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(
		t,
		root,
		"lost",
		map[string]string{
			manifest.FileName: minimal("lost", `,"backend":{"kind":"process","command":"no-such-program-here"},
	  "tools":[{"name":"lost_try","description":"x","endpoint":"GET /api/lost/x"}]`),
		},
	)
	waitFor(t, r, "lost")
	mustFail(t, call(t, r, "lost_try", `{}`), toolspec.SystemError, "cannot be started", "no-such-program-here")
}

func TestProgramEndsWithFolderAndRegistry(t *testing.T) {
	t.Parallel()
	r, dir := rogue(t)
	program, grandchild := pidIn(t, do(t, r, "env")), pidIn(t, do(t, r, "child"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "program and child are gone with the folder",
		func() bool { return !alive(program) && !alive(grandchild) })

	copyTree(t, "testdata/rogue", dir)
	waitFor(t, r, "rogue")
	program, grandchild = pidIn(t, do(t, r, "env")), pidIn(t, do(t, r, "child"))
	r.Close()
	if alive(program) {
		t.Error("the program outlived the Registry")
	}
	eventually(t, "the child is gone", func() bool { return !alive(grandchild) })
}

func TestCallWaitsForReplacementProgram(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	dir := filepath.Join(root, "rogue")
	copyTree(t, "testdata/rogue", dir)
	good, err := os.ReadFile(filepath.Join(dir, "server.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "rogue", map[string]string{"server.mjs": "import { writeFileSync } from " +
		"'node:fs'\nwriteFileSync('mute', '')\nsetInterval(() => {}, 1000)\n"})
	waitFor(t, r, "rogue")
	answered := make(chan toolspec.Result, 1)
	go func() { answered <- do(t, r, "good") }()
	eventually(t, "a program runs that does not listen", func() bool {
		_, err := os.Stat(filepath.Join(dir, "mute"))
		return err == nil
	})
	put(t, root, "rogue", map[string]string{"server.mjs": string(good)})
	mustSucceed(t, <-answered)
}

func TestEditedProgramIsRestarted(t *testing.T) {
	t.Parallel()
	r, dir := rogue(t)
	first := pidIn(t, do(t, r, "env"))
	text, err := os.ReadFile(filepath.Join(dir, "server.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server.mjs"), append(text, "\n// edited\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the old program ended", func() bool { return !alive(first) })
	if second := pidIn(t, do(t, r, "env")); second == first {
		t.Error("the same process answered " + strconv.Itoa(second))
	}
	if definition(t, r, "rogue_do").Hints.Confirm {
		t.Error("the same command asks again")
	}
}
