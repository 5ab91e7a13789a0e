package metrics

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// maxTools limits the tools in Metrics. Those with the most calls are returned.
const maxTools = 300

// Reader reads metrics. It is safe for concurrent use.
type Reader struct {
	db *sql.DB
	// Zone is the time zone that defines where hours and days begin.
	Zone *time.Location
}

// NewReader returns a Reader of db that uses the local time zone.
func NewReader(db *sql.DB) *Reader { return &Reader{db: db, Zone: time.Local} }

// Metrics returns the metrics of a range that ends at now. origin selects the calls of one origin, "" all calls; tokens
// and turns do not depend on it.
func (r *Reader) Metrics(
	ctx context.Context, over wire.MetricsRange, origin toolspec.Origin, now time.Time,
) (wire.Metrics, error) {
	var m wire.Metrics
	err := r.snapshot(ctx, func(q sqlrows.Queryer) error {
		sp, err := r.span(ctx, q, over, now)
		if err != nil {
			return err
		}
		m.MetricsSpan, m.Buckets = sp.MetricsSpan, make([]wire.MetricsBucket, sp.n())
		for i := range m.Buckets {
			m.Buckets[i].Start = sp.edges[i]
		}
		for _, read := range []func() error{
			func() error { return readBuckets(ctx, q, sp, origin, &m) },
			func() error { return readTools(ctx, q, sp, origin, &m) },
			func() error { return readDurations(ctx, q, sp, m.Tools) },
			func() error { return readWaitingTimes(ctx, q, sp, origin, &m) },
			func() error { return readTokens(ctx, q, sp, &m) },
			func() error { return readTurns(ctx, q, sp, &m) },
		} {
			if err := read(); err != nil {
				return err
			}
		}
		return nil
	})
	return m, err
}

// snapshot runs do in one read transaction, so that all of its queries see the same state.
func (r *Reader) snapshot(ctx context.Context, do func(sqlrows.Queryer) error) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("reading figures: %w", err)
	}
	return errors.Join(do(tx), tx.Rollback())
}

func readBuckets(ctx context.Context, q sqlrows.Queryer, sp span, origin toolspec.Origin, m *wire.Metrics) error {
	where, args := sp.sums()
	type sum struct {
		start                int64
		calls, failed, asked int
	}
	sums, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (s sum, err error) {
		return s, row.Scan(&s.start, &s.calls, &s.failed, &s.asked)
	}, "reading figures",
		`SELECT start, SUM(calls), SUM(iif(status = 'failed', calls, 0)), SUM(iif(answer <> '', calls, 0))
		FROM call_sums WHERE `+where+` AND (? = '' OR origin = ?) GROUP BY start`, append(args, origin, origin)...)
	for _, s := range sums {
		b := &m.Buckets[sp.bucket(s.start)]
		b.Calls, b.Failed, b.Asked = b.Calls+s.calls, b.Failed+s.failed, b.Asked+s.asked
	}
	return err
}

// callSum is the number of calls with the same values in all other fields, and the sum of their tokens.
type callSum struct {
	tool      string
	origin    toolspec.Origin
	status    event.CallStatus
	errorType toolspec.ErrorType
	answer    string
	ran       bool
	calls     int
	tokens    int64
}

func readTools(ctx context.Context, q sqlrows.Queryer, sp span, origin toolspec.Origin, m *wire.Metrics) error {
	where, args := sp.sums()
	cells, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (c callSum, err error) {
		return c, row.Scan(&c.tool, &c.origin, &c.status, &c.errorType, &c.answer, &c.ran, &c.calls, &c.tokens)
	}, "reading figures", `SELECT tool, origin, status, error_type, answer, ran, SUM(calls), SUM(tokens) FROM call_sums
		WHERE `+where+` AND (? = '' OR origin = ?) GROUP BY 1, 2, 3, 4, 5, 6`, append(args, origin, origin)...)
	if err != nil {
		return err
	}
	type key struct {
		tool   string
		origin toolspec.Origin
	}
	tools := map[key]*wire.ToolMetrics{}
	for _, c := range cells {
		k := key{c.tool, c.origin}
		if tools[k] == nil {
			tools[k] = &wire.ToolMetrics{Tool: c.tool, Origin: c.origin, Errors: []wire.ErrorCount{}}
		}
		c.addTo(tools[k], &m.Questions)
	}
	m.Tools = make([]wire.ToolMetrics, 0, len(tools))
	for _, t := range tools {
		slices.SortFunc(t.Errors, func(a, b wire.ErrorCount) int {
			return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Type, b.Type))
		})
		m.Tools = append(m.Tools, *t)
	}
	slices.SortFunc(m.Tools, func(a, b wire.ToolMetrics) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Origin, b.Origin))
	})
	m.Tools = m.Tools[:min(len(m.Tools), maxTools)]
	return nil
}

