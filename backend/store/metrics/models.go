package metrics

import (
	"context"
	"database/sql"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/wire"
)

// maxModels limits the models in Metrics. Those with the most tokens are returned.
const maxModels = 100

type modelMetrics map[string]*wire.ModelMetrics

func (m modelMetrics) of(model string) *wire.ModelMetrics {
	if m[model] == nil {
		m[model] = &wire.ModelMetrics{Model: model, Cost: []chat.Money{}}
	}
	return m[model]
}

func readModels(ctx context.Context, q sqlrows.Queryer, sp span) (modelMetrics, error) {
	where, args := sp.sums()
	models := modelMetrics{}
	if err := readModelSums(ctx, q, models, where, args...); err != nil {
		return nil, err
	}
	at, atArgs := sp.calls()
	for model, m := range models {
		const from = ` FROM model_requests INDEXED BY model_requests_first WHERE first_ms > 0 AND model = ? AND `
		args := append([]any{model}, atArgs...)
		answers, err := sqlrows.Collect(ctx, q, sqlrows.Scan[int64], "reading figures",
			`SELECT COUNT(*)`+from+at, args...)
		if err != nil || answers[0] == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, p := range []struct {
			percent int
			into    *int64
		}{{50, &m.FirstChunkP50MS}, {95, &m.FirstChunkP95MS}} {
			found, err := sqlrows.Collect(ctx, q, sqlrows.Scan[int64], "reading figures",
				`SELECT first_ms`+from+at+` ORDER BY first_ms LIMIT 1 OFFSET ?`,
				append(args[:len(args):len(args)], rank(int(answers[0]), p.percent))...)
			if err != nil {
				return nil, err
			}
			if len(found) > 0 {
				*p.into = found[0]
			}
		}
	}
	return models, nil
}

func readModelSums(ctx context.Context, q sqlrows.Queryer, models modelMetrics, where string, args ...any) error {
	type sum struct {
		wire.ModelMetrics
		money chat.Money
	}
	sums, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (s sum, err error) {
		return s, row.Scan(&s.Model, &s.money.Currency, &s.Requests, &s.Failed, &s.Retries,
			&s.Input, &s.Output, &s.Cached, &s.CacheWritten, &s.Definitions, &s.Results, &s.money.Nanos, &s.Unpriced)
	}, "reading figures", `SELECT model, currency, SUM(requests), SUM(failed), SUM(again),
		SUM(input), SUM(output), SUM(cached), SUM(written), SUM(definitions), SUM(results),
		CAST(TOTAL(nanos) AS INTEGER), SUM(unpriced)
		FROM model_sums WHERE `+where+` GROUP BY model, currency ORDER BY model, currency`, args...)
	for _, s := range sums {
		m := models.of(s.Model)
		m.Requests, m.Failed, m.Retries = m.Requests+s.Requests, m.Failed+s.Failed, m.Retries+s.Retries
		m.Input, m.Output = m.Input+s.Input, m.Output+s.Output
		m.Cached, m.CacheWritten = m.Cached+s.Cached, m.CacheWritten+s.CacheWritten
		m.Definitions, m.Results, m.Unpriced = m.Definitions+s.Definitions, m.Results+s.Results, m.Unpriced+s.Unpriced
		if s.money.Nanos > 0 {
			m.Cost = append(m.Cost, s.money)
		}
	}
	return err
}
