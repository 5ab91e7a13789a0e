package search_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"sextant/backend/store/search"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newStore(t testing.TB) *sqlite.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "sextant.db"))
}

func add(t testing.TB, s *sqlite.Store, events ...event.Event) []event.Event {
	t.Helper()
	stored, err := s.AppendEvents(context.Background(), events)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// message returns the event of a message that was written days after day.
func message(conversation string, days int, m chat.Message) event.Event {
	m.Time = day.AddDate(0, 0, days)
	if m.Status == "" {
		m.Status = chat.StatusDone
	}
	return event.New(event.MessageAdded, m).InTurn(conversation, "t")
}

func conversation(c chat.Conversation) event.Event {
	c.Created, c.Updated = day, day
	return event.New(event.ConversationCreated, c).InTurn(c.ID, "")
}

func find(t testing.TB, s *sqlite.Store, text string) wire.SearchPage {
	t.Helper()
	page, err := s.Search(context.Background(), search.Request{Text: text, Limit: 20})
	if err != nil {
		t.Fatalf("searching %q: %v", text, err)
	}
	return page
}

func ids(page wire.SearchPage) []string {
	out := []string{}
	for _, h := range page.Hits {
		out = append(out, h.Message)
	}
	return out
}

func addLamps(t testing.TB, s *sqlite.Store) {
	t.Helper()
	add(t, s,
		conversation(chat.Conversation{ID: "c", Title: "Lamps"}),
		conversation(chat.Conversation{ID: "d", Title: "Trains"}),
		message("c", 0, chat.Message{
			ID: "ask", Role: chat.RoleUser, Text: "Find brass lamps under 80 €, s'il vous plaît",
		}),
		message("c", 1, chat.Message{
			ID: "call", Role: chat.RoleAssistant, Text: "I look in the shop.",
			Calls: []chat.ToolCall{
				{ID: "k1", Name: "navigate", Args: []byte(`{"url":"https://www.shop.example/lamps?max=80"}`)},
				{ID: "k2", Name: "bash", Args: []byte(`{"command":"ls -la","timeout":1234}`)},
			},
		}),
		message("c", 2, chat.Message{
			ID: "result", Role: chat.RoleTool, CallID: "k1", Text: "Brass lamp\n\tRød lampe, 79 €",
			Outside: []string{"https://www.shop.example"},
		}),
		message("c", 3, chat.Message{
			ID: "note", Role: chat.RoleNote, Text: "plan.txt\nthe attached plan",
			Outside: []string{"file /home/ada/plan.txt"},
		}),
		message("c", 3, chat.Message{ID: "inner", Role: chat.RoleNote, Text: "plan for the model"}),
		message("c", 4, chat.Message{ID: "summary", Role: chat.RoleSummary, Text: "brass lamps, in short"}),
		message("c", 5, chat.Message{
			ID: "half", Role: chat.RoleAssistant, Text: "The cheapest", Status: chat.StatusRunning,
		}),
		message("d", 6, chat.Message{ID: "other", Role: chat.RoleUser, Text: "A lamp on the train"}),
		message("d", 7, chat.Message{ID: "program", Role: chat.RoleUser, Text: "train times", FromProgram: true}))
}

func TestFindsMessages(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addLamps(t, s)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"lamps", []string{"call", "ask"}},
		{"lam", []string{"other", "result", "call", "ask"}},
		{"lam ", []string{}},
		{"LAMPS brass", []string{"ask"}},
		{`"brass lamps"`, []string{"ask"}},
		{`"lamps brass"`, []string{}},
		{`"brass lamp`, []string{"result"}},
		{"plait", []string{"ask"}},
		{"s'il", []string{"ask"}},
		{"attached", []string{"note"}},
		{"navigate", []string{"call"}},
		{"1234", []string{"call"}},
		{"short", []string{}},
		{"model", []string{}},
		{"cheapest", []string{}},
		{"lam who:me", []string{"other", "ask"}},
		{"who:me", []string{"other", "ask"}},
		{"who:tool", []string{"result"}},
		{"tool:navigate", []string{"result", "call"}},
		{"tool:bash", []string{"call"}},
		{"lamp site:shop.example", []string{"result", "call"}},
		{"site:example", []string{}},
		{"site:op.example", []string{}},
		{"lam who:me ", []string{"other", "ask"}},
		{"lam \"the shop\"", []string{}},
		{"lam after:2026-03-03", []string{"other", "result"}},
		{"lam before:2026-03-03", []string{"call", "ask"}},
		{"before:2026-03-02", []string{"ask"}},
		{"after:2026-04", []string{}},
		{"lam after:2026-03-02 before:2026-03-04", []string{"result", "call"}},
		{"https://www.shop.example/lamps", []string{"call"}},
		{"", []string{}},
		{"- + *", []string{}},
		{"l", []string{}},
	} {
		t.Run(c.query, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ids(find(t, s, c.query))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMistakesInQueriesAreExplained(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, text := range []string{"who:you", "tool:", "site:", "before:soon", "after:", strings.Repeat("x", 1001)} {
		t.Run(text, func(t *testing.T) {
			_, err := s.Search(context.Background(), search.Request{Text: text})
			var mistake search.QueryError
			if !errors.As(err, &mistake) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestQueriesAreNoSyntax(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addLamps(t, s)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{
				`"`, `""`, "'", "*", "^", ":", "(", ")", "{", "}", "-", "+", ",", ".", "\x00", "\xff", " ", "AND", "OR", "NOT",
				"NEAR(", "text", "tags", "text:", "rowid:", "lamp", "who:me", "\u0301", "\ue000", "é", "東京",
			}), rapid.StringN(0, 8, -1)), 0, 12).Draw(t, "pieces")
		_, err := s.Search(context.Background(), search.Request{Text: strings.Join(pieces, ""), Limit: 5})
		var mistake search.QueryError
		if err != nil && !errors.As(err, &mistake) {
			t.Fatal(err)
		}
	})
}

func TestSnippetsShowMatches(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addLamps(t, s)
	long := strings.Repeat("filler words ", 40) + "the needle\n\n in\tthe haystack" + strings.Repeat(" and more", 40)
	add(t, s, message("d", 8, chat.Message{ID: "long", Role: chat.RoleAssistant, Text: long}))
	match := func(text string) wire.SnippetPart { return wire.SnippetPart{Text: text, IsMatch: true} }
	plain := func(text string) wire.SnippetPart { return wire.SnippetPart{Text: text} }
	for _, c := range []struct {
		query, call string
		want        []wire.SnippetPart
	}{
		{"lampe", "k1", []wire.SnippetPart{plain("Brass lamp Rød "), match("lampe"), plain(", 79 €")}},
		{"plait", "", []wire.SnippetPart{plain("…"), plain("brass lamps under 80 €, s'il vous "), match("plaît")}},
		{"ls tool:bash", "k2", []wire.SnippetPart{plain("bash command "), match("ls"), plain(" -la timeout 1234")}},
		{"who:tool", "k1", []wire.SnippetPart{plain("Brass lamp Rød lampe, 79 €")}},
	} {
		t.Run(c.query, func(t *testing.T) {
			hits := find(t, s, c.query).Hits
			if len(hits) != 1 || hits[0].Call != c.call {
				t.Fatalf("%+v", hits)
			}
			if diff := cmp.Diff(c.want, hits[0].Snippet); diff != "" {
				t.Error(diff)
			}
		})
	}
	got := find(t, s, "needle hay").Hits[0].Snippet
	if len(got) < 5 || got[0].Text != "…" || got[2] != match("needle") || got[3] != plain(" in the ") ||
		got[4] != match("haystack") || got[len(got)-1].Text != "…" {
		t.Fatalf("%+v", got)
	}
}

func TestHitsSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addLamps(t, s)
	stored := add(t, s,
		event.New(event.BranchStarted, event.Branch{ID: "b", After: "ask"}).InTurn("c", ""),
		message("c", 8, chat.Message{ID: "again", Role: chat.RoleAssistant, Text: "Brass once more."}),
		event.New(event.CallStarted, event.CallStart{}).InTurn("c", "t").OfCall("k9"),
		conversation(chat.Conversation{ID: "sub", Title: "Task", Parent: "c", ParentCall: "k9"}),
		message("sub", 9, chat.Message{ID: "task", Role: chat.RoleUser, Text: "Polish brass."}))
	shown := map[string]bool{}
	for _, h := range find(t, s, "brass").Hits {
		shown[h.Message] = h.Shown
		if h.Message == "again" && (h.Branch != "b" || h.Seq != stored[1].Seq || h.Title != "Lamps") {
			t.Errorf("%+v", h)
		}
		if h.Message == "task" {
			want := &wire.CallPlace{Conversation: "c", Call: "k9", Seq: stored[2].Seq}
			if diff := cmp.Diff(want, h.Parent); diff != "" {
				t.Error(diff)
			}
		}
	}
	if diff := cmp.Diff(map[string]bool{"ask": true, "result": false, "again": true, "task": true}, shown); diff != "" {
		t.Error(diff)
	}
}