func (c callSum) addTo(t *wire.ToolMetrics, q *wire.QuestionMetrics) {
	t.Calls += c.calls
	t.Tokens += c.tokens
	if c.ran {
		t.Completed += c.calls
	}
	switch c.status {
	case event.CallFailed:
		t.Failed += c.calls
		i := slices.IndexFunc(t.Errors, func(e wire.ErrorCount) bool { return e.Type == c.errorType })
		if i < 0 {
			i, t.Errors = len(t.Errors), append(t.Errors, wire.ErrorCount{Type: c.errorType})
		}
		t.Errors[i].Calls += c.calls
	case event.CallRefused:
		t.Refused += c.calls
	case event.CallDeclined:
		t.Declined += c.calls
	case event.CallStopped, event.CallInterrupted:
		t.Stopped += c.calls
	}
	if c.answer == "" {
		return
	}
	t.Asked += c.calls
	q.Asked += c.calls
	switch c.answer {
	case event.NoAnswer:
		q.Unanswered += c.calls
	case string(event.AnswerDeny):
		q.Denied += c.calls
	default:
		q.Allowed += c.calls
	}
}

// readDurations reads the percentiles of every tool. The index is sorted by duration, so a percentile is found by
// walking to its rank.
func readDurations(ctx context.Context, q sqlrows.Queryer, sp span, tools []wire.ToolMetrics) error {
	where, args := sp.calls()
	for i := range tools {
		t := &tools[i]
		if t.Completed == 0 {
			continue
		}
		at := append([]any{t.Tool, t.Origin}, args...)
		const walk = ` FROM measured_calls INDEXED BY measured_calls_duration WHERE ran = 1 AND tool = ? AND origin = ? AND `
		for _, p := range []struct {
			percent int
			into    *int64
		}{{50, &t.P50MS}, {95, &t.P95MS}} {
			// Walk from the nearer end.
			order, skip := `ASC`, rank(t.Completed, p.percent)
			if skip > t.Completed/2 {
				order, skip = `DESC`, t.Completed-1-skip
			}
			found, err := sqlrows.Collect(ctx, q, sqlrows.Scan[int64], "reading figures",
				`SELECT duration_ms`+walk+where+` ORDER BY duration_ms `+order+` LIMIT 1 OFFSET ?`, append(at, skip)...)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				*p.into = found[0]
			}
		}
	}
	return nil
}

func rank(n, percent int) int { return max(0, (n*percent+99)/100-1) }

func readWaitingTimes(ctx context.Context, q sqlrows.Queryer, sp span, origin toolspec.Origin, m *wire.Metrics) error {
	answered := m.Questions.Allowed + m.Questions.Denied
	if answered == 0 {
		return nil
	}
	where, args := sp.calls()
	found, err := sqlrows.Collect(ctx, q, sqlrows.Scan[int64], "reading figures", `SELECT waited_ms FROM measured_calls
		WHERE answer NOT IN ('', 'lapsed') AND `+where+` AND (? = '' OR origin = ?) ORDER BY waited_ms LIMIT 1 OFFSET ?`,
		append(args, origin, origin, rank(answered, 50))...)
	if err == nil && len(found) > 0 {
		m.Questions.P50MS = found[0]
	}
	return err
}

// turnSum contains the totals of the turns of one model with the same number of rounds. called is true if they called
// tools.
type turnSum struct {
	model                    string
	rounds, turns            int
	called                   bool
	input, output, estimated int64
}

func readTokens(ctx context.Context, q sqlrows.Queryer, sp span, m *wire.Metrics) error {
	where, args := sp.sums()
	type sum struct{ start, talk, definitions, results, output int64 }
	sums, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (s sum, err error) {
		return s, row.Scan(&s.start, &s.talk, &s.definitions, &s.results, &s.output)
	}, "reading figures", `SELECT start, SUM(talk), SUM(definitions), SUM(results), SUM(output)
		FROM turn_sums WHERE `+where+` GROUP BY start`, args...)
	for _, s := range sums {
		b := &m.Buckets[sp.bucket(s.start)]
		b.Messages, b.Definitions, b.Results = b.Messages+s.talk, b.Definitions+s.definitions, b.Results+s.results
		b.Output += s.output
	}
	return err
}

