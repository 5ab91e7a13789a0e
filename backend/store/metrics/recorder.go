// Package metrics counts calls, turns and requests to models, and reads the counts.
//
// A Recorder writes in the transaction that stores the audit row or event it counts, so that metrics and log agree
// after a crash. It stores sums per hour and per day in this machine's time zone, and single calls for percentiles.
// Metrics of deleted conversations remain.
package metrics

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Recorder writes metrics. Zone must be set.
type Recorder struct {
	// Zone is the time zone that defines where hours and days begin.
	Zone *time.Location
}

// runningDecisions are the decisions after which a call runs.
var runningDecisions = []string{
	"allowed", "granted",
	string(event.AnswerOnce), string(event.AnswerConversation), string(event.AnswerAlways),
	string(event.AnswerSameProgram),
}

const (
	hourly = "hour"
	daily  = "day"
)

// starts returns the start of the hour and of the day that contain at, by granularity.
func (r Recorder) starts(at time.Time) map[string]int64 {
	at = at.In(r.Zone)
	return map[string]int64{hourly: hourOf(at).Unix(), daily: dayOf(at)}
}

func hourOf(at time.Time) time.Time {
	seconds := time.Duration(at.Minute()*60 + at.Second())
	return at.Add(-seconds*time.Second - time.Duration(at.Nanosecond()))
}

func dayOf(at time.Time) int64 {
	y, m, d := at.Date()
	return int64(y*10_000 + int(m)*100 + d)
}

// RecordCall records the metrics of a call, if it has an audit intent. result is the body of its audit result.
func (r Recorder) RecordCall(ctx context.Context, tx *sql.Tx, call string, result json.RawMessage) error {
	var seq, at int64
	var body []byte
	err := tx.QueryRowContext(ctx,
		`SELECT seq, time, body FROM audit WHERE call = ? AND phase = 'intent'`, call).Scan(&seq, &at, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("recording figures of call %s: %w", call, err)
	}
	// An audit row in another format is not counted, but must not cause an error.
	in, ok := readIntent(body)
	if !ok {
		return nil
	}
	return r.addCall(ctx, tx, seq, sqlrows.Time(at), in, result)
}

func readIntent(body json.RawMessage) (in event.CallIntent, ok bool) {
	ok = json.Unmarshal(body, &in) == nil
	if in.Origin == "" {
		// The tool does not exist, so its name could be anything.
		in.Tool = ""
	}
	return in, ok
}

func (r Recorder) addCall(
	ctx context.Context, tx *sql.Tx, seq int64, at time.Time, in event.CallIntent, result json.RawMessage,
) error {
	var out event.CallResult
	if json.Unmarshal(result, &out) != nil {
		return nil
	}
	ran := slices.Contains(runningDecisions, in.Decision) &&
		(out.Status == event.CallDone || out.Status == event.CallFailed)
	starts := r.starts(at)
	done, err := tx.ExecContext(ctx, `INSERT INTO measured_calls
		(seq, time, day, tool, origin, status, error_type, answer, waited_ms, ran, duration_ms, tokens)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		seq, sqlrows.Nanos(at), starts[daily], in.Tool, in.Origin, out.Status, out.ErrorType, in.Answer,
		in.WaitedMS, ran,
		out.DurationMS, out.Tokens)
	if err != nil {
		return fmt.Errorf("recording figures of a call: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	for granularity, start := range starts {
		_, err = tx.ExecContext(ctx,
			`INSERT INTO call_sums (grain, start, tool, origin, status, error_type, answer, ran, calls, tokens)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
			ON CONFLICT DO UPDATE SET calls = calls + 1, tokens = tokens + excluded.tokens`,
			granularity, start, in.Tool, in.Origin, out.Status, out.ErrorType, in.Answer, ran, out.Tokens)
		if err != nil {
			return fmt.Errorf("recording figures of a call: %w", err)
		}
	}
	return nil
}

// RecordTurn records the state of a turn, and counts the turn when it has ended. Rounds that RecordRound has counted
// are not counted twice.
func (r Recorder) RecordTurn(ctx context.Context, tx *sql.Tx, t event.Turn, at time.Time) error {
	var was chat.Status
	var began int64
	err := tx.QueryRowContext(ctx, `SELECT status, time FROM measured_turns WHERE turn = ?`, t.ID).Scan(&was, &began)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		was, began = chat.StatusRunning, sqlrows.Nanos(at)
	case err != nil:
		return fmt.Errorf("recording figures of a turn: %w", err)
	case was != chat.StatusRunning:
		return nil
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO measured_turns
		(turn, time, model, status, rounds, calls, input, output, cached, talk, definitions, results, estimated)
		VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, 0, 0, 0, 0)
		ON CONFLICT DO UPDATE SET status = excluded.status, rounds = MAX(rounds, excluded.rounds)`,
		t.ID, began, t.Model, t.Status, t.Rounds, t.Usage.Input, t.Usage.Output, t.Usage.Cached); err != nil {
		return fmt.Errorf("recording figures of a turn: %w", err)
	}
	if t.Status == chat.StatusRunning {
		return nil
	}
	for granularity, start := range r.starts(sqlrows.Time(began)) {
		_, err := tx.ExecContext(ctx, `INSERT INTO turn_sums
			SELECT ?, ?, model, rounds, calls > 0, 1, input, output, cached, talk, definitions, results, estimated
			FROM measured_turns WHERE turn = ?
			ON CONFLICT DO UPDATE SET turns = turns + 1, input = input + excluded.input,
			output = output + excluded.output,
			cached = cached + excluded.cached, talk = talk + excluded.talk,
				definitions = definitions + excluded.definitions,
			results = results + excluded.results, estimated = estimated + excluded.estimated`, granularity, start, t.ID)
		if err != nil {
			return fmt.Errorf("recording figures of a turn: %w", err)
		}
	}
	return nil
}

