package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"sextant/app/bus"
	"sextant/shared/batch"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/schedule"
)

// Config configures a Desktop. All fields are required.
type Config struct {
	// Enabled reports whether the person wants notifications.
	Enabled func() bool
	// InFront reports whether a window is in front, so that the person sees what happens.
	InFront func() bool
	// Conversation reads a stored conversation.
	Conversation func(ctx context.Context, id string) (chat.Conversation, error)
	// Answer answers a question, and Show brings a conversation to the front.
	Answer func(ctx context.Context, id string, answer event.Answer, reason, hash string) error
	Show   func(conversation string)
	Log    *slog.Logger
}

// Desktop shows notifications about runs, batches and turns. A question can be answered once, or denied, in its
// notification. Its methods may be called concurrently.
type Desktop struct {
	cfg    Config
	ctx    context.Context //nolint:containedctx // the lifetime, ended by Close
	cancel context.CancelFunc
	wait   sync.WaitGroup

	saidHidden sync.Once

	mu    sync.Mutex
	conn  *dbus.Conn
	shown map[uint32]notice
	// answered are the questions that were answered last: one may be answered before it is shown.
	answered []string
}

// notice is what a shown notification is about. Question is nil if it asks nothing.
type notice struct {
	conversation string
	question     *event.Approval
}

// maxShown bounds how many notifications are remembered.
const maxShown = 50

// New returns a Desktop. It connects to the session bus when there is something to show.
func New(cfg Config) *Desktop {
	d := &Desktop{cfg: cfg, shown: map[uint32]notice{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Close ends the connection and waits for what is being shown.
func (d *Desktop) Close() error {
	d.cancel()
	d.mu.Lock()
	if d.conn != nil {
		_ = d.conn.Close() // nothing was written that could be lost
	}
	d.mu.Unlock()
	d.wait.Wait()
	return nil
}

// InFront reports whether a window is in front, so that the person sees what happens.
func (d *Desktop) InFront() bool { return d.cfg.InFront() }

// ShowHidden says once that Sextant keeps running without its window.
func (d *Desktop) ShowHidden() {
	const title = "Sextant keeps running in the tray"
	const text = "Its icon opens the window and quits. Starting Sextant again opens it too. Settings › General turns " +
		"this off."
	d.saidHidden.Do(func() {
		d.inBackground(func(ctx context.Context) error { return d.post(ctx, notice{}, title, text) })
	})
}

// ShowRun shows a notification about a run that nobody started, if a person should know how it ended.
func (d *Desktop) ShowRun(one schedule.Schedule, run schedule.Run) {
	if title := titleOf(one, run); title != "" {
		d.inBackground(func(ctx context.Context) error {
			return d.post(ctx, notice{}, title, cmp.Or(run.Reason, run.Result))
		})
	}
}

// ShowBatch shows a notification about a batch that was done or stopped by itself.
func (d *Desktop) ShowBatch(one batch.Batch) {
	title := "“" + one.Name + "” " + map[batch.State]string{
		batch.StateDone: "is done", batch.StateStopped: "has stopped",
	}[one.State]
	d.inBackground(func(ctx context.Context) error {
		return d.post(ctx, notice{}, title, one.Reason)
	})
}

// Handle handles the end of a turn, a question and its answer.
func (d *Desktop) Handle(e event.Event) {
	switch e.Kind { //nolint:exhaustive // others need no notification
	case event.TurnEnded:
		d.turnEnded(e)
	case event.ApprovalAsked:
		d.approvalAsked(e)
	case event.ApprovalAnswered:
		d.approvalAnswered(e)
	}
}

func (d *Desktop) turnEnded(e event.Event) {
	var turn event.Turn
	if json.Unmarshal(e.Data, &turn) != nil || turn.Unattended {
		return
	}
	outcome := map[chat.Status]string{chat.StatusDone: "is done", chat.StatusFailed: "failed"}[turn.Status]
	if outcome == "" {
		return
	}
	d.show(notice{conversation: e.Conversation}, func(title string) (string, string) {
		return "“" + title + "” " + outcome, turn.Error
	})
}

func (d *Desktop) approvalAsked(e event.Event) {
	var question event.Approval
	if json.Unmarshal(e.Data, &question) != nil {
		return
	}
	d.show(notice{e.Conversation, &question}, func(title string) (string, string) {
		return question.Question, "In “" + title + "”. " + question.Reason
	})
}

// approvalAnswered closes the notification of the question.
func (d *Desktop) approvalAnswered(e event.Event) {
	var answered event.ApprovalAnswer
	if json.Unmarshal(e.Data, &answered) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answered = append(d.answered[max(0, len(d.answered)-maxShown):], answered.ID)
	for id, one := range d.shown {
		if one.question != nil && one.question.ID == answered.ID {
			delete(d.shown, id)
			d.close(id)
		}
	}
}

// close is called under the lock.
func (d *Desktop) close(id uint32) {
	d.conn.Object(service, servicePath).Go(service+".CloseNotification", dbus.FlagNoReplyExpected, nil, id)
}

func (d *Desktop) inBackground(show func(context.Context) error) {
	if !d.cfg.Enabled() {
		return
	}
	d.wait.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, limit)
		defer cancel()
		if err := show(ctx); err != nil && d.ctx.Err() == nil {
			d.cfg.Log.Debug("no notification on the desktop", "err", err)
		}
	})
}