func readTurns(ctx context.Context, q sqlrows.Queryer, sp span, m *wire.Metrics) error {
	where, args := sp.sums()
	sums, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (c turnSum, err error) {
		return c, row.Scan(&c.model, &c.rounds, &c.called, &c.turns, &c.input, &c.output, &c.estimated)
	}, "reading figures", `SELECT model, rounds, called, SUM(turns), SUM(input), SUM(output), SUM(estimated)
		FROM turn_sums WHERE `+where+` GROUP BY 1, 2, 3`, args...)
	if err != nil {
		return err
	}
	rounds := map[int]*wire.RoundsMetrics{}
	models, err := readModels(ctx, q, sp)
	if err != nil {
		return err
	}
	for _, c := range sums {
		c.addTo(m, rounds, models)
	}
	m.Turns, m.Models = sortedValues(rounds, func(a, b wire.RoundsMetrics) int { return a.Rounds - b.Rounds }),
		sortedValues(models, func(a, b wire.ModelMetrics) int {
			return cmp.Or(cmp.Compare(b.Input+b.Output, a.Input+a.Output), cmp.Compare(a.Model, b.Model))
		})
	m.Models = m.Models[:min(len(m.Models), maxModels)]
	return nil
}

func (t turnSum) addTo(m *wire.Metrics, rounds map[int]*wire.RoundsMetrics, models modelMetrics) {
	of := models.of(t.model)
	of.Turns += t.turns
	of.Rounds += t.rounds * t.turns
	m.Estimated += t.estimated
	if rounds[t.rounds] == nil {
		rounds[t.rounds] = &wire.RoundsMetrics{Rounds: t.rounds}
	}
	if t.model == pilotModel {
		rounds[t.rounds].Pilot += t.turns
		return
	}
	rounds[t.rounds].Models += t.turns
	into := &m.WithoutCalls
	if t.called {
		into = &m.WithCalls
	}
	into.Turns += t.turns
	into.Tokens += t.input + t.output
}

func sortedValues[K comparable, V any](of map[K]*V, by func(a, b V) int) []V {
	all := make([]V, 0, len(of))
	for _, v := range of {
		all = append(all, *v)
	}
	slices.SortFunc(all, by)
	return all
}

// ToolHistory returns the durations of one tool's calls in a range that ends at now, and the numbers of the audit rows
// of its newest failed calls, at most limit.
func (r *Reader) ToolHistory(
	ctx context.Context, tool string, origin toolspec.Origin, over wire.MetricsRange, limit int, now time.Time,
) (h wire.ToolHistory, failed []int64, err error) {
	err = r.snapshot(ctx, func(q sqlrows.Queryer) error {
		sp, err := r.span(ctx, q, over, now)
		if err != nil {
			return err
		}
		if err := readHistory(ctx, q, sp, tool, origin, &h); err != nil {
			return err
		}
		where, args := sp.calls()
		failed, err = sqlrows.Collect(ctx, q, sqlrows.Scan[int64], "reading figures", `SELECT seq FROM measured_calls
			WHERE tool = ? AND origin = ? AND status = 'failed' AND `+where+` ORDER BY time DESC LIMIT ?`,
			append(append([]any{tool, origin}, args...), limit)...)
		return err
	})
	return h, failed, err
}

func readHistory(
	ctx context.Context, q sqlrows.Queryer, sp span, tool string, origin toolspec.Origin, h *wire.ToolHistory,
) error {
	h.MetricsSpan, h.Buckets = sp.MetricsSpan, make([]wire.ToolBucket, sp.n())
	for i := range h.Buckets {
		h.Buckets[i].Start = sp.edges[i]
	}
	where, args := sp.calls()
	type call struct{ start, ms int64 }
	start := `day`
	if sp.granularity == hourly {
		start = `time / 1000000000`
	}
	ran, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (c call, err error) {
		return c, row.Scan(&c.start,
			&c.ms)
	}, "reading figures",
		`SELECT `+start+`, duration_ms FROM measured_calls INDEXED BY measured_calls_duration
		WHERE ran = 1 AND tool = ? AND origin = ? AND `+where+` ORDER BY duration_ms`, append([]any{
			tool,
			origin,
		}, args...)...)
	if err != nil {
		return err
	}
	took := make([][]int64, sp.n())
	for _, c := range ran {
		i := sp.bucket(c.start)
		took[i] = append(took[i], c.ms)
	}
	for i, ms := range took {
		if len(ms) > 0 {
			b := &h.Buckets[i]
			b.Completed, b.P50MS, b.P95MS = len(ms), ms[rank(len(ms), 50)], ms[rank(len(ms), 95)]
		}
	}
	where, args = sp.sums()
	type sum struct {
		start int64
		n     int
	}
	failed, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (s sum, err error) {
		return s, row.Scan(&s.start,
			&s.n)
	}, "reading figures",
		`SELECT start, SUM(calls) FROM call_sums WHERE `+where+
			` AND tool = ? AND origin = ? AND status = 'failed' GROUP BY start`,
		append(args, tool, origin)...)
	for _, f := range failed {
		h.Buckets[sp.bucket(f.start)].Failed += f.n
	}
	return err
}