func TestPagesContinue(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	add(t, s, conversation(chat.Conversation{ID: "c"}))
	var want, got []string
	for i := range 25 { // many at the same time, as after an import
		id := string(rune('a' + i))
		add(t, s, message("c", i/20, chat.Message{ID: id, Role: chat.RoleUser, Text: "same"}))
		want = append([]string{id}, want...)
	}
	req := search.Request{Text: "same", Limit: 7, Conversation: "c"}
	for {
		page, err := s.Search(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ids(page)...)
		if req.Before = page.Next; req.Before == 0 {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	elsewhere, err := s.Search(context.Background(), search.Request{Text: "same", Limit: 7, Conversation: "d"})
	if err != nil || len(elsewhere.Hits) != 0 {
		t.Errorf("%v, %v", elsewhere, err)
	}
}

func TestAnswersAreIndexedWhenTheyEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sextant.db")
	s := openStore(t, path)
	piece := func(message, text string) event.Event {
		return event.New(event.TextDelta, event.Delta{Message: message, Text: text}).InTurn("c", "t")
	}
	turn := func(kind event.Kind, id string, status chat.Status) event.Event {
		return event.New(kind, event.Turn{ID: id, Status: status}).InTurn("c", id)
	}
	add(t, s, conversation(chat.Conversation{ID: "c"}), turn(event.TurnStarted, "t", ""), piece("m1", "half a "),
		piece("m1", "lamp"))
	if got := ids(find(t, s, "lamp")); len(got) != 0 {
		t.Fatalf("found before its end: %v", got)
	}
	add(t, s, turn(event.TurnEnded, "t", chat.StatusStopped))
	if got := ids(find(t, s, "lamp")); len(got) != 1 {
		t.Fatalf("a stopped answer is not found: %v", got)
	}
	add(t, s, message("c", 0, chat.Message{ID: "m1", Role: chat.RoleAssistant, Text: "a whole chair"}))
	if lamp, chair := ids(find(t, s, "lamp")), ids(find(t, s, "chair")); len(lamp) != 0 || len(chair) != 1 {
		t.Fatalf("a changed message: %v, %v", lamp, chair)
	}
	add(t, s, turn(event.TurnStarted, "u", ""), piece("m2", "half a table"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if got := ids(find(t, s, "table")); len(got) != 1 {
		t.Fatalf("an interrupted answer is not found: %v", got)
	}
}

func TestDeletedConversationsAreNotFound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sextant.db")
	s := openStore(t, path)
	addLamps(t, s)
	add(t, s, event.New(event.ConversationDeleted, event.Removal{ID: "c"}).InTurn("c", ""))
	if got := ids(find(t, s, "lam")); len(got) != 1 || got[0] != "other" {
		t.Fatalf("%v", got)
	}
	db := rawDatabase(t, path)
	var rows, terms int
	if err := db.QueryRow(`SELECT COUNT(*) FROM search_rows`).Scan(&rows); err != nil || rows != 2 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, search_index, row)`); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(`SELECT COUNT(*) FROM temp.words WHERE term = 'brass'`).Scan(&terms); err != nil || terms != 0 {
		t.Fatalf("the index has %d words of a deleted conversation, %v", terms, err)
	}
}

func TestOlderFoldersAreIndexedInTheBackground(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "sextant.db")
	s := openStore(t, path)
	addLamps(t, s)
	for i := range 600 {
		add(t, s, message("d", 10, chat.Message{
			ID: "m" + time.Duration(i).String(), Role: chat.RoleUser, Text: "many",
		}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := rawDatabase(t, path)
	if _, err := db.Exec(`DELETE FROM search_rows; DELETE FROM search_backlog;
		INSERT INTO search_backlog SELECT MAX(rowid) FROM messages`); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if page := find(t, s, "lam"); !page.Indexing || len(page.Hits) != 0 {
		t.Fatalf("%+v", page)
	}
	add(t, s, message("d", 20, chat.Message{ID: "new", Role: chat.RoleUser, Text: "a new lamp"}))
	for left := true; left; {
		var err error
		if left, err = s.IndexBacklog(ctx); err != nil {
			t.Fatal(err)
		}
	}
	page := find(t, s, "lam")
	if diff := cmp.Diff([]string{"new", "other", "result", "call", "ask"}, ids(page)); diff != "" || page.Indexing {
		t.Fatalf("indexing %v, %s", page.Indexing, diff)
	}
	all := 0
	for req := (search.Request{Text: "many ", Limit: 200}); ; {
		page, err := s.Search(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		all += len(page.Hits)
		if req.Before = page.Next; req.Before == 0 {
			break
		}
	}
	if all != 600 {
		t.Fatalf("%d of 600", all)
	}
}

func rawDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_foreign_keys=on")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
