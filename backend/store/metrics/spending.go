package metrics

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func (r Recorder) addRequests(ctx context.Context, tx *sql.Tx, e event.Event, round event.Round) error {
	if round.Model == pilotModel {
		return nil
	}
	requests := round.Requests
	if len(requests) == 0 { // rounds of older versions list no requests
		t := tokensOf(round)
		one := event.Request{
			Model: round.Model, Usage: round.Usage, Estimated: t.estimated,
			DurationMS: round.DurationMS, Failed: round.Failed,
		}
		one.Usage.Input, one.Usage.Output = t.input, t.output
		requests = []event.Request{one}
	}
	if round.Payer == nil {
		round.Payer = &event.Payer{Conversation: e.Conversation, Turn: e.Turn}
	}
	for i, one := range requests {
		if err := r.addRequest(ctx, tx, e, i, one, round); err != nil {
			return fmt.Errorf("recording a request to a model: %w", err)
		}
	}
	return nil
}

func (r Recorder) addRequest(
	ctx context.Context, tx *sql.Tx, e event.Event, number int, request event.Request, round event.Round,
) error {
	u, bill := request.Usage, request.Bill()
	var amount sql.NullInt64
	currency := ""
	if request.Cost != nil {
		amount, currency = sql.NullInt64{Int64: request.Cost.Nanos, Valid: true}, request.Cost.Currency
	}
	starts := r.starts(e.Time)
	done, err := tx.ExecContext(ctx, `INSERT INTO model_requests
		(seq, number, time, day, conversation, turn, payer, payer_turn, model, input, output, cached, written,
		estimated, nanos, currency, first_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.Seq, number, sqlrows.Nanos(e.Time), starts[daily], e.Conversation, e.Turn,
		round.Payer.Conversation, round.Payer.Turn,
		request.Model, u.Input, u.Output, u.Cached, u.CacheWritten, request.Estimated, amount, currency,
		request.FirstChunkMS)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	definitions, results := 0, 0
	p := round.Prompt
	if length := p.Messages + p.Definitions + p.Results; length > 0 {
		definitions, results = proportion(u.Input, p.Definitions, length), proportion(u.Input, p.Results, length)
	}
	for granularity, start := range starts {
		_, err = tx.ExecContext(ctx, `INSERT INTO model_sums (grain, start, model, currency, requests, failed, again,
			input, output, cached, written, definitions, results, nanos, unpriced)
			VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET requests = requests + 1, failed = failed + excluded.failed,
			again = again + excluded.again,
			input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached,
			written = written + excluded.written, definitions = definitions + excluded.definitions,
			results = results + excluded.results, nanos = MIN(nanos + excluded.nanos, 9000000000000000000),
			unpriced = unpriced + excluded.unpriced`,
			granularity, start, request.Model, currency, request.Failed, request.Retry, u.Input, u.Output, u.Cached,
			u.CacheWritten, definitions, results,
			amount.Int64, bill.Unpriced)
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordBudgetRaise records what a conversation had cost when its budget was raised. The conversation must exist.
func (r Recorder) RecordBudgetRaise(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var spent chat.Bill
	if err := json.Unmarshal(e.Data, &spent); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO budgets_raised (conversation, data) VALUES (?, ?)
		ON CONFLICT DO UPDATE SET data = excluded.data`, e.Conversation, []byte(e.Data))
	return err
}

// ConversationCost returns what a conversation has cost, including the cost of its subagents, and what it had cost when
// its budget was last raised. Both are empty for an unknown conversation.
func (r *Reader) ConversationCost(ctx context.Context, conversation string) (all, before chat.Bill, err error) {
	err = r.snapshot(ctx, func(q sqlrows.Queryer) error {
		if all, err = readBill(ctx, q, `(conversation = ?1 OR payer = ?1)`, conversation); err != nil {
			return err
		}
		raised, err := sqlrows.Collect(ctx, q, sqlrows.ScanJSON[chat.Bill], "reading a budget",
			`SELECT data FROM budgets_raised WHERE conversation = ?`, conversation)
		if len(raised) > 0 {
			before = raised[0]
		}
		return err
	})
	return all, before, err
}

// LastTurnCost returns the cost of the newest turn in a conversation, empty if there is none.
func (r *Reader) LastTurnCost(ctx context.Context, conversation string) (chat.Bill, error) {
	newest, err := sqlrows.Collect(ctx, r.db, sqlrows.Scan[string], "reading the newest turn",
		`SELECT id FROM turns WHERE conversation = ? ORDER BY started DESC, id DESC LIMIT 1`, conversation)
	if err != nil || len(newest) == 0 {
		return chat.Bill{Cost: []chat.Money{}}, err
	}
	return readBill(ctx, r.db,
		`(conversation = ?1 AND turn = ?2 OR payer = ?1 AND payer_turn = ?2)`, conversation, newest[0])
}

func readBill(ctx context.Context, q sqlrows.Queryer, where string, args ...any) (chat.Bill, error) {
	parts, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (b chat.Bill, err error) {
		var m chat.Money
		err = row.Scan(&b.Requests, &b.Input, &b.Output, &b.Cached, &b.CacheWritten, &b.Estimated, &m.Nanos,
			&m.Currency, &b.Unpriced)
		b.Cost = []chat.Money{m}
		return b, err
	}, "reading what was spent", `SELECT COUNT(*), SUM(input), SUM(output), SUM(cached), SUM(written), SUM(estimated),
		CAST(TOTAL(nanos) AS INTEGER), currency, SUM(iif(nanos IS NULL, input + output, 0))
		FROM model_requests WHERE `+where+` GROUP BY currency`, args...)
	sum := chat.Bill{Cost: []chat.Money{}}
	for _, b := range parts {
		sum = sum.Plus(b)
	}
	return sum, err
}
