package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// recordedCall is an ended call, as in its two audit rows.
type recordedCall struct {
	at       string
	tool     string
	origin   toolspec.Origin
	decision string
	answer   string
	waited   int64
	status   event.CallStatus
	kind     toolspec.ErrorType
	ms       int64
	tokens   int
}

var calls int

func record(t testing.TB, s *Store, all ...recordedCall) {
	t.Helper()
	for _, c := range all {
		calls++
		id := fmt.Sprintf("call_%d", calls)
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if c.decision == "" {
			c.decision = "allowed"
		}
		if c.origin == "" {
			c.origin = toolspec.OriginBaseline
		}
		intent, _ := json.Marshal(map[string]any{
			"id": id, "tool": c.tool, "origin": c.origin, "decision": c.decision,
			"answer": c.answer, "waited_ms": c.waited,
		})
		result, _ := json.Marshal(map[string]any{
			"status": c.status, "error_type": c.kind, "duration_ms": c.ms,
			"tokens": c.tokens,
		})
		err = s.AppendAudit(context.Background(),
			AuditEntry{Call: id, Phase: AuditIntent, Time: at, Body: intent},
			AuditEntry{Call: id, Phase: AuditResult, Time: at.Add(time.Second), Body: result})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func berlin(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	return zone
}

func metricsAt(t testing.TB, s *Store, r wire.MetricsRange, origin toolspec.Origin, now string) wire.Metrics {
	t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Metrics(context.Background(), r, origin, at)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// nonEmptyBuckets returns the buckets with calls, as "start calls/failed/asked".
func nonEmptyBuckets(m wire.Metrics) []string {
	var out []string
	for _, b := range m.Buckets {
		if b.Calls > 0 {
			out = append(out, fmt.Sprintf("%s %d/%d/%d", b.Start.Format("01-02 15:04"), b.Calls, b.Failed, b.Asked))
		}
	}
	return out
}

func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestEmptyMetrics(t *testing.T) {
	s := openNew(t)
	for r, buckets := range map[wire.MetricsRange]int{
		wire.MetricsDay: 24, wire.MetricsWeek: 28, wire.MetricsMonth: 30,
		wire.MetricsAll: 1,
	} {
		t.Run(string(r), func(t *testing.T) {
			m := metricsAt(t, s, r, "", "2026-05-04T10:30:00Z")
			if len(m.Buckets) != buckets || nonEmptyBuckets(m) != nil || m.Tools == nil || len(m.Tools)+len(m.Turns)+
				len(m.Models) != 0 {
				t.Errorf("%s: %+v", r, m)
			}
		})
	}
}

func TestCallMetrics(t *testing.T) {
	s := openNew(t)
	s.setZone(berlin(t))
	at := "2026-05-04T08:10:00Z"
	record(t, s,
		recordedCall{at: at, tool: "click", status: event.CallDone, ms: 10, tokens: 5},
		recordedCall{at: at, tool: "click", status: event.CallDone, ms: 40, tokens: 7},
		recordedCall{at: at, tool: "click", status: event.CallDone, ms: 20},
		recordedCall{at: at, tool: "click", status: event.CallFailed, kind: toolspec.UserError, ms: 3000},
		// An invalid call never ran, so it has no duration.
		recordedCall{at: at, tool: "click", decision: "none", status: event.CallFailed, kind: toolspec.ValidationError},
		recordedCall{at: at, tool: "click", decision: "none", status: event.CallFailed, kind: toolspec.ValidationError},
		recordedCall{
			at: at, tool: "bash", decision: "once", answer: "once", waited: 4000, status: event.CallDone,
			ms: 700,
		},
		recordedCall{
			at: at, tool: "bash", decision: "denied", answer: "deny", waited: 9000, status: event.CallDeclined,
			kind: toolspec.PermissionError,
		},
		recordedCall{
			at: at, tool: "bash", decision: "none", answer: event.NoAnswer, waited: 60_000,
			status: event.CallStopped, kind: toolspec.UserError,
		},
		recordedCall{
			at: at, tool: "bash", decision: "refused", status: event.CallRefused,
			kind: toolspec.SecurityError,
		},
		recordedCall{at: at, tool: "github__list", origin: toolspec.OriginMCP, status: event.CallDone, ms: 612},
	)
	m := metricsAt(t, s, wire.MetricsDay, "", "2026-05-04T10:30:00Z")
	wantEqual(t, "tools", m.Tools, []wire.ToolMetrics{
		{
			Tool: "click", Origin: "baseline", Calls: 6, Failed: 3, Completed: 4, P50MS: 20, P95MS: 3000, Tokens: 12,
			Errors: []wire.ErrorCount{{Type: toolspec.ValidationError, Calls: 2}, {Type: toolspec.UserError, Calls: 1}},
		},
		{
			Tool: "bash", Origin: "baseline", Calls: 4, Refused: 1, Declined: 1, Stopped: 1, Asked: 3, Completed: 1,
			P50MS: 700,
			P95MS: 700, Errors: []wire.ErrorCount{},
		},
		{
			Tool: "github__list", Origin: "mcp", Calls: 1, Completed: 1, P50MS: 612, P95MS: 612,
			Errors: []wire.ErrorCount{},
		},
	})
	wantEqual(t, "questions", m.Questions, wire.QuestionMetrics{
		Asked: 3, Allowed: 1, Denied: 1, Unanswered: 1,
		P50MS: 4000,
	})
	wantEqual(t, "buckets", nonEmptyBuckets(m), []string{"05-04 10:00 11/3/3"})
	wantEqual(t, "zone and step", []string{
		m.Zone, string(m.Step), m.From.Format(time.RFC3339),
		m.To.Format(time.RFC3339),
	},
		[]string{"Europe/Berlin", "hour", "2026-05-03T13:00:00+02:00", "2026-05-04T13:00:00+02:00"})

	for _, r := range []wire.MetricsRange{wire.MetricsWeek, wire.MetricsMonth, wire.MetricsAll} {
		other := metricsAt(t, s, r, "", "2026-05-04T10:30:00Z")
		wantEqual(t, string(r)+" tools", other.Tools, m.Tools)
		wantEqual(t, string(r)+" questions", other.Questions, m.Questions)
	}
	mcp := metricsAt(t, s, wire.MetricsMonth, toolspec.OriginMCP, "2026-05-04T10:30:00Z")
	if len(mcp.Tools) != 1 || mcp.Tools[0].Tool != "github__list" || mcp.Questions.Asked != 0 {
		t.Errorf("of one origin: %+v", mcp.Tools)
	}
	wantEqual(t, "buckets of one origin", nonEmptyBuckets(mcp), []string{"05-04 00:00 1/0/0"})
}

func TestDaysBeginAtLocalMidnight(t *testing.T) {
	s := openNew(t)
	s.setZone(berlin(t))
	record(t, s,
		recordedCall{at: "2026-05-03T21:59:59Z", tool: "a", status: event.CallDone}, // 23:59:59 on the 3rd
		recordedCall{at: "2026-05-03T22:00:00Z", tool: "a", status: event.CallDone}, // 00:00:00 on the 4th
	)
	wantEqual(t, "by dates", nonEmptyBuckets(metricsAt(t, s, wire.MetricsMonth, "", "2026-05-04T10:00:00Z")),
		[]string{"05-03 00:00 1/0/0", "05-04 00:00 1/0/0"})
	wantEqual(t, "by six hours", nonEmptyBuckets(metricsAt(t, s, wire.MetricsWeek, "", "2026-05-04T10:00:00Z")),
		[]string{"05-03 18:00 1/0/0", "05-04 00:00 1/0/0"})
	wantEqual(t, "by hours", nonEmptyBuckets(metricsAt(t, s, wire.MetricsDay, "", "2026-05-04T10:00:00Z")),
		[]string{"05-03 23:00 1/0/0", "05-04 00:00 1/0/0"})
}

func TestRangeIncludesStartAndExcludesEnd(t *testing.T) {
	s := openNew(t)
	s.setZone(berlin(t))
	record(t, s,
		recordedCall{at: "2026-05-03T10:59:59Z", tool: "a", status: event.CallDone, ms: 1},
		recordedCall{at: "2026-05-03T11:00:00Z", tool: "a", status: event.CallDone, ms: 2},
		recordedCall{at: "2026-05-04T10:59:59Z", tool: "a", status: event.CallDone, ms: 3},
		recordedCall{at: "2026-05-04T11:00:00Z", tool: "a", status: event.CallDone, ms: 4},
	)
	m := metricsAt(t, s, wire.MetricsDay, "", "2026-05-04T10:30:00Z")
	if len(m.Tools) != 1 || m.Tools[0].Calls != 2 || m.Tools[0].P50MS != 2 || m.Tools[0].P95MS != 3 {
		t.Errorf("%+v", m.Tools)
	}
	record(t, s,
		// the last second of the day before a week
		recordedCall{at: "2026-04-27T21:59:59Z", tool: "b", status: event.CallDone},
		recordedCall{at: "2026-04-27T22:00:00Z", tool: "b", status: event.CallDone},
		recordedCall{at: "2026-04-04T21:59:59Z", tool: "c", status: event.CallDone}, // and before 30 days
		recordedCall{at: "2026-04-04T22:00:00Z", tool: "c", status: event.CallDone},
	)
	for r, want := range map[wire.MetricsRange]int{wire.MetricsWeek: 5, wire.MetricsMonth: 7, wire.MetricsAll: 8} {
		t.Run(string(r), func(t *testing.T) {
			n := 0
			for _, tool := range metricsAt(t, s, r, "", "2026-05-04T10:30:00Z").Tools {
				n += tool.Calls
			}
			if n != want {
				t.Errorf("%s counts %d calls, want %d", r, n, want)
			}
		})
	}
}

func TestWeekAcrossDaylightSavingChange(t *testing.T) {
	s := openNew(t)
	s.setZone(berlin(t))
	// On 29 March 2026 clocks went from 02:00 to 03:00.
	record(t, s, recordedCall{at: "2026-03-29T03:59:00Z", tool: "a", status: event.CallDone},
		recordedCall{at: "2026-03-29T04:00:00Z", tool: "a", status: event.CallDone})
	wantEqual(t, "buckets", nonEmptyBuckets(metricsAt(t, s, wire.MetricsWeek, "", "2026-03-30T10:00:00Z")),
		[]string{"03-29 00:00 1/0/0", "03-29 06:00 1/0/0"})
}

func TestLongRangesUseWeeksThenMonths(t *testing.T) {
	s := openNew(t)
	s.setZone(berlin(t))
	record(t, s, recordedCall{at: "2026-01-07T12:00:00Z", tool: "a", status: event.CallDone},
		recordedCall{at: "2026-05-04T09:00:00Z", tool: "a", status: event.CallDone})
	m := metricsAt(t, s, wire.MetricsAll, "", "2026-05-04T10:00:00Z")
	wantEqual(t, "weeks", append(nonEmptyBuckets(m), string(m.Step)),
		[]string{"01-05 00:00 1/0/0", "05-04 00:00 1/0/0", "week"})
	record(t, s, recordedCall{at: "2024-02-29T12:00:00Z", tool: "a", status: event.CallDone})
	m = metricsAt(t, s, wire.MetricsAll, "", "2026-05-04T10:00:00Z")
	wantEqual(t, "months", append(nonEmptyBuckets(m), string(m.Step)),
		[]string{"02-01 00:00 1/0/0", "01-01 00:00 1/0/0", "05-01 00:00 1/0/0", "month"})
}

func TestPercentilesAreNearestRanks(t *testing.T) {
	s := openNew(t)
	s.setZone(time.UTC)
	// 19 fast calls on one day and one slow call on another: an average of the days would be far off.
	for i := range 19 {
		record(t, s, recordedCall{at: "2026-05-03T12:00:00Z", tool: "a", status: event.CallDone, ms: int64(i + 1)})
	}
	record(t, s, recordedCall{at: "2026-05-04T12:00:00Z", tool: "a", status: event.CallDone, ms: 10_000})
	m := metricsAt(t, s, wire.MetricsMonth, "", "2026-05-04T13:00:00Z")
	if got := m.Tools[0]; got.P50MS != 10 || got.P95MS != 19 {
		t.Errorf("median %d, 95 %% %d of 1 to 19 and 10,000", got.P50MS, got.P95MS)
	}
	h, failures, err := s.ToolHistory(context.Background(), "a", "baseline", wire.MetricsMonth, 5,
		time.Date(2026, 5, 4, 13, 0, 0, 0, time.UTC))
	if err != nil || len(failures) != 0 {
		t.Fatal(failures, err)
	}
	last := len(h.Buckets) - 1
	wantEqual(t, "its days", h.Buckets[last-1:], []wire.ToolBucket{
		{Start: h.Buckets[last-1].Start, Completed: 19, P50MS: 10, P95MS: 19},
		{Start: h.Buckets[last].Start, Completed: 1, P50MS: 10_000, P95MS: 10_000},
	})
}

func TestToolHistoryListsNewestFailures(t *testing.T) {
	s := openNew(t)
	s.setZone(time.UTC)
	for i := range 4 {
		record(t, s, recordedCall{
			at: fmt.Sprintf("2026-05-04T0%d:00:00Z", i+1), tool: "a", status: event.CallFailed,
			kind: toolspec.UserError, ms: int64(i),
		})
	}
	record(t, s, recordedCall{at: "2026-05-04T06:00:00Z", tool: "b", status: event.CallFailed},
		recordedCall{at: "2026-05-04T06:00:00Z", tool: "a", status: event.CallDone})
	for _, r := range []wire.MetricsRange{wire.MetricsDay, wire.MetricsAll} {
		t.Run(string(r), func(t *testing.T) {
			h, failed, err := s.ToolHistory(context.Background(), "a", "baseline", r, 2,
				time.Date(2026, 5, 4, 13, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			failures, err := s.AuditPairsAt(context.Background(), failed)
			if err != nil || len(failures) != 2 || failures[0].Intent.Time.Hour() != 4 ||
				failures[1].Intent.Time.Hour() != 3 || failures[0].Result == nil {
				t.Fatalf("%s: %+v, %v", r, failures, err)
			}
			n := 0
			for _, b := range h.Buckets {
				n += b.Failed
			}
			if n != 4 {
				t.Errorf("%s: %d failures over time", r, n)
			}
		})
	}
}

func TestUnknownToolsCountAsOne(t *testing.T) {
	s := openNew(t)
	for i := range 3 {
		intent := fmt.Sprintf(`{"tool":"made_up_%d","decision":"none"}`, i)
		id := fmt.Sprint("x", i)
		if err := s.AppendAudit(context.Background(),
			AuditEntry{Call: id, Phase: AuditIntent, Time: time.Now(), Body: []byte(intent)},
			AuditEntry{
				Call: id, Phase: AuditResult, Time: time.Now(),
				Body: []byte(`{"status":"failed","error_type":"validation_error"}`),
			}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := s.Metrics(context.Background(), wire.MetricsDay, "", time.Now())
	if err != nil || len(m.Tools) != 1 || m.Tools[0].Tool != "" || m.Tools[0].Failed != 3 {
		t.Fatalf("%+v, %v", m.Tools, err)
	}
}

func round(turn string, n int, r event.Round) event.Event {
	r.Number = n
	e := event.New(event.RoundEnded, r).InTurn("c", turn)
	e.Time = time.Date(2026, 5, 4, 9, 0, n, 0, time.UTC)
	return e
}

func turnOf(id string, kind event.Kind, model string, status chat.Status, rounds int) event.Event {
	e := event.New(kind, event.Turn{ID: id, Model: model, Status: status, Rounds: rounds}).InTurn("c", id)
	e.Time = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	return e
}

func TestTokensAreSplitByPromptParts(t *testing.T) {
	s := openNew(t)
	s.setZone(time.UTC)
	mustAppend(t, s,
		turnOf("t1", event.TurnStarted, "openai/x", chat.StatusRunning, 0),
		round("t1", 1, event.Round{
			Model: "openai/x", Usage: chat.Usage{Input: 1000, Output: 50, Cached: 400},
			Prompt: event.Prompt{Messages: 400, Definitions: 600}, Calls: 2, AnswerBytes: 200,
		}),
		round("t1", 2, event.Round{
			Model: "openai/x", Usage: chat.Usage{Input: 2000, Output: 30},
			Prompt: event.Prompt{Messages: 500, Definitions: 500, Results: 1000}, AnswerBytes: 100,
		}),
		turnOf("t1", event.TurnEnded, "openai/x", chat.StatusDone, 2),
		// This provider returns no counts.
		turnOf("t2", event.TurnStarted, "ollama/y", chat.StatusRunning, 0),
		round("t2", 1, event.Round{
			Model: "ollama/y", Prompt: event.Prompt{Messages: 400, Definitions: 400}, AnswerBytes: 80,
		}),
		turnOf("t2", event.TurnEnded, "ollama/y", chat.StatusDone, 1),
		// A model that could not be reached has read nothing.
		turnOf("t3", event.TurnStarted, "ollama/y", chat.StatusRunning, 0),
		round("t3", 1, event.Round{Model: "ollama/y", Prompt: event.Prompt{Messages: 400}, Failed: true}),
		turnOf("t3", event.TurnEnded, "ollama/y", chat.StatusFailed, 1),
		turnOf("t4", event.TurnStarted, "pilot", chat.StatusRunning, 0),
		round("t4", 1, event.Round{Model: "pilot", Prompt: event.Prompt{Messages: 400}, Calls: 1}),
		round("t4", 2, event.Round{Model: "pilot", Prompt: event.Prompt{Messages: 400}, AnswerBytes: 10}),
		turnOf("t4", event.TurnEnded, "pilot", chat.StatusDone, 2),
		// A running turn is not counted.
		turnOf("t5", event.TurnStarted, "openai/x", chat.StatusRunning, 0),
		round("t5", 1, event.Round{Model: "openai/x", Usage: chat.Usage{Input: 7, Output: 7}}),
	)
	for _, r := range []wire.MetricsRange{wire.MetricsDay, wire.MetricsAll} {
		m := metricsAt(t, s, r, "", "2026-05-04T10:00:00Z")
		var sum wire.MetricsBucket
		for _, b := range m.Buckets {
			sum.Messages, sum.Definitions, sum.Results, sum.Output = sum.Messages+b.Messages,
				sum.Definitions+b.Definitions,
				sum.Results+b.Results, sum.Output+b.Output
		}
		wantEqual(t, "tokens", sum, wire.MetricsBucket{
			Messages: 400 + 500 + 100, Definitions: 600 + 500 + 100,
			Results: 1000, Output: 50 + 30 + 20,
		})
		wantEqual(t, "turns", m.Turns, []wire.RoundsMetrics{{Rounds: 1, Models: 2}, {Rounds: 2, Models: 1, Pilot: 1}})
		none := []chat.Money{}
		wantEqual(t, "models", m.Models, []wire.ModelMetrics{
			// Requests are counted at once.
			{
				Model: "openai/x", Turns: 1, Rounds: 2, Requests: 3, Input: 3007, Cached: 400, Output: 87,
				Definitions: 1100, Results: 1000, Unpriced: 3094, Cost: none,
			},
			{
				Model: "ollama/y", Turns: 2, Rounds: 2, Requests: 2, Failed: 1, Input: 200, Output: 20,
				Definitions: 100,
				Unpriced:    220, Cost: none,
			},
			{Model: "pilot", Turns: 1, Rounds: 2, Cost: none},
		})
		wantEqual(t, "with calls", m.WithCalls, wire.TurnTokens{Turns: 1, Tokens: 3080})
		wantEqual(t, "without calls", m.WithoutCalls, wire.TurnTokens{Turns: 2, Tokens: 220})
		wantEqual(t, "estimated", m.Estimated, int64(220))
	}
}

func TestInterruptedTurnIsCountedWithItsRounds(t *testing.T) {
	s := openNew(t)
	s.setZone(time.UTC)
	mustAppend(t, s, turnOf("t1", event.TurnStarted, "openai/x", chat.StatusRunning, 0),
		round("t1", 1, event.Round{
			Model: "openai/x", Usage: chat.Usage{Input: 10, Output: 1},
			Prompt: event.Prompt{Messages: 1}, Calls: 1, AnswerBytes: 1,
		}))
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	s.setZone(time.UTC)
	m := metricsAt(t, s, wire.MetricsAll, "", "2026-05-04T10:00:00Z")
	wantEqual(t, "turns", m.Turns, []wire.RoundsMetrics{{Rounds: 1, Models: 1}})
	wantEqual(t, "with calls", m.WithCalls, wire.TurnTokens{Turns: 1, Tokens: 11})
}

func TestMetricsSurviveDeletedConversation(t *testing.T) {
	s := openNew(t)
	mustAppend(t, s, turnOf("t1", event.TurnStarted, "pilot", chat.StatusRunning, 0),
		turnOf("t1", event.TurnEnded, "pilot", chat.StatusDone, 1),
		event.New(event.ConversationDeleted, event.Removal{ID: "c"}).InTurn("c", ""))
	if m := metricsAt(t, s, wire.MetricsAll, "", "2026-05-04T10:00:00Z"); len(m.Turns) != 1 {
		t.Fatalf("%+v", m.Turns)
	}
}

func TestBackfillCountsOldCallsOnce(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	record(t, s, recordedCall{
		at: "2026-05-04T09:00:00Z", tool: "bash", decision: "always", status: event.CallDone,
		ms: 5,
	})
	id := fmt.Sprintf("call_%d", calls)
	asked := event.New(event.ApprovalAsked, event.Approval{Call: id}).OfCall(id)
	asked.Time = time.Date(2026, 5, 4, 9, 0, 1, 0, time.UTC)
	answered := event.New(event.ApprovalAnswered, event.ApprovalAnswer{Call: id, Answer: event.AnswerAlways}).OfCall(id)
	answered.Time = asked.Time.Add(2500 * time.Millisecond)
	ended := turnOf("t1", event.TurnEnded, "openai/x", chat.StatusDone, 3)
	mustAppend(t, s, asked, answered, ended)
	old, err := s.migrationProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.DownTo(ctx, 5); err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	for range 2 { // the second time there is nothing left to do
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, path)
	}
	m, err := s.Metrics(ctx, wire.MetricsAll, "", time.Date(2026, 5, 4, 23, 0, 0, 0, s.Reader.Zone))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "questions", m.Questions, wire.QuestionMetrics{Asked: 1, Allowed: 1, P50MS: 2500})
	wantEqual(t, "turns", m.Turns, []wire.RoundsMetrics{{Rounds: 3, Models: 1}})
	if len(m.Tools) != 1 || m.Tools[0].Calls != 1 || m.Tools[0].P50MS != 5 {
		t.Errorf("%+v", m.Tools)
	}
}
