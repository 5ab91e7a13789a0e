package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// smallDiskVar names the folder of a small disk. With it, the test binary runs the test there, in its own namespace.
const smallDiskVar = "SEXTANT_TEST_SMALL_DISK"

// smallDiskSize is the size of that disk in bytes.
const smallDiskSize = 24 << 20

func TestFullDiskLosesNothingAndIsReported(t *testing.T) {
	if dir := os.Getenv(smallDiskVar); dir != "" {
		testFullDisk(t, dir)
		return
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-Urm", "true").CombinedOutput(); err != nil {
		t.Skipf("this system does not allow mounting a small disk (%v %s); only the store's own test covers a "+
			"full disk here", err, out)
	}
	program, _ := buildProgram(t)
	dir := t.TempDir()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=700 tmpfs "$1" && shift && exec "$@"`, smallDiskSize)
	cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", script, "sh", dir, os.Args[0],
		"-test.run=^TestFullDisk", "-test.v")
	cmd.Env = append(os.Environ(), smallDiskVar+"="+dir, "SEXTANT_TEST_PROGRAM="+program)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "full_disk_test.go") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// diskTrial is the program on a small disk, with a connected window.
type diskTrial struct {
	*instance
	t      *testing.T
	dir    string
	filler string
	events chan event.Event
}

// testFullDisk fills the disk while an answer streams, then frees it.
func testFullDisk(t *testing.T, dir string) {
	w := newWorker(t, os.Getenv("SEXTANT_TEST_PROGRAM"), "", 1, 0)
	w.env = append(w.env, "SEXTANT_DATA="+filepath.Join(dir, "data"), "TMPDIR="+dir)
	d := &diskTrial{t: t, dir: dir, filler: filepath.Join(dir, "filler"), events: make(chan event.Event, 100_000)}
	effect := w.effects.URL + "/effect/"
	answers := []openaitest.Answer{
		{Text: strings.Repeat("before ", 20), ChunkDelay: time.Millisecond},
		{Text: strings.Repeat("while ", 2000), ChunkDelay: time.Millisecond, ChunkSize: 12},
		{Calls: []openaitest.Call{{ID: "a", Name: "call_tool", Args: `{"tool":"http_request","args":{"url":"` + effect +
			`after","method":"POST"}}`}}},
		{Text: "And on it goes."},
	}
	w.llm.Add(answers...)
	w.llm.Answer = nil
	d.instance = d.start(w)
	defer func() { d.kill(); _ = d.waitForExit() }()

	var c struct{ ID string }
	d.mustRequest(http.StatusCreated, http.MethodPost, "/api/conversations", map[string]string{}, &c)
	path := "/api/conversations/" + c.ID + "/messages"
	message := func(text string) map[string]string { return map[string]string{"text": text, "model": "openai/m"} }
	d.mustRequest(http.StatusAccepted, http.MethodPost, path, message("first"), nil)
	d.waitFor("the end of the first turn", func(e event.Event) bool { return e.Kind == event.TurnEnded })

	d.mustRequest(http.StatusAccepted, http.MethodPost, path, message("second"), nil)
	d.waitFor("words", func(e event.Event) bool { return e.Kind == event.TextDelta })
	d.fillDisk()
	d.checkReported(c.ID, path, message)
	d.checkRefused(effect)
	d.freeDisk()
	hasSpace, stored := false, false // in either order: one is only sent, the other is stored
	d.waitFor("free space and the stored end", func(e event.Event) bool {
		hasSpace = hasSpace || diskState(e).Level == event.DiskLow
		stored = stored || e.Kind == event.TurnEnded && e.Seq > 0
		return hasSpace && stored
	})
	d.mustRequest(http.StatusAccepted, http.MethodPost, path, message("third"), nil)
	d.waitFor("the end of the third turn", func(e event.Event) bool { return e.Kind == event.TurnEnded && e.Seq > 0 })
	if n := w.effects.count("after"); n != 1 {
		t.Errorf("with free space again an effect happened %d times", n)
	}
	d.kill()
	if err := d.waitForExit(); err != nil {
		t.Fatal(err)
	}
	d.checkRestart(w)
}

// start starts the program and records every event that it sends.
func (d *diskTrial) start(w *worker) *instance {
	d.t.Helper()
	inst, err := w.start(plan{})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := inst.connect(); err != nil {
		d.t.Fatal(err)
	}
	go func() {
		for e, ok := inst.readEvent(); ok; e, ok = inst.readEvent() {
			if e.Seq > 0 {
				w.acks.addEvent(e)
			}
			d.events <- e
		}
	}()
	return inst
}

func diskState(e event.Event) (d event.Disk) {
	if e.Kind == event.DiskChanged {
		_ = json.Unmarshal(e.Data, &d)
	}
	return d
}

