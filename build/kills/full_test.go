package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// onSmallDisk makes this test binary, in a namespace of its own, put a small disk under the folder
// that it names and run its tests there.
const onSmallDisk = "SEXTANT_TEST_SMALL_DISK"

// smallDisk is how many bytes that disk has.
const smallDisk = 24 << 20

func TestOnAFullDiskNothingIsLostAndEverybodyIsTold(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a small disk is made of Linux's parts")
	}
	if dir := os.Getenv(onSmallDisk); dir != "" {
		fullDisk(t, dir)
		return
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-Urm", "true").CombinedOutput(); err != nil {
		t.Skipf("this system lets nobody make a small disk (%v %s): here only the store's own test shows what a "+
			"full one does", err, out)
	}
	program, _ := built(t)
	dir := t.TempDir()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=700 tmpfs "$1" && shift && exec "$@"`, smallDisk)
	cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", script, "sh", dir, os.Args[0],
		"-test.run=^TestOnAFullDisk", "-test.v")
	cmd.Env = append(os.Environ(), onSmallDisk+"="+dir, "SEXTANT_TEST_PROGRAM="+program)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Fatalf("%v\n%s", err, out)
	}
	for said := range strings.Lines(string(out)) {
		if strings.Contains(said, "full_test.go") {
			t.Log(strings.TrimSpace(said))
		}
	}
}

// diskTrial is the program on a small disk, with a window beside it.
type diskTrial struct {
	*life
	t    *testing.T
	dir  string
	fat  string
	seen chan event.Event
}

// fullDisk fills the disk while an answer streams, and takes it back.
func fullDisk(t *testing.T, dir string) {
	w := newWorker(t, os.Getenv("SEXTANT_TEST_PROGRAM"), "", 1, 0)
	w.env = append(w.env, "SEXTANT_DATA="+filepath.Join(dir, "data"), "TMPDIR="+dir)
	d := &diskTrial{t: t, dir: dir, fat: filepath.Join(dir, "fat"), seen: make(chan event.Event, 100_000)}
	effect := w.effects.URL + "/effect/"
	answers := []openaitest.Turn{
		{Text: strings.Repeat("before ", 20), Gap: time.Millisecond},
		{Text: strings.Repeat("while ", 2000), Gap: time.Millisecond, Fragment: 12},
		{Calls: []openaitest.Call{{ID: "a", Name: "call_tool", Args: `{"tool":"http_request","args":{"url":"` + effect +
			`after","method":"POST"}}`}}},
		{Text: "And on it goes."},
	}
	w.llm.Add(answers...)
	w.llm.Answer = nil
	d.life = d.begun(w)
	defer func() { d.kill(); _ = d.end() }()

	var c struct{ ID string }
	d.must(http.StatusCreated, http.MethodPost, "/api/conversations", map[string]string{}, &c)
	path := "/api/conversations/" + c.ID + "/messages"
	say := func(text string) map[string]string { return map[string]string{"text": text, "model": "openai/m"} }
	d.must(http.StatusAccepted, http.MethodPost, path, say("first"), nil)
	d.until("the end of the first turn", func(e event.Event) bool { return e.Kind == event.TurnEnded })

	d.must(http.StatusAccepted, http.MethodPost, path, say("second"), nil)
	d.until("words", func(e event.Event) bool { return e.Kind == event.TextDelta })
	d.fill()
	d.reported(c.ID, path, say)
	d.refuses(effect)
	d.empty()
	room, stored := false, false // in either order: one is live, the other in the log
	d.until("room and the stored end", func(e event.Event) bool {
		room = room || disk(e).Level == event.DiskLow
		stored = stored || e.Kind == event.TurnEnded && e.Seq > 0
		return room && stored
	})
	d.must(http.StatusAccepted, http.MethodPost, path, say("third"), nil)
	d.until("the end of the third turn", func(e event.Event) bool { return e.Kind == event.TurnEnded && e.Seq > 0 })
	if n := w.effects.count("after"); n != 1 {
		t.Errorf("with room again an effect happened %d times", n)
	}
	d.kill()
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	d.afterwards(w)
}

// begun starts the program and keeps every event it hands out.
func (d *diskTrial) begun(w *worker) *life {
	d.t.Helper()
	l, err := w.begin(plan{})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := l.connect(); err != nil {
		d.t.Fatal(err)
	}
	go func(socket *websocket.Conn) {
		for {
			var e wire.Envelope
			if socket.ReadJSON(&e) != nil {
				return
			}
			reported := event.Event{
				Seq: e.Seq, Kind: event.Kind(e.Kind), Time: e.Time, Conversation: e.Conversation,
				Turn: e.Turn, Call: e.Call, Data: e.Data,
			}
			if e.Seq > 0 {
				w.ledger.note(reported)
			}
			d.seen <- reported
		}
	}(l.socket)
	return l
}

