package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// keepRequests keeps the requests of a round, and counts them.
func (s *Store) keepRequests(ctx context.Context, tx *sql.Tx, e event.Event, r event.Round) error {
	if r.Model == pilotModel {
		return nil
	}
	requests := r.Requests
	if len(requests) == 0 { // as rounds were told before there were any
		t := tokensOf(r)
		one := event.Request{Model: r.Model, Usage: r.Usage, Estimated: t.estimated, DurationMS: r.DurationMS, Failed: r.Failed}
		one.Usage.Input, one.Usage.Output = t.input, t.output
		requests = []event.Request{one}
	}
	if r.Payer == nil {
		r.Payer = &event.Payer{Conversation: e.Conversation, Turn: e.Turn}
	}
	for i, one := range requests {
		if err := s.keepRequest(ctx, tx, e, i, one, r); err != nil {
			return fmt.Errorf("keeping a request to a model: %w", err)
		}
	}
	return nil
}

func (s *Store) keepRequest(ctx context.Context, tx *sql.Tx, e event.Event, number int, r event.Request, of event.Round) error {
	u, bill := r.Usage, r.Bill()
	var amount sql.NullInt64
	currency := ""
	if r.Cost != nil {
		amount, currency = sql.NullInt64{Int64: r.Cost.Nanos, Valid: true}, r.Cost.Currency
	}
	starts := s.starts(e.Time)
	done, err := tx.ExecContext(ctx, `INSERT INTO model_requests
		(seq, number, time, day, conversation, turn, payer, payer_turn, model, input, output, cached, written, estimated, nanos, currency, first_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.Seq, number, nanos(e.Time), starts[grainDay], e.Conversation, e.Turn, of.Payer.Conversation, of.Payer.Turn, r.Model, u.Input, u.Output, u.Cached, u.Written,
		r.Estimated, amount, currency, r.FirstMS)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	definitions, results := 0, 0
	p := of.Prompt
	if length := p.Talk + p.Definitions + p.Results; length > 0 {
		definitions, results = share(u.Input, p.Definitions, length), share(u.Input, p.Results, length)
	}
	for grain, start := range starts {
		_, err = tx.ExecContext(ctx, `INSERT INTO model_sums (grain, start, model, currency, requests, failed, again,
			input, output, cached, written, definitions, results, nanos, unpriced)
			VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET requests = requests + 1, failed = failed + excluded.failed, again = again + excluded.again,
			input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached,
			written = written + excluded.written, definitions = definitions + excluded.definitions,
			results = results + excluded.results, nanos = MIN(nanos + excluded.nanos, 9000000000000000000), unpriced = unpriced + excluded.unpriced`,
			grain, start, r.Model, currency, r.Failed, r.Again, u.Input, u.Output, u.Cached, u.Written, definitions, results,
			amount.Int64, bill.Unpriced)
		if err != nil {
			return err
		}
	}
	return nil
}

// projectRaised keeps from where a conversation's budget counts.
func projectRaised(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var spent chat.Bill
	if err := json.Unmarshal(e.Data, &spent); err != nil {
		return err
	}
	if err := ensureConversation(ctx, tx, e.Conversation, e.Time); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO budgets_raised (conversation, data) VALUES (?, ?)
		ON CONFLICT DO UPDATE SET data = excluded.data`, e.Conversation, []byte(e.Data))
	return err
}

// Spent is what a conversation came to, with what others did for it, and what of that stood when its budget was last allowed once
// more; both are empty for one that is not known.
func (s *Store) Spent(ctx context.Context, conversation string) (all, before chat.Bill, err error) {
	err = s.reading(ctx, func(q queryer) error {
		if all, err = readBill(ctx, q, `(conversation = ?1 OR payer = ?1)`, conversation); err != nil {
			return err
		}
		raised, err := collect(ctx, q, func(row *sql.Rows) (b chat.Bill, err error) {
			var data []byte
			if err := row.Scan(&data); err != nil {
				return b, err
			}
			return b, json.Unmarshal(data, &b)
		}, "reading a budget", `SELECT data FROM budgets_raised WHERE conversation = ?`, conversation)
		if len(raised) > 0 {
			before = raised[0]
		}
		return err
	})
	return all, before, err
}

// LastTurn is what the newest turn of a conversation came to; empty where there was none.
func (s *Store) LastTurn(ctx context.Context, conversation string) (chat.Bill, error) {
	newest, err := collect(ctx, s.reader, func(row *sql.Rows) (id string, err error) { return id, row.Scan(&id) }, "reading the newest turn",
		`SELECT id FROM turns WHERE conversation = ? ORDER BY started DESC, id DESC LIMIT 1`, conversation)
	if err != nil || len(newest) == 0 {
		return chat.Bill{Cost: []chat.Money{}}, err
	}
	return readBill(ctx, s.reader, `(conversation = ?1 AND turn = ?2 OR payer = ?1 AND payer_turn = ?2)`, conversation, newest[0])
}

func readBill(ctx context.Context, q queryer, where string, args ...any) (chat.Bill, error) {
	parts, err := collect(ctx, q, func(row *sql.Rows) (b chat.Bill, err error) {
		var m chat.Money
		err = row.Scan(&b.Requests, &b.Input, &b.Output, &b.Cached, &b.Written, &b.Estimated, &m.Nanos, &m.Currency, &b.Unpriced)
		b.Cost = []chat.Money{m}
		return b, err
	}, "reading what was spent", `SELECT COUNT(*), SUM(input), SUM(output), SUM(cached), SUM(written), SUM(estimated),
		CAST(TOTAL(nanos) AS INTEGER), currency, SUM(iif(nanos IS NULL, input + output, 0)) FROM model_requests WHERE `+where+` GROUP BY currency`, args...)
	sum := chat.Bill{Cost: []chat.Money{}}
	for _, b := range parts {
		sum = sum.Plus(b)
	}
	return sum, err
}
