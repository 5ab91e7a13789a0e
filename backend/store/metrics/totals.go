package metrics

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Totals are counters since the first start.
type Totals struct {
	Models []ModelTotal
	Rounds []wire.RoundsMetrics
	Calls  []CallTotal
}

// ModelTotal has the counters of one model. StartedAnswers is the number of answers that began, StartDelayMS the sum of
// the milliseconds until they began, and StartDelayCounts the number that began within each bound.
type ModelTotal struct {
	wire.ModelMetrics
	StartedAnswers, StartDelayMS int64
	StartDelayCounts             []int64
	since                        int64
}

// CallTotal is the number of calls of a tool that ended with Status. Tool is "" for tools that do not exist.
type CallTotal struct {
	Tool   string
	Origin toolspec.Origin
	Status event.CallStatus
	Calls  int64
}

// Totals reads all counters in one snapshot. bounds are the bounds of StartDelayCounts in milliseconds.
func (r *Reader) Totals(ctx context.Context, bounds []int64) (Totals, error) {
	var t Totals
	err := r.snapshot(ctx, func(q sqlrows.Queryer) error {
		if err := t.readModels(ctx, q, bounds); err != nil {
			return err
		}
		var err error
		t.Rounds, err = sqlrows.Collect(ctx, q, func(row *sql.Rows) (m wire.RoundsMetrics, err error) {
			return m, row.Scan(&m.Rounds, &m.Models, &m.Pilot)
		}, "reading counters", `SELECT rounds, SUM(iif(model <> ?1, turns, 0)), SUM(iif(model = ?1, turns, 0))
			FROM turn_sums WHERE grain = 'day' GROUP BY rounds ORDER BY rounds`, pilotModel)
		if err != nil {
			return err
		}
		t.Calls, err = sqlrows.Collect(ctx, q, func(row *sql.Rows) (c CallTotal, err error) {
			return c, row.Scan(&c.Tool, &c.Origin, &c.Status, &c.Calls)
		}, "reading counters", `SELECT tool, origin, status, SUM(calls) FROM call_sums WHERE grain = 'day'
			GROUP BY tool, origin, status ORDER BY MIN(start), tool, origin, status`)
		return err
	})
	return t, err
}

func (t *Totals) readModels(ctx context.Context, q sqlrows.Queryer, bounds []int64) error {
	models := modelMetrics{}
	if err := readModelSums(ctx, q, models, `grain = 'day'`); err != nil {
		return err
	}
	all := map[string]*ModelTotal{}
	for name, m := range models {
		all[name] = &ModelTotal{ModelMetrics: *m, StartDelayCounts: make([]int64, len(bounds))}
	}
	since, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (m ModelTotal, err error) {
		return m,
			row.Scan(&m.Model, &m.since)
	},
		"reading counters", `SELECT model, MIN(start) FROM model_sums WHERE grain = 'day' GROUP BY model`)
	if err != nil {
		return err
	}
	for _, m := range since {
		all[m.Model].since = m.since
	}
	args := make([]any, len(bounds))
	for i, b := range bounds {
		args[i] = b
	}
	_, err = sqlrows.Collect(ctx, q, func(row *sql.Rows) (_ struct{}, err error) {
		var name string
		var count, sum int64
		at := make([]int64, len(bounds))
		into := []any{&name, &count, &sum}
		for i := range at {
			into = append(into, &at[i])
		}
		err = row.Scan(into...)
		if m := all[name]; m != nil {
			m.StartedAnswers, m.StartDelayMS, m.StartDelayCounts = count, sum, at
		}
		return struct{}{}, err
	}, "reading counters", `SELECT model, COUNT(*), SUM(first_ms)`+strings.Repeat(`, SUM(first_ms <= ?)`, len(bounds))+
		` FROM model_requests INDEXED BY model_requests_first WHERE first_ms > 0 GROUP BY model`, args...)
	for _, m := range all {
		t.Models = append(t.Models, *m)
	}
	slices.SortFunc(t.Models, func(a, b ModelTotal) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.Model, b.Model))
	})
	return err
}