// show shows a notification about a person's own conversation, unless a window is in front.
func (d *Desktop) show(about notice, texts func(title string) (summary, body string)) {
	if d.cfg.InFront() {
		return
	}
	d.inBackground(func(ctx context.Context) error {
		c, err := d.cfg.Conversation(ctx, about.conversation)
		if err != nil || c.Parent != "" {
			return err
		}
		summary, body := texts(c.Title)
		return d.post(ctx, about, summary, body)
	})
}

// post shows a notification now, with what can be pressed for what it is about.
func (d *Desktop) post(ctx context.Context, about notice, summary, body string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.connect(); err != nil {
		return err
	}
	actions := []string{}
	if about.conversation != "" {
		actions = append(actions, "default", "Show")
	}
	if q := about.question; q != nil && answerable(*q) {
		actions = append(actions, actionOf(event.AnswerOnce, *q), "Allow once")
		actions = append(actions, actionOf(event.AnswerDeny, *q), "Deny")
	}
	id, err := notify(ctx, d.conn, summary, body, actions)
	if err != nil || len(actions) == 0 {
		return err
	}
	if q := about.question; q != nil && slices.Contains(d.answered, q.ID) {
		d.close(id)
		return nil
	}
	for old := range d.shown {
		if len(d.shown) >= maxShown {
			delete(d.shown, old)
		}
	}
	d.shown[id] = about
	return nil
}

// answerable reports whether a question needs no more than yes or no, may be answered outside of a window, and shows
// all that it is about.
func answerable(q event.Approval) bool {
	if q.WindowOnly || q.EditArg != "" || len(q.Form) > 0 || q.Diff != "" || q.Data != "" ||
		utf8.RuneCountInString(q.Question) > maxTitle {
		return false
	}
	var args map[string]any
	if len(q.Args) > 0 && json.Unmarshal(q.Args, &args) != nil {
		return false
	}
	for _, value := range args {
		text, isText := value.(string)
		if _, isNumber := value.(float64); isNumber || isText && strings.Contains(q.Question, text) {
			continue
		}
		return false
	}
	return true
}

// actionOf returns the key of an answer. It names the question, because the ids of notifications are used again when
// the service restarts.
func actionOf(answer event.Answer, q event.Approval) string { return string(answer) + " " + q.ID }

// connect connects to the session bus and listens to the notification service alone. It is called under the lock.
func (d *Desktop) connect() error {
	if d.conn != nil && d.conn.Connected() {
		return nil
	}
	conn, err := bus.Connect(d.ctx, dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return err
	}
	if err := conn.AddMatchSignal(dbus.WithMatchSender(service), dbus.WithMatchInterface(service)); err != nil {
		return errors.Join(err, conn.Close())
	}
	signals := make(chan *dbus.Signal, 10)
	conn.Signal(signals)
	d.conn, d.shown = conn, map[uint32]notice{}
	d.wait.Go(func() {
		for signal := range signals {
			d.handle(signal)
		}
	})
	return nil
}

// handle handles a press on a notification, and its end. Signals of others than the service do not arrive.
func (d *Desktop) handle(signal *dbus.Signal) {
	if len(signal.Body) != 2 {
		return
	}
	id, _ := signal.Body[0].(uint32)
	action, _ := signal.Body[1].(string)
	d.mu.Lock()
	about := d.shown[id]
	q, answer := about.question, event.AnswerDeny
	if q != nil && action == actionOf(event.AnswerOnce, *q) {
		answer = event.AnswerOnce
	}
	answers := q != nil && answerable(*q) && action == actionOf(answer, *q)
	shows := action == "default" && about.conversation != ""
	if signal.Name != service+".ActionInvoked" || answers || shows {
		delete(d.shown, id)
	}
	d.mu.Unlock()
	switch {
	case signal.Name != service+".ActionInvoked":
	case shows:
		d.cfg.Show(about.conversation)
	case answers:
		ctx, cancel := context.WithTimeout(d.ctx, time.Minute)
		defer cancel()
		if err := d.cfg.Answer(ctx, q.ID, answer, "", q.Hash); err != nil {
			d.cfg.Log.Info("an answer in a notification changed nothing", "err", err)
		}
	}
}
