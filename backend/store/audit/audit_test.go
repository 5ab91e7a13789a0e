package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"sextant/backend/store/sqlite"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openLog(t *testing.T) (*Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sextant.db")
	s, err := sqlite.Open(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return New(s), path
}

func row(id string) event.CallIntent {
	return event.CallIntent{CallRecord: event.CallRecord{
		ID: id, Conversation: "c", Turn: "t", Decision: "once", Reason: "asked",
		CallRequest: event.CallRequest{
			Tool: "bash", Origin: toolspec.OriginBaseline, Caller: toolspec.CallerModel,
			Args: []byte(`{"command":"ls"}`), Sentence: "Running ls",
		},
	}}
}

// outcome is the result of a call that ended with status.
func outcome(status event.CallStatus, out event.CallOutcome) event.CallResult {
	return event.CallResult{Status: status, CallOutcome: out}
}

func TestCallIsListedBeforeAndAfterRunning(t *testing.T) {
	ctx := context.Background()
	l, _ := openLog(t)
	if err := l.WriteIntent(ctx, row("a")); err != nil {
		t.Fatal(err)
	}
	rows, err := l.List(ctx, 10)
	if err != nil || len(rows) != 1 || rows[0].Status != StatusRunning || rows[0].Sentence != "Running ls" ||
		rows[0].Started.IsZero() {
		t.Fatalf("%+v, %v", rows, err)
	}
	if err := l.WriteResult(ctx, "a", event.CallResult{
		Status: event.CallDone, Sentence: "Ran ls", CallOutcome: event.CallOutcome{Output: "x", DurationMS: 5},
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteCall(ctx, row("b"), outcome(event.CallRefused,
		event.CallOutcome{Error: "no", ErrorType: toolspec.SecurityError})); err != nil {
		t.Fatal(err)
	}
	rows, err = l.List(ctx, 10)
	if err != nil || len(rows) != 2 || rows[0].ID != "b" || rows[0].Status != "refused" ||
		rows[0].Sentence != "Running ls" ||
		rows[1].Status != "done" || rows[1].Sentence != "Ran ls" || rows[1].DurationMS != 5 ||
		rows[1].Decision != "once" {
		t.Fatalf("%+v, %v", rows, err)
	}
	if rows, _ := l.List(ctx, 1); len(rows) != 1 || rows[0].ID != "b" {
		t.Fatalf("%+v", rows)
	}
}

func TestDuplicateRowsAreRefused(t *testing.T) {
	ctx := context.Background()
	l, _ := openLog(t)
	if err := l.WriteIntent(ctx, row("a")); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteIntent(ctx, row("a")); err == nil {
		t.Fatal("a second intent of the same call was taken")
	}
	for i, want := range []bool{true, false} {
		if err := l.WriteResult(ctx, "a", outcome(event.CallDone, event.CallOutcome{})); (err == nil) != want {
			t.Fatalf("result %d: %v", i, err)
		}
	}
}

func TestChainIsIntactAfterConcurrentWrites(t *testing.T) {
	ctx := context.Background()
	l, _ := openLog(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			id := fmt.Sprint(i)
			if err := errors.Join(l.WriteIntent(ctx, row(id)),
				l.WriteResult(ctx, id, outcome(event.CallDone, event.CallOutcome{}))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, err := l.Verify(ctx); n != 40 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
}

func TestVerifyFindsAnyChange(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		l, path := openLog(t)
		for i := range 4 {
			if err := l.WriteCall(ctx, row(fmt.Sprint(i)), outcome(event.CallDone, event.CallOutcome{})); err != nil {
				rt.Fatal(err)
			}
		}
		db, err := sql.Open("sqlite3", path)
		if err != nil {
			rt.Fatal(err)
		}
		defer db.Close()
		seq := rapid.IntRange(1, 7).Draw(rt, "seq")
		change := rapid.SampledFrom([]string{
			`UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 'd', 'e') AS BLOB) WHERE seq = ?`,
			`UPDATE audit SET time = time + 1 WHERE seq = ?`,
			`UPDATE audit SET call = 'other' WHERE seq = ?`,
			`UPDATE audit SET hash = upper(hash) || 'x' WHERE seq = ?`,
			`DELETE FROM audit WHERE seq = ?`,
		}).Draw(rt, "change")
		if _, err := db.Exec(change, seq); err != nil {
			rt.Fatal(err)
		}
		if _, err := l.Verify(ctx); !errors.Is(err, ErrBroken) {
			rt.Fatalf("%s at %d was not found: %v", change, seq, err)
		}
	})
}

func TestGetFindsExactID(t *testing.T) {
	log, _ := openLog(t)
	if err := log.WriteCall(t.Context(), row("c1"),
		outcome(event.CallDone, event.CallOutcome{Output: "the one"})); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		other := row(fmt.Sprintf("c1%d", i))
		other.Sentence = "Looked at c1"
		if err := log.WriteIntent(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	one, ok, err := log.Get(t.Context(), "c1")
	if err != nil || !ok || one.ID != "c1" || one.Output != "the one" {
		t.Errorf("%+v %v %v", one, ok, err)
	}
	if one, ok, err := log.Get(t.Context(), "c"); err != nil || ok {
		t.Errorf("a part of an id: %+v %v", one, err)
	}
}

func TestSearchFindsWordsThatJSONEscapes(t *testing.T) {
	log, _ := openLog(t)
	r := row("c1")
	r.Sentence = `Opened a&b <main> "quoted" C:\dir`
	if err := log.WriteCall(t.Context(), r, outcome(event.CallDone, event.CallOutcome{Output: "x>y"})); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`A&B`, `<main>`, `"quoted"`, `C:\dir`, `x>y`, `"id":"c1"`} {
		t.Run(word, func(t *testing.T) {
			if page, err := log.Page(t.Context(), 0, 10, word); err != nil || len(page.Calls) != 1 {
				t.Errorf("%s: %+v %v", word, page, err)
			}
		})
	}
	if page, err := log.Page(t.Context(), 0, 10, `a&c`); err != nil || len(page.Calls) != 0 {
		t.Errorf("%+v %v", page, err)
	}
}

func TestHeadShowsThatNewestEntriesAreGone(t *testing.T) {
	for _, c := range []struct{ name, change, want string }{
		{"nothing is gone", ``, ""},
		{"last entry", `DELETE FROM audit WHERE seq = 6`, "ended with entry 6"},
		{"all entries", `DELETE FROM audit`, "ended with entry 6"},
		{"other entries instead", `UPDATE audit SET hash = 'x' WHERE seq = 6`, "ended with entry 6"},
		{"seal", "seal", "lacks its seal"},
		{"missing head", "head", "audit-head.json is missing"},
		{"missing key", "key", "lacks its seal"},
		{"empty head", "empty", "lacks its seal"},
		{"reset", "reset", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, path := openLog(t)
			k := HeadKeeper{
				Log: l, Folder: t.TempDir(),
				Failed: func(err error) { t.Error(err) },
			}
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { k.Run(ctx) })
			for i := range 3 {
				err := l.WriteCall(ctx, row(fmt.Sprint(i)), outcome(event.CallDone, event.CallOutcome{}))
				if err != nil {
					t.Fatal(err)
				}
			}
			stop()
			running.Wait()
			changeHead(t, k.Folder, path, c.change)
			checkHead(t, k, c.want)
		})
	}
}

// changeHead changes the head in the folder, or with a statement the database at path.
func changeHead(t *testing.T, folder, path, change string) {
	t.Helper()
	file := filepath.Join(folder, headFile)
	var err error
	switch change {
	case "":
	case "seal":
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), "6", "4", 1)), 0o600)
		}
	case "empty":
		err = os.WriteFile(file, []byte("{}"), 0o600)
	case "head":
		err = os.Remove(file)
	case "key":
		err = os.Remove(filepath.Join(folder, keyFile))
	case "reset":
		err = ResetHead(folder)
	default:
		var db *sql.DB
		if db, err = sql.Open("sqlite3", path); err == nil {
			_, err = db.Exec(change)
			err = errors.Join(err, db.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkHead verifies twice, the second time after another run that adds a call.
func checkHead(t *testing.T, k HeadKeeper, want string) {
	t.Helper()
	for range 2 {
		err := k.Verify(t.Context())
		if want == "" && err != nil || want != "" && !errors.Is(err, ErrBroken) ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Fatalf("%v, want %q", err, want)
		}
		k.Failed = func(error) {}
		if err := k.Log.WriteIntent(t.Context(), row("later")); err != nil {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		k.Run(ctx)
	}
}
