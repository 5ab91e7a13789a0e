package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/pipeline"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// endless is one call that takes long: a tool, its arguments, and the panel it is on.
type endless struct {
	name, tool, panel string
	args              any
	// mark stands in the command line or the environment of every process that it starts, ""
	// when it starts none.
	mark string
	// usable is a short call of the same tool that works at once after a cancel.
	usable any
	// page is what the browser shows before.
	page string
	// begun says that it runs; nil when nothing outside tells.
	begun func() bool
}

// slow is a System with everything that calls can wait for.
type slow struct {
	*System
	t       testing.TB
	dir     string
	stalled *httptest.Server
	// asked counts requests that wait at the stalled server.
	asked chan struct{}
}

// sleeping is how long commands sleep, a number that no other process of this machine has.
var sleeping = strconv.Itoa(100_000 + os.Getpid())

func newSlow(t testing.TB) *slow {
	t.Helper()
	s := &slow{t: t, asked: make(chan struct{}, 1000)}
	ended := make(chan struct{})
	s.stalled = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/favicon.ico":
			http.NotFound(w, r)
			return
		case r.URL.Path == "/begun":
			s.asked <- struct{}{}
			return
		case r.URL.Path == "/long":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html><title>Long</title>" +
				strings.Repeat("<p>some words of no interest</p>", 20_000)))
			return
		case r.URL.Path == "/quick":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html><title>Quick</title><p>quick</p><button>Go</button>"))
			return
		case r.URL.Path == "/body":
			_, _ = w.Write([]byte("first words"))
			_ = http.NewResponseController(w).Flush()
		}
		s.asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(func() { close(ended); s.stalled.Close() })
	flags := testFlags(t)
	// Temporary files are counted, so no other program's may be among them.
	temporary, err := os.MkdirTemp("", "") // short, for the sockets in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	t.Setenv("TMPDIR", temporary)
	s.dir = filepath.Join(filepath.Dir(flags["data"]), "workspace-"+sleeping)
	flags["workspace"], flags["allow_hosts"] = s.dir, s.stalled.Listener.Addr().String()
	flags["search_provider"], flags["search_url"] = "searxng", s.stalled.URL
	command, err := json.Marshal(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	writeMCPConfig(t, flags, `{"mcpServers":{"post":{"command":`+string(command)+`,"env":{"`+asTool+`":"1"}}}}`)
	put(
		t,
		filepath.Join(flags["data"], "panels", "stalled", "manifest.json"),
		`{"panel_id":"stalled","panel_type":"x","title":"Stalled",
		"backend":{"kind":"http","url":"`+s.stalled.URL+`"},"tools":[
		{"name":"stalled_wait","description":"Never answers.","endpoint":"GET /api/stalled/wait","parameters":{"type":"object"}}]}`,
	)
	s.world()
	s.System = openWith(t, flags, OpenOptions{AllowTemporaryData: true, WaitMCP: true})
	s.WaitForMCP(t.Context())
	for name, body := range map[string]string{
		"spin":  "while (true) {}",
		"outer": `return await tools.bash({command: "sleep ` + sleeping + `"})`,
	} {
		made := toolspec.CreatedTool{
			Name: name, Description: name, Parameters: json.RawMessage(`{"type":"object"}`),
			Body: body, AwaitsReview: true,
		}
		made, err := s.Store.SaveCreatedTool(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Created.MarkReviewed(t.Context(), name, made.Version); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// world fills the workspace: many files, a large file, a database, a repository whose difference
// takes git long.
func (s *slow) world() {
	t := s.t
	t.Helper()
	for i := range 100 {
		for j := range 100 {
			put(t, filepath.Join(s.dir, "tree", strconv.Itoa(i), strconv.Itoa(j)+".txt"),
				strings.Repeat("some words of no interest\n", 200))
		}
	}
	put(t, filepath.Join(s.dir, "large.txt"), strings.Repeat(strings.Repeat("x", 99)+"\n", 600_000))
	db, err := sql.Open("sqlite3", filepath.Join(s.dir, "some.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE t (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	put(t, filepath.Join(s.dir, "repo", "a.txt"), "before\n")
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git",
			append([]string{"-C", filepath.Join(s.dir, "repo"), "-c", "user.name=a", "-c", "user.email=a@b.example"},
				args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "first")
	put(t, filepath.Join(s.dir, "repo", "a.txt"), "after\n")
	// A diff reads the attributes, and nobody writes to this pipe.
	attributes := filepath.Join(s.dir, "repo", ".git", "info", "attributes")
	_ = os.Remove(attributes)
	if err := syscall.Mkfifo(attributes, 0o600); err != nil {
		t.Fatal(err)
	}
}

type object = map[string]any

// endlesses are the calls that can run long, of every tool that has one.
func (s *slow) endlesses() []endless {
	runs := func() bool { return len(marked(sleeping)) > 0 }
	waits := func() bool {
		select {
		case <-s.asked:
			return true
		default:
			return false
		}
	}
	sleep := "sleep " + sleeping
	command := func(name, text string) endless {
		return endless{
			name: "bash " + name, tool: "bash", args: object{"command": text}, mark: sleeping,
			usable: object{"command": "echo hi"}, begun: runs,
		}
	}
	quick, stalled := s.stalled.URL+"/quick", s.stalled.URL+"/wait"
	page := func(name, tool string, args any, begun func() bool) endless {
		return endless{name: name, tool: tool, args: args, begun: begun}
	}
	return []endless{
		command("sleep", sleep),
		command("grandchildren", `bash -c 'bash -c "`+sleep+`" & wait' & wait`),
		command("setsid", "setsid "+sleep+" & "+sleep),
		command("daemon", "(setsid nohup "+sleep+" >/dev/null 2>&1 &); "+sleep),
		command("deaf", `trap "" TERM INT HUP; while :; do `+sleep+"; done"),
		command("flood", sleep+" & yes"),
		{name: "wget", tool: "wget", args: object{"uri": stalled}, usable: object{"uri": quick}, begun: waits},
		{
			name: "http_request body", tool: "http_request", args: object{"url": s.stalled.URL + "/body"},
			usable: object{"url": quick}, begun: waits,
		},
		{name: "web_search", tool: "web_search", args: object{"query": "lamps"}, begun: waits},
		{
			name: "search_files", tool: "search_files", args: object{"pattern": "(n|o|p)+[aeiou]q{3}", "path": "tree"},
			usable: object{"pattern": "words", "path": "tree/1", "limit": 1},
		},
		{
			name: "find_files", tool: "find_files", args: object{"pattern": "**/*.nothing", "path": "/"},
			usable: object{"pattern": "*.db"},
		},
		{
			name: "read_file", tool: "read_file", args: object{"path": "large.txt", "offset": 599_000},
			usable: object{"path": "tree/1/1.txt"},
		},
		{
			name: "sql_query", tool: "sql_query",
			args: object{
				"path":  "some.db",
				"query": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT count(*) FROM n",
			},
			usable: object{"path": "some.db", "query": "SELECT 1"},
		},
		{
			name: "git_read", tool: "git_read", args: object{"command": "diff", "path": "repo"}, mark: s.dir +
				"/repo/.git", usable: object{"command": "branch", "path": "repo"},
			begun: func() bool { return len(marked(s.dir+"/repo/.git")) > 0 },
		},
		{name: "created loop", tool: "spin", args: object{}},
		{name: "created inner", tool: "outer", args: object{}, mark: sleeping, begun: runs},
		{name: "mcp", tool: "post__wait", args: object{}},
		{name: "panel", tool: "stalled_wait", panel: "stalled", args: object{}, begun: waits},
		page("navigate_page", "navigate_page", object{"url": stalled}, waits),
		page("wait_for", "wait_for", object{"text": "never to be seen", "seconds": 30}, nil),
		page("run_steps", "run_steps", object{"steps": []object{{
			"tool": "wait_for", "text": "never to be seen",
			"seconds": 30,
		}}}, nil),
		{name: "save_pdf", tool: "save_pdf", args: object{}, page: "/long"},
		page("evaluate_script", "evaluate_script",
			object{"script": "const x = new XMLHttpRequest(); x.open('GET', '/begun', false); x.send(); while " +
				"(true) {}"}, waits),
	}
}

// marked are the processes with mark in their command line or their environment.
func marked(mark string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		for _, what := range []string{"cmdline", "environ"} {
			if b, err := os.ReadFile(filepath.Join("/proc", e.Name(), what)); err == nil &&
				bytes.Contains(b, []byte(mark)) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// cancelled starts a call, cancels it once it runs, and says how long the answer took from then,
// and how long until no process of it was left.
func (s *slow) cancelled(e endless, id string) (answer, gone time.Duration, r toolspec.Result) {
	s.t.Helper()
	if e.page != "" {
		s.open(e.page)
	}
	for len(s.asked) > 0 {
		<-s.asked
	}
	done := make(chan toolspec.Result, 1)
	go func() { done <- s.do(e, e.args, id) }()
	begun := func() bool {
		return slices.ContainsFunc(s.Pipeline.RunningCalls(),
			func(c pipeline.RunningCall) bool { return c.ID == id }) &&
			(e.begun == nil || e.begun())
	}
	for until := time.Now().Add(20 * time.Second); !begun(); time.Sleep(time.Millisecond) {
		select {
		case r := <-done:
			s.t.Fatalf("%s ended before it was cancelled: %+v", e.name, r)
		default:
		}
		if time.Now().After(until) {
			s.t.Fatalf("%s does not begin", e.name)
		}
	}
	if e.begun == nil {
		time.Sleep(20 * time.Millisecond) // in the middle of it; the answer says what had ended by then
	}
	from := time.Now()
	s.Pipeline.Cancel(id)
	r = <-done
	answer = time.Since(from)
	for until := time.Now().Add(20 * time.Second); e.mark != ""; time.Sleep(200 * time.Microsecond) {
		left := marked(e.mark)
		if len(left) == 0 {
			break
		}
		if time.Now().After(until) {
			s.t.Fatalf("%s leaves processes: %v", e.name, left)
		}
	}
	return answer, time.Since(from), r
}

func (s *slow) do(e endless, args any, id string) toolspec.Result {
	b, err := json.Marshal(args)
	if err != nil {
		s.t.Error(err)
	}
	return s.Pipeline.Do(context.Background(), toolspec.Call{
		ID: id, Tool: e.tool, Args: b, Panel: e.panel,
		From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"},
	})
}

// ready opens the page that the browser's tools act on.
func (s *slow) ready() { s.t.Helper(); s.open("/quick") }

func (s *slow) open(page string) {
	s.t.Helper()
	if r := s.do(endless{tool: "navigate_page"}, object{"url": s.stalled.URL + page}, ""); !r.Success {
		s.t.Fatalf("opening the page: %+v", r)
	}
}

func TestCanceledCallEndsOnceAndLeavesNothing(t *testing.T) {
	s := newSlow(t)
	s.ready()
	for i, e := range s.endlesses() {
		t.Run(e.name, func(t *testing.T) {
			defer func(was testing.TB) { s.t = was }(s.t)
			s.t = t
			id := fmt.Sprintf("cancel%d", i)
			before := s.files()
			_, _, r := s.cancelled(e, id)
			if r.Success || !strings.Contains(r.Error, "stopped") {
				t.Errorf("%+v", r)
			}
			if e.usable != nil {
				if r := s.do(e, e.usable, ""); !r.Success {
					t.Errorf("right after: %+v", r)
				}
			} else if strings.Contains(" navigate_page wait_for run_steps save_pdf evaluate_script ", " "+e.tool+" ") {
				s.ready()
			}
			after := s.files()
			for until := time.Now().Add(20 * time.Second); after != before &&
				time.Now().Before(until); after = s.files() {
				time.Sleep(5 * time.Millisecond) // a run's own folder goes when its last process has
			}
			if after != before {
				t.Errorf("files before %s, after %s", before, after)
			}
			if ends := s.ends(id); len(ends) != 1 || ends[0].Status != event.CallStopped {
				t.Errorf("the ends are %+v", ends)
			}
		})
	}
}

// ends are the events that ended a call.
func (s *slow) ends(id string) (all []event.CallEnd) {
	s.t.Helper()
	for until := time.Now().Add(20 * time.Second); len(all) == 0 &&
		time.Now().Before(until); time.Sleep(time.Millisecond) {
		stored, err := s.Events.EventsAfter(context.Background(), 0, 100_000)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range stored {
			var end event.CallEnd
			if e.Kind == event.CallEnded && e.Call == id && json.Unmarshal(e.Data, &end) == nil {
				all = append(all, end)
			}
		}
	}
	return all
}

// files counts what lies where calls write.
func (s *slow) files() string {
	s.t.Helper()
	count := func(pattern string) int {
		found, err := filepath.Glob(pattern)
		if err != nil {
			s.t.Fatal(err)
		}
		return len(found)
	}
	return fmt.Sprintf("workspace %d, results %d, downloads %d, temporary %d", count(filepath.Join(s.dir, "*")),
		count(filepath.Join(s.Config.DataDir, "results", "unfinished-*")),
		count(filepath.Join(s.Config.DataDir, "downloads", "*", "*"))+
			count(filepath.Join(s.Config.DataDir, "downloads", "*", ".partial", "*")),
		count(filepath.Join(os.TempDir(), "*")))
}

// BenchmarkCancel says how long it takes from a cancel until the caller has its answer, and until
// no process of the call is left. 100 ms is what is promised.
func BenchmarkCancel(b *testing.B) {
	s := newSlow(b)
	s.ready()
	for i, e := range s.endlesses() {
		b.Run(strings.ReplaceAll(e.name, " ", "_"), func(b *testing.B) {
			defer func(was testing.TB) { s.t = was }(s.t)
			s.t = b
			var answers, gone []time.Duration
			for n := range b.N {
				a, g, r := s.cancelled(e, fmt.Sprintf("bench%d_%d_%d", i, b.N, n))
				if r.Success {
					b.Fatalf("it was done before it was cancelled: %.200s", r.ModelText())
				}
				answers, gone = append(answers, a), append(gone, g)
			}
			slices.Sort(answers)
			slices.Sort(gone)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(answers[len(answers)/2]), "p50-ms")
			b.ReportMetric(ms(answers[(len(answers)*95+99)/100-1]), "p95-ms")
			b.ReportMetric(ms(answers[len(answers)-1]), "max-ms")
			if e.mark != "" {
				b.ReportMetric(ms(gone[len(gone)/2]), "gone-p50-ms")
				b.ReportMetric(ms(gone[len(gone)-1]), "gone-max-ms")
			}
		})
	}
}
