package readresult

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"sextant/backend/store/eventlog"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is the room on a real store of results.
type fixture struct {
	*Tools
	t      testing.TB
	store  *sqlite.Store
	longs  *results.Store
	folder string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	h := &fixture{t: t, folder: t.TempDir()}
	h.open()
	t.Cleanup(func() { _ = h.store.Close() })
	return h
}

func (f *fixture) open() {
	f.t.Helper()
	var err error
	if f.store, err = sqlite.Open(context.Background(), filepath.Join(f.folder, "sextant.db"),
		slog.New(slog.DiscardHandler)); err != nil {
		f.t.Fatal(err)
	}
	if f.longs, err = results.New(context.Background(), filepath.Join(f.folder, "results"), f.store,
		func(text string) string {
			return strings.ReplaceAll(text, "hush", "(hidden)")
		}); err != nil {
		f.t.Fatal(err)
	}
	f.Tools = New(f.longs, f.store)
}

var mine = toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "mine"}

func (f *fixture) keep(text string, about wire.StoredResult) string {
	f.t.Helper()
	about.Owner, about.Conversation, about.Tool = mine.Owner(), mine.Conversation, "bash"
	kept, err := f.longs.Save(context.Background(), about, text, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return kept.ID
}

func (f *fixture) read(from toolspec.Provenance, p readResultParams) (part, toolspec.Result) {
	f.t.Helper()
	if p.Offset == 0 {
		p.Offset = 1
	}
	if p.Unit == "" {
		p.Unit = inLines
	}
	args, err := json.Marshal(p)
	if err != nil {
		f.t.Fatal(err)
	}
	r, err := f.Execute(context.Background(), toolspec.Call{Tool: "read_result", Args: args, From: from},
		toolspec.Definition{}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	v, ok := r.Value.(*part)
	if !ok {
		return part{}, r
	}
	return *v, r
}

// texts are hostile to whoever counts: characters of every width, lines without an end, with two
// kinds of it, longer than a page and longer than a reader's buffer.
func texts() *rapid.Generator[string] {
	line := rapid.Custom(func(t *rapid.T) string {
		unit := rapid.SampledFrom([]string{"a", "word ", "é", "漢字", "🙂", "\t", "x=1;", "\u2028"}).Draw(t, "unit")
		times := rapid.SampledFrom([]int{0, 1, 3, 40, 399, 401, 4_000, 15_999, 16_000, 16_001, 70_000}).Draw(t, "times")
		return strings.Repeat(unit, times) + rapid.SampledFrom([]string{"", "needle", " Needle 7"}).Draw(t, "tail")
	})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for _, l := range rapid.SliceOfN(line, 0, 5).Draw(t, "lines") {
			b.WriteString(l + rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n\n"}).Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "open") {
			b.WriteString(line.Draw(t, "last"))
		}
		return b.String()
	})
}

func TestPagesJoinToWholeText(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := texts().Draw(rt, "text")
		p := readResultParams{
			Handle: h.keep(text, wire.StoredResult{}), Offset: 1,
			Unit: rapid.SampledFrom([]string{inLines, inCharacters}).Draw(rt, "unit"),
		}
		var joined strings.Builder
		for pages := 0; ; pages++ {
			if pages > 10_000 {
				rt.Fatal("the pages do not end")
			}
			p.Limit = rapid.SampledFrom([]int{0, 0, 1, 2, 7, 5000}).Draw(rt, "limit")
			if p.Unit == inCharacters && p.Limit > 0 {
				p.Limit = max(p.Limit, len(text)/50+1)
			}
			page, r := h.read(mine, p)
			if !r.Success {
				rt.Fatalf("%+v: %s", p, r.ModelText())
			}
			if n := len([]rune(page.Text)); n > maxPage {
				rt.Fatalf("a page of %d characters", n)
			}
			joined.WriteString(page.Text)
			if page.Next == 0 {
				break
			}
			if page.Text == "" {
				rt.Fatalf("%+v: an empty page that is not the last", p)
			}
			p.Offset, p.Unit = page.Next, page.NextUnit
		}
		if joined.String() != text {
			rt.Fatalf("joined pages differ: %d bytes, want %d", joined.Len(), len(text))
		}
	})
}

