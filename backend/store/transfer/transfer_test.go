package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/build/datagen/generate"

	"sextant/backend/store/sqlite"
	"sextant/backend/store/transfer"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "sextant.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func export(t *testing.T, s *sqlite.Store) []byte {
	t.Helper()
	ctx := context.Background()
	all, err := s.Conversations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var list []transfer.Conversation
	for _, c := range all {
		events, err := s.EventsOfConversation(ctx, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		one, err := transfer.FromEvents(c.ID, events)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	var b bytes.Buffer
	if err := transfer.Write(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("note_%d", n) }
}

func TestExportImportExportIsTheSame(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	options := generate.Options{Messages: 600, Conversations: 12, Deltas: 2, Seed: 5}
	if _, err := generate.Write(ctx, s, options); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	odd := chat.Message{
		ID: "odd", Role: chat.RoleUser, Text: "<b>&amp; \u2028 \"quoted\" 東京 \x00", Status: chat.StatusDone,
	}
	if _, err := s.AppendEvents(ctx, []event.Event{
		event.New(event.ConversationCreated, chat.Conversation{ID: "x", Created: now, Updated: now}).InTurn("x", ""),
		event.New(event.BranchStarted, event.Branch{ID: "first"}).InTurn("x", ""),
		event.New(event.MessageAdded, odd).InTurn("x", ""),
	}); err != nil {
		t.Fatal(err)
	}
	first := export(t, s)
	for range 2 {
		in, err := transfer.Read(bytes.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		other := newStore(t)
		if _, err := other.AppendEvents(ctx, in.Events(ids())); err != nil {
			t.Fatal(err)
		}
		again := export(t, other)
		if !bytes.Equal(first, again) {
			t.Fatalf("%d bytes became %d", len(first), len(again))
		}
		for _, id := range in.IDs(transfer.Conversations) {
			messages, err := other.Messages(ctx, id)
			if err != nil || len(messages) == 0 {
				t.Fatalf("%v", err)
			}
			if got := messages[0].Outside; len(got) != 1 || got[0] != transfer.ImportSource {
				t.Fatalf("%s begins with %+v", id, messages[0])
			}
		}
	}
}

func TestWrongFilesAreRefused(t *testing.T) {
	t.Parallel()
	file := func(events string) string {
		return `{"format":"sextant.conversations","version":1,"conversations":[{"id":"c","events":[` + events + `]}]}`
	}
	const at = `"time":"2026-01-01T00:00:00Z"`
	const created = `{"kind":"conversation.created",` + at + `,"data":{"id":"c","title":"","status":"done",` +
		`"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}}`
	if _, err := transfer.Read(strings.NewReader(file(created))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"not JSON":      "hello",
		"other format":  `{"format":"x","version":1}`,
		"newer version": `{"format":"sextant.conversations","version":2}`,
		"empty":         `{"format":"sextant.conversations","version":1,"conversations":[]}`,
		"no creation":   file(`{"kind":"message.added",` + at + `,"data":{"id":"m"}}`),
		"other kind":    file(created + `,{"kind":"setting.changed",` + at + `,"data":{}}`),
		"approval":      file(created + `,{"kind":"approval.asked",` + at + `,"call":"k","data":{"id":"q"}}`),
		"no id":         file(created + `,{"kind":"message.added",` + at + `,"data":{"text":"x"}}`),
		"other conversation": file(created + `,{"kind":"message.added",` + at +
			`,"data":{"id":"m","conversation":"d"}}`),
		"wrong type":   file(created + `,{"kind":"message.added",` + at + `,"data":{"id":"m","text":{}}}`),
		"running turn": file(created + `,{"kind":"turn.started",` + at + `,"turn":"t","data":{"id":"t"}}`),
		"running call": file(created + `,{"kind":"call.started",` + at + `,"call":"k","data":{}}`),
		"huge count": file(created + `,{"kind":"turn.ended",` + at +
			`,"turn":"t","data":{"id":"t","usage":{"input":9223372036854775807}}}`),
		"far future":     file(created + `,{"kind":"message.added","time":"9999-01-01T00:00:00Z","data":{"id":"m"}}`),
		"long id":        file(created + `,{"kind":"message.added",` + at + `,"data":{"id":"` + strings.Repeat("x", 200) + `"}}`),
		"foreign parent": file(strings.Replace(created, `"title":""`, `"title":"","parent":"d"`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transfer.Read(strings.NewReader(text))
			var wrong transfer.FormatError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestRunningConversationsAreNotExported(t *testing.T) {
	t.Parallel()
	start := event.New(event.TurnStarted, event.Turn{ID: "t"}).InTurn("c", "t")
	if _, err := transfer.FromEvents("c", []event.Event{start}); !errors.Is(err, transfer.ErrRunning) {
		t.Fatalf("got %v", err)
	}
}

// plantedSecrets returns secrets in the ways in which they are written in conversations.
func plantedSecrets(n int) (secrets, texts []string) {
	random := rand.New(rand.NewPCG(9, 9)) //nolint:gosec // repeatable on purpose
	letters := func(n int, alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(b)
	}
	const alnum = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	for i := range n {
		word := letters(24, alnum)
		forms := [][2]string{
			{"sk-" + word, "My key is %s, keep it."},
			{"ghp_" + letters(36, alnum), "git clone with %s"},
			{"AKIA" + letters(16, "ABCDEFGHJKLMNPQRSTUVWXYZ234567"), "aws: %s\n"},
			{"xoxb-" + letters(30, alnum), "Slack bot %s"},
			{"eyJhbGciOi" + letters(10, alnum) + "." + letters(30, alnum) + "." + letters(30, alnum), "Bearer %s"},
			{word + "9x", "Authorization: Bearer %s"},
			{word, "https://ada:%s@host.example/path"},
			{word, "https://host.example/?access_token=%s&x=1"},
			{word, "password: %s"},
			{word, "DB_PASSWORD=%s"},
			{word, `{"api_key":"%s"}`},
			{word, `curl -H "X-Api-Key: %s" https://host.example`},
			{"-----BEGIN PRIVATE KEY-----\n" + letters(64, alnum) + "\n-----END PRIVATE KEY-----", "%s"},
		}
		form := forms[i%len(forms)]
		secrets = append(secrets, form[0])
		texts = append(texts, fmt.Sprintf(form[1], form[0]))
	}
	return secrets, texts
}

func TestSharedFilesContainNoSecrets(t *testing.T) {
	t.Parallel()
	secrets, texts := plantedSecrets(200)
	const stored = "correct horse battery"
	secrets, texts = append(secrets, stored), append(texts, "it is "+stored)
	c := transfer.Conversation{ID: "c"}
	for i, text := range texts {
		id := fmt.Sprintf("%d", i)
		args, _ := json.Marshal(map[string]string{"command": text, "password": secrets[i]})
		for _, e := range []event.Event{
			event.New(event.MessageAdded, chat.Message{ID: id, Role: chat.RoleUser, Text: text, Calls: []chat.ToolCall{
				{ID: "k" + id, Name: "bash", Args: args},
			}}),
			event.New(event.CallEnded, event.CallEnd{CallOutcome: event.CallOutcome{
				Output: "out\n" + text, Preview: []string{text},
			}}),
		} {
			c.Events = append(c.Events, transfer.Event{Kind: e.Kind, Time: e.Time, Data: e.Data})
		}
	}
	mask := func(s string) string { return strings.ReplaceAll(s, stored, "…") }
	hidden, n, err := transfer.Veil([]transfer.Conversation{c}, mask)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := transfer.Write(&b, hidden); err != nil {
		t.Fatal(err)
	}
	leaked := 0
	for i, s := range secrets {
		if plain, _ := json.Marshal(s); bytes.Contains(b.Bytes(), plain[1:len(plain)-1]) {
			leaked++
			t.Errorf("%q is in the file", texts[i])
		}
	}
	if leaked > 0 || n < 200 {
		t.Fatalf("%d of %d secrets are in the file; %d values were hidden", leaked, len(secrets), n)
	}
	if !bytes.Contains(b.Bytes(), []byte("keep it.")) || !bytes.Contains(b.Bytes(), []byte(`"name":"bash"`)) {
		t.Fatal("more than secrets was hidden")
	}
}