// RecordRound adds a round.ended event to the metrics of its turn.
func (r Recorder) RecordRound(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var round event.Round
	if e.Turn == "" {
		return errors.New("a round without its turn")
	}
	if err := json.Unmarshal(e.Data, &round); err != nil {
		return err
	}
	turn := event.Turn{ID: e.Turn, Model: round.Model, Status: chat.StatusRunning}
	if err := r.RecordTurn(ctx, tx, turn, e.Time); err != nil {
		return err
	}
	if err := r.addRequests(ctx, tx, e, round); err != nil {
		return err
	}
	tokens := tokensOf(round)
	_, err := tx.ExecContext(ctx,
		`UPDATE measured_turns SET rounds = MAX(rounds, ?), calls = calls + ?, input = input + ?,
		output = output + ?, cached = cached + ?, talk = talk + ?, definitions = definitions + ?, results = results + ?,
		estimated = estimated + ? WHERE turn = ?`,
		round.Number, round.Calls, tokens.input, tokens.output, round.Usage.Cached, tokens.conversation,
		tokens.definitions, tokens.results, tokens.estimated, e.Turn)
	return err
}

type roundTokens struct{ input, output, conversation, definitions, results, estimated int }

// pilotModel is the model name of the pilot, which uses no tokens.
const pilotModel = "pilot"

// tokensOf divides the prompt's tokens among its parts in proportion to their lengths. Without the provider's count, it
// estimates the tokens, but counts none for the prompt of a failed round without an answer.
func tokensOf(r event.Round) roundTokens {
	if r.Model == pilotModel {
		return roundTokens{}
	}
	t := roundTokens{input: r.Usage.Input, output: r.Usage.Output}
	length := r.Prompt.Messages + r.Prompt.Definitions + r.Prompt.Results
	// The provider may not have read the prompt of a failed round without an answer.
	unread := r.Failed && r.AnswerBytes == 0
	if t.input == 0 && !unread {
		t.input = length / toolspec.BytesPerToken
		t.estimated += t.input
	}
	if t.output == 0 && r.AnswerBytes > 0 {
		t.output = max(1, r.AnswerBytes/toolspec.BytesPerToken)
		t.estimated += t.output
	}
	if length > 0 {
		t.definitions = proportion(t.input, r.Prompt.Definitions, length)
		t.results = proportion(t.input, r.Prompt.Results, length)
	}
	t.conversation = t.input - t.definitions - t.results
	return t
}

func proportion(of, part, whole int) int { return int(int64(of) * int64(part) / int64(whole)) }

// Backfill counts the calls and turns that were recorded before metrics existed.
func (r Recorder) Backfill(ctx context.Context, tx *sql.Tx) error {
	if err := r.backfillCalls(ctx, tx); err != nil {
		return err
	}
	type old struct {
		turn event.Turn
		at   int64
	}
	turns, err := sqlrows.Collect(ctx, tx, func(row *sql.Rows) (old, error) {
		var o old
		var data []byte
		if err := row.Scan(&o.turn.ID, &o.at, &data); err != nil {
			return o, err
		}
		return o, json.Unmarshal(data, &o.turn)
	}, "reading turns", `SELECT id, started, data FROM turns`)
	if err != nil {
		return err
	}
	for _, o := range turns {
		if err := r.RecordTurn(ctx, tx, o.turn, sqlrows.Time(o.at)); err != nil {
			return err
		}
	}
	return nil
}

// backfillCalls reads the calls in batches, because all of them may not fit in memory. It takes the answers to
// questions from the events.
func (r Recorder) backfillCalls(ctx context.Context, tx *sql.Tx) error {
	type old struct {
		seq, at         int64
		intent, result  []byte
		asked, answered sql.NullInt64
		answer          sql.NullString
	}
	const part = 1000
	for last := int64(0); ; {
		calls, err := sqlrows.Collect(ctx, tx, func(row *sql.Rows) (old, error) {
			var o old
			return o, row.Scan(&o.seq, &o.at, &o.intent, &o.result, &o.asked, &o.answered, &o.answer)
		}, "reading the audit log",
			`SELECT i.seq, i.time, i.body, r.body, q.time, a.time, json_extract(CAST(a.data AS TEXT), '$.answer')
			FROM audit i JOIN audit r ON r.call = i.call AND r.phase = 'result'
			LEFT JOIN events q ON q.call = i.call AND q.kind = 'approval.asked'
			LEFT JOIN events a ON a.call = i.call AND a.kind = 'approval.answered'
			WHERE i.phase = 'intent' AND i.seq > ? ORDER BY i.seq LIMIT ?`, last, part)
		if err != nil {
			return err
		}
		for _, o := range calls {
			last = o.seq
			in, ok := readIntent(o.intent)
			if !ok {
				continue
			}
			if o.asked.Valid && in.Answer == "" {
				in.Answer = event.NoAnswer
				if o.answer.String != "" {
					in.Answer = o.answer.String
				}
				in.WaitedMS = max(0, (o.answered.Int64-o.asked.Int64)/int64(time.Millisecond))
			}
			if err := r.addCall(ctx, tx, o.seq, sqlrows.Time(o.at), in, o.result); err != nil {
				return err
			}
		}
		if len(calls) < part {
			return nil
		}
	}
}