func disk(e event.Event) (d event.Disk) {
	if e.Kind == event.DiskChanged {
		_ = json.Unmarshal(e.Data, &d)
	}
	return d
}

// until waits for an event that fits.
func (d *diskTrial) until(what string, fits func(event.Event) bool) event.Event {
	d.t.Helper()
	patience := time.After(30 * time.Second)
	for {
		select {
		case e := <-d.seen:
			if fits(e) {
				return e
			}
		case <-patience:
			d.t.Fatalf("%s never came\n%s", what, d.log.String())
		}
	}
}

func (d *diskTrial) must(want int, method, path string, body, into any) {
	d.t.Helper()
	if status, err := d.ask(method, path, body, into); err != nil || status != want {
		d.t.Fatalf("%s %s: %d, %v", method, path, status, err)
	}
}

// fill writes until nothing fits any more.
func (d *diskTrial) fill() {
	d.t.Helper()
	f, err := os.Create(d.fat)
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

func (d *diskTrial) empty() {
	d.t.Helper()
	if err := os.Remove(d.fat); err != nil {
		d.t.Fatal(err)
	}
}

// told looks what a person and a program are told.
func (d *diskTrial) reported(conversation, path string, say func(string) map[string]string) {
	t := d.t
	t.Helper()
	var banner event.Disk
	var ended event.Turn
	for banner.Level == "" || ended.ID == "" {
		e := d.until("the banner and the turn's end", func(e event.Event) bool {
			return disk(e).Level == event.DiskFull || e.Kind == event.TurnEnded
		})
		if e.Kind == event.TurnEnded {
			if e.Seq != 0 {
				t.Errorf("the end is stored as %d on a full disk", e.Seq)
			}
			ended = data[event.Turn](e)
			continue
		}
		banner = disk(e)
	}
	if ended.Status != chat.StatusFailed || !strings.Contains(ended.Error, "disk is full") {
		t.Errorf("the turn ended as %+v", ended)
	}
	if banner.Folder != filepath.Join(d.dir, "data") || banner.Free > 1<<20 {
		t.Errorf("the banner says %+v", banner)
	}
	var snapshot wire.Snapshot
	d.must(http.StatusOK, http.MethodGet, "/api/state", nil, &snapshot)
	if snapshot.Disk.Level != event.DiskFull {
		t.Errorf("a window that opens now is told %+v", snapshot.Disk)
	}
	d.must(http.StatusInsufficientStorage, http.MethodPost, path, say("not kept"), nil)
	d.must(http.StatusInsufficientStorage, http.MethodPost, "/api/conversations", map[string]string{}, nil)
	d.must(http.StatusInsufficientStorage, http.MethodPut, "/api/settings/draft."+conversation,
		map[string]string{"value": strings.Repeat("x", 100_000)}, nil)
	var transcript wire.Transcript
	d.must(http.StatusOK, http.MethodGet, "/api/conversations/"+conversation, nil, &transcript)
	if last := transcript.Events[len(transcript.Events)-1]; last.Kind != event.TurnEnded || last.Turn != ended.ID {
		t.Errorf("who reads the conversation now sees it end with %s", last.Kind)
	}
}

// refuses calls tools with side effects: none may run.
func (d *diskTrial) refuses(effect string) {
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
		if _, err := d.ask(http.MethodPost, "/api/ai/tools/execute", map[string]any{"tool": tool, "args": args},
			&result); err != nil {
			d.t.Fatalf("%s: %v\n%s", tool, err, d.log.String())
		}
		if result.Success {
			d.t.Errorf("%s ran although its row cannot be written", tool)
		}
	}
	left, _ := filepath.Glob(d.w.path("work/while*"))
	if n := d.w.effects.count("while"); n > 0 || len(left) > 0 {
		d.t.Errorf("on a full disk an effect happened %d times, files %v were made", n, left)
	}
}

// afterwards starts the program again and compares all that was handed out with what is stored.
func (d *diskTrial) afterwards(w *worker) {
	t := d.t
	t.Helper()
	again, err := w.begin(plan{})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.connect(); err != nil {
		t.Fatal(err)
	}
	again.kill()
	if err := again.end(); err != nil {
		t.Fatal(err)
	}
	for _, f := range w.faults.all() {
		t.Error(f)
	}
	events, _ := w.ledger.acknowledged()
	t.Logf("%d acknowledged events, all there", events)
	if events < 20 {
		t.Error("too few: nothing was proved")
	}
}