func TestSearchMatchesGrep(t *testing.T) {
	t.Parallel()
	grep, err := exec.LookPath("grep")
	if err != nil {
		t.Skip("no grep here")
	}
	h := newFixture(t)
	number := regexp.MustCompile(`(?m)^(\d+):`)
	file := filepath.Join(t.TempDir(), "text")
	rapid.Check(t, func(rt *rapid.T) {
		text := texts().Draw(rt, "text")
		pattern := rapid.SampledFrom([]string{"needle", "[Nn]eedle", "^word", "é+n", "7", "=1;x", "漢字", "^$"}).Draw(rt,
			"pattern")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o600); err != nil {
			rt.Fatal(err)
		}
		cmd := exec.Command(grep, "-nE", "--text", pattern, file)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		out, err := cmd.Output()
		if _, failed := err.(*exec.ExitError); err != nil && !failed { //nolint:errorlint // exec returns it as it is
			rt.Fatal(err)
		}
		var want, got []string
		for _, m := range number.FindAllStringSubmatch(string(out), -1) {
			want = append(want, m[1])
		}
		p := readResultParams{
			Handle: h.keep(text, wire.StoredResult{}), Pattern: pattern,
			Limit: rapid.IntRange(0, 3).Draw(rt, "limit"),
		}
		for {
			page, r := h.read(mine, p)
			if !r.Success {
				rt.Fatal(r.ModelText())
			}
			for _, m := range number.FindAllStringSubmatch(page.Text, -1) {
				got = append(got, m[1])
			}
			if page.Next == 0 {
				break
			}
			p.Offset = page.Next
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			rt.Fatalf("%s: found lines %v, grep %v", pattern, got, want)
		}
	})
}

func TestSearchContextAndPosition(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.keep("one\ntwo\nneedle\nfour\nneedle\nsix\nseven\neight\nnine\nneedle\n", wire.StoredResult{})
	page, _ := h.read(mine, readResultParams{Handle: id, Pattern: "needle", Context: 1})
	if want := "2-two\n3:needle\n4-four\n5:needle\n6-six\n--\n9-nine\n10:needle\n"; page.Text != want {
		t.Errorf("got\n%s", page.Text)
	}
	id = h.keep("é\n"+strings.Repeat("漢", 30_000)+"needle"+strings.Repeat("x", 30_000), wire.StoredResult{})
	page, _ = h.read(mine, readResultParams{Handle: id, Pattern: "needle"})
	m := regexp.MustCompile(`^2:\(from character (\d+)\) …(漢+)needle`).FindStringSubmatch(page.Text)
	if m == nil {
		t.Fatalf("%q", page.Text)
	}
	at, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	there, _ := h.read(mine, readResultParams{Handle: id, Unit: inCharacters, Offset: at, Limit: len([]rune(m[2])) + 6})
	if there.Text != m[2]+"needle" {
		t.Errorf("the text is %q", there.Text)
	}
}

