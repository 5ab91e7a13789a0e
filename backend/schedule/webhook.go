package schedule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"

	"sextant/shared/schedule"
)

// ErrToken means that a token is not that of a webhook.
var ErrToken = errors.New("there is no schedule with this address and token")

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewToken makes a new token for the webhook of a schedule and returns it. Only its hash is stored. The token before it
// is no longer valid.
func (s *Schedules) NewToken(ctx context.Context, id string) (string, error) {
	token := rand.Text()
	return token, s.change(ctx, id, func(one *schedule.Schedule) error {
		if !one.When.Webhook {
			return errors.New("it does not run when a program calls it")
		}
		one.TokenHash = hash(token)
		return nil
	})
}

// Call adds a run because a program called the webhook of a schedule. A call during a run leads to one more run after
// it, and further ones to none: they return the run that waits. The error is ErrToken for a wrong token; it can be read
// by a person.
func (s *Schedules) Call(ctx context.Context, id, token string) (schedule.Run, error) {
	one, err := s.Get(id)
	stored := one.TokenHash
	if err != nil || !one.When.Webhook || stored == "" ||
		subtle.ConstantTimeCompare([]byte(hash(token)), []byte(stored)) != 1 {
		return schedule.Run{}, ErrToken
	}
	switch {
	case one.Card == nil:
		return schedule.Run{}, ErrUnsigned
	case one.Paused != "":
		return schedule.Run{}, ErrPaused
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	open, err := s.cfg.Store.OpenRuns(ctx)
	if err != nil {
		return schedule.Run{}, err
	}
	waits := func(r schedule.Run) bool { return r.Schedule == id && r.Status == schedule.StatusQueued }
	if i := slices.IndexFunc(open, waits); i >= 0 {
		return open[i], nil
	}
	r := s.newRun(one)
	r.Slot = r.Queued
	if err := s.cfg.Store.AddRun(ctx, r); err != nil {
		return schedule.Run{}, err
	}
	s.wakeClock()
	return r, nil
}