// waitFor waits for an event that matches.
func (d *diskTrial) waitFor(what string, matches func(event.Event) bool) event.Event {
	d.t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case e := <-d.events:
			if matches(e) {
				return e
			}
		case <-timeout:
			d.t.Fatalf("no event: %s\n%s", what, d.stderr.String())
		}
	}
}

func (d *diskTrial) mustRequest(want int, method, path string, body, into any) {
	d.t.Helper()
	if status, err := d.request(method, path, body, into); err != nil || status != want {
		d.t.Fatalf("%s %s: %d, %v", method, path, status, err)
	}
}

// fillDisk writes until the disk is full.
func (d *diskTrial) fillDisk() {
	d.t.Helper()
	f, err := os.Create(d.filler)
	if err != nil {
		d.t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	_ = f.Close()
}

func (d *diskTrial) freeDisk() {
	d.t.Helper()
	if err := os.Remove(d.filler); err != nil {
		d.t.Fatal(err)
	}
}

// checkReported checks what the window and an API client show.
func (d *diskTrial) checkReported(conversation, path string, message func(string) map[string]string) {
	t := d.t
	t.Helper()
	var banner event.Disk
	var ended event.Turn
	for banner.Level == "" || ended.ID == "" {
		e := d.waitFor("the banner and the turn's end", func(e event.Event) bool {
			return diskState(e).Level == event.DiskFull || e.Kind == event.TurnEnded
		})
		if e.Kind == event.TurnEnded {
			if e.Seq != 0 {
				t.Errorf("the end of the turn is stored as %d on a full disk", e.Seq)
			}
			ended = decode[event.Turn](e)
			continue
		}
		banner = diskState(e)
	}
	if ended.Status != chat.StatusFailed || !strings.Contains(ended.Error, "disk is full") {
		t.Errorf("the turn ended as %+v", ended)
	}
	if banner.Folder != filepath.Join(d.dir, "data") || banner.Free > 1<<20 {
		t.Errorf("the banner says %+v", banner)
	}
	var snapshot wire.Snapshot
	d.mustRequest(http.StatusOK, http.MethodGet, "/api/state", nil, &snapshot)
	if snapshot.Disk.Level != event.DiskFull {
		t.Errorf("a window that opens now gets %+v", snapshot.Disk)
	}
	d.mustRequest(http.StatusInsufficientStorage, http.MethodPost, path, message("not stored"), nil)
	d.mustRequest(http.StatusInsufficientStorage, http.MethodPost, "/api/conversations", map[string]string{}, nil)
	d.mustRequest(http.StatusInsufficientStorage, http.MethodPut, "/api/settings/draft."+conversation,
		map[string]string{"value": strings.Repeat("x", 100_000)}, nil)
	var transcript wire.Transcript
	d.mustRequest(http.StatusOK, http.MethodGet, "/api/conversations/"+conversation, nil, &transcript)
	if last := transcript.Events[len(transcript.Events)-1]; last.Kind != event.TurnEnded || last.Turn != ended.ID {
		t.Errorf("a reader of the conversation sees it end with %s", last.Kind)
	}
}

// checkRefused calls tools with side effects; none may run.
func (d *diskTrial) checkRefused(effect string) {
	d.t.Helper()
	for tool, args := range map[string]any{
		"http_request": map[string]string{"url": effect + "while", "method": "POST"},
		"write_file":   map[string]string{"path": "while.txt", "content": "x"},
		"bash":         map[string]string{"command": "touch while2.txt"},
	} {
		var result struct {
			Success bool
			Error   string
		}
		if _, err := d.request(http.MethodPost, "/api/ai/tools/execute", map[string]any{"tool": tool, "args": args},
			&result); err != nil {
			d.t.Fatalf("%s: %v\n%s", tool, err, d.stderr.String())
		}
		if result.Success {
			d.t.Errorf("%s ran although its intent cannot be stored", tool)
		}
	}
	left, _ := filepath.Glob(d.w.path("work/while*"))
	if n := d.w.effects.count("while"); n > 0 || len(left) > 0 {
		d.t.Errorf("on a full disk an effect happened %d times, files %v were made", n, left)
	}
}

// checkRestart starts the program again and compares all sent events with the stored ones.
func (d *diskTrial) checkRestart(w *worker) {
	t := d.t
	t.Helper()
	again, err := w.start(plan{})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.connect(); err != nil {
		t.Fatal(err)
	}
	again.kill()
	if err := again.waitForExit(); err != nil {
		t.Fatal(err)
	}
	for _, f := range w.faults.all() {
		t.Error(f)
	}
	events, _ := w.acks.counts()
	t.Logf("%d acknowledged events, all stored", events)
	if events < 20 {
		t.Error("too few events to prove anything")
	}
}