func TestResultIsReadableByOwnerAndUserOnly(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.keep("private\n", wire.StoredResult{})
	for _, other := range []toolspec.Provenance{
		{Caller: toolspec.CallerModel, Conversation: "other"},
		{Caller: toolspec.CallerMCP, Client: "editor", Session: "s1"},
		{Caller: toolspec.CallerHTTP, Client: `conversation mine`},
	} {
		_, r := h.read(other, readResultParams{Handle: id})
		if r.Success || strings.Contains(r.ModelText(), "private") {
			t.Errorf("%+v reads it: %s", other, r.ModelText())
		}
		if _, none := h.read(other, readResultParams{Handle: "r_aaaaaaaaaaaa"}); strings.ReplaceAll(r.ModelText(), id,
			"r_aaaaaaaaaaaa") != none.ModelText() {
			t.Errorf("the result of another owner is distinguishable from none: %q, %q", r.ModelText(),
				none.ModelText())
		}
	}
	if page, _ := h.read(toolspec.Provenance{Caller: toolspec.CallerPerson},
		readResultParams{Handle: id}); page.Text != "private\n" {
		t.Errorf("a person gets %q", page.Text)
	}
	for _, bad := range []string{"", "r_", "../sextant.db", "r_aaaaaaaaaaa/", strings.Repeat("r", 3000)} {
		if _, r := h.read(mine, readResultParams{Handle: bad}); r.Success || r.Suggestion == "" {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

func TestPageHasSourcesOfWholeResult(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.keep("one\ntwo\n", wire.StoredResult{
		Sources:        []string{"mcp:mail"},
		PrivateSources: []string{"file /home/ada/plan.txt"},
	})
	for _, p := range []readResultParams{
		{Handle: id},
		{Handle: id, Pattern: "two"},
		{Handle: id, Pattern: "none"},
		{Handle: id, Unit: inCharacters},
	} {
		_, r := h.read(mine, p)
		if strings.Join(r.Sources, " ") != "mcp:mail" ||
			strings.Join(r.PrivateSources, " ") != "file /home/ada/plan.txt" {
			t.Errorf("%+v: sources %v, read %v", p, r.Sources, r.PrivateSources)
		}
	}
}

func TestResultSurvivesARestartAndIsDeletedWithItsConversation(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.keep("kept\n", wire.StoredResult{})
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	h.open()
	if page, r := h.read(mine, readResultParams{Handle: id}); page.Text != "kept\n" {
		t.Fatalf("after a restart: %s", r.ModelText())
	}
	deleteConversation(t, h.store)
	if _, r := h.read(mine, readResultParams{Handle: id}); r.Success {
		t.Error("it is still read after its conversation was deleted")
	}
	if err := h.longs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(h.folder, "results"))
	if err != nil || len(left) > 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
}

func TestDraftIsValidAndBounded(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	d, err := h.longs.NewDraft()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []byte("é漢\xff🙂\n\xc3") {
		if _, err := d.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := h.longs.Save(t.Context(), wire.StoredResult{Owner: mine.Owner()}, "", d)
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := h.read(mine, readResultParams{Handle: kept.ID}); page.Text != "é漢\uFFFD🙂\n\uFFFD" || kept.Lines != 2 {
		t.Errorf("%d lines: %q", kept.Lines, page.Text)
	}
	if d, err = h.longs.NewDraft(); err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"it is hu", "sh\nend"} {
		if _, err := d.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err = h.longs.Save(t.Context(), wire.StoredResult{Owner: mine.Owner()}, "", d); err != nil {
		t.Fatal(err)
	}
	if page, _ := h.read(mine, readResultParams{Handle: kept.ID}); page.Text != "it is (hidden)\nend" ||
		kept.Lines != 2 {
		t.Errorf("a secret is kept: %q", page.Text)
	}
	if d, err = h.longs.NewDraft(); err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte("漢字\n"), 1<<17)
	for range results.MaxBytes/len(chunk) + 2 {
		if _, err := d.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err = h.longs.Save(t.Context(), wire.StoredResult{Owner: mine.Owner()}, "", d); err != nil {
		t.Fatal(err)
	}
	if !kept.Cut || kept.Bytes > results.MaxBytes || kept.Bytes < results.MaxBytes-3 {
		t.Errorf("%+v", kept)
	}
	if page, r := h.read(mine, readResultParams{Handle: kept.ID, Offset: kept.Lines, Limit: 1}); !page.Cut ||
		!strings.Contains(r.Text, "the rest was not stored") {
		t.Errorf("%q", r.Text)
	}
}

// deleteConversation deletes the conversation as the window does.
func deleteConversation(t *testing.T, s *sqlite.Store) {
	t.Helper()
	rec, err := eventlog.New(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if _, err := rec.Publish(t.Context(), event.New(event.ConversationDeleted,
		event.Removal{ID: mine.Conversation}).InTurn(mine.Conversation, "")); err != nil {
		t.Fatal(err)
	}
}

// messagesByID is messages by id.
type messagesByID map[string]chat.Message

func (m messagesByID) Message(_ context.Context, id string) (chat.Message, error) {
	found, ok := m[id]
	if !ok {
		return found, sqlite.ErrNotFound
	}
	return found, nil
}

func TestReadResultByMessage(t *testing.T) {
	t.Parallel()
	tools := New(nil, messagesByID{
		"m_page": {
			ID: "m_page", Conversation: "mine", Role: chat.RoleTool, Text: "one\ntwo\nthree",
			Outside: []string{"https://shop.example"},
		},
		"m_file":   {ID: "m_file", Conversation: "mine", Role: chat.RoleTool, Text: "secret plan"},
		"m_spoken": {ID: "m_spoken", Conversation: "mine", Role: chat.RoleAssistant, Text: "hello"},
	})
	read := func(from toolspec.Provenance, args string) toolspec.Result {
		t.Helper()
		r, err := tools.Execute(t.Context(), toolspec.Call{
			Tool: toolspec.ReadResult, Args: json.RawMessage(args),
			From: from,
		}, toolspec.Definition{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := read(mine, `{"handle":"m_page","offset":2}`)
	if r.Text != "m_page: lines 2-3 of 3\ntwo\nthree" || len(r.Sources) != 1 || r.Sources[0] != "https://shop.example" {
		t.Errorf("%+v", r)
	}
	if r := read(mine, `{"handle":"m_file","pattern":"plan"}`); !strings.Contains(r.Text, "secret plan") ||
		len(r.PrivateSources) != 1 {
		t.Errorf("what may be a file's is not known on its way out: %+v", r)
	}
	other := mine
	other.Conversation = "other"
	for _, r := range []toolspec.Result{
		read(other, `{"handle":"m_page"}`), read(mine, `{"handle":"m_spoken"}`),
		read(mine, `{"handle":"m_none"}`),
	} {
		if r.Success || !strings.Contains(r.Error, "no stored result") {
			t.Errorf("%+v", r)
		}
	}
}
