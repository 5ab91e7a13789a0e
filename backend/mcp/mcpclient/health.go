package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/servertext"
)

const (
	localInterval  = 30 * time.Second
	remoteInterval = 2 * time.Minute
	// After maxMissed checks in a row without an answer, a server without running calls counts as down.
	checkLimit = 10 * time.Second
	maxMissed  = 3
)

// pause has jitter, so that servers that failed together do not restart together.
func (t *timing) pause(failures int) time.Duration {
	longest := min(t.firstPause<<min(failures, 20), t.maxPause)
	return longest/2 + rand.N(longest/2+1) //nolint:gosec // nobody gains by guessing it
}

func (v *server) checkSoon() {
	select {
	case v.checkNow <- struct{}{}:
	default:
	}
}

func (v *server) watchSession(
	ctx context.Context, conn *connection, session *sdk.ClientSession, group *sessionGroup, closed <-chan error,
) error {
	interval := v.owner.cfg.checkInterval
	if interval == 0 {
		interval = remoteInterval
		if conn.process != nil {
			interval = localInterval
		}
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	// A check runs in a goroutine, because the end of the session must be noticed meanwhile.
	var checking chan error
	v.set(func() { v.missedChecks = 0 })
	listIsLate := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-conn.ended():
			return v.sessionEnded(conn, nil)
		case err := <-closed:
			return v.sessionEnded(conn, err)
		case <-v.relistNow:
			var err error
			if listIsLate, err = v.relist(ctx, session); err != nil {
				return v.sessionEnded(conn, fmt.Errorf("asking for its tools again: %w", err))
			}
		case <-v.checkNow:
			checking = v.startCheck(session, group, checking)
		case <-ticker.C:
			checking = v.startCheck(session, group, checking)
		case err := <-checking:
			checking = nil
			if err == nil && listIsLate {
				v.relistSoon()
			}
			if missed := v.checked(err); missed >= maxMissed && v.calls.IsIdle() {
				return v.sessionEnded(conn, fmt.Errorf("it has not answered %d times", missed))
			}
		}
	}
}

// relist keeps the session of a server that is late with its tools, because it may be busy.
func (v *server) relist(ctx context.Context, session *sdk.ClientSession) (late bool, err error) {
	limit, cancel := context.WithTimeout(ctx, v.owner.cfg.relistLimit)
	defer cancel()
	if err = v.list(limit, session); err != nil {
		if limit.Err() == nil || ctx.Err() != nil {
			return false, err
		}
		v.log.Info("MCP server is late with its tools", "err", err)
		v.checkSoon()
		return true, nil
	}
	v.owner.publish()
	return false, nil
}

func (v *server) startCheck(session *sdk.ClientSession, group *sessionGroup, running chan error) chan error {
	if running != nil {
		return running
	}
	result := make(chan error, 1)
	group.goDo(func() {
		ctx, cancel := context.WithTimeout(group.ctx, v.owner.cfg.checkLimit)
		defer cancel()
		answered := make(chan error, 1)
		group.goDo(func() { answered <- noAnswer(check(ctx, session)) })
		select {
		case err := <-answered:
			result <- err
		case <-ctx.Done():
			result <- ctx.Err()
		}
	})
	return result
}

func check(ctx context.Context, session *sdk.ClientSession) error {
	if initialized := session.InitializeResult(); initialized == nil ||
		initialized.ProtocolVersion < statelessRevision {
		return session.Ping(ctx, nil)
	}
	// This revision has no ping. The SDK does not answer a custom method from its cache.
	_, err := sdk.CallCustomMethod[*sdk.ListToolsParams, *sdk.ListToolsResult](ctx, session, "tools/list",
		&sdk.ListToolsParams{})
	return err
}

// noAnswer returns nil for an error response, which is an answer: small servers do not support ping.
func noAnswer(err error) error {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code != codeUndelivered {
		return nil
	}
	return err
}

func (v *server) checked(err error) (missed int) {
	state, why := stateReady, ""
	if err != nil {
		state, why = stateDegraded, servertext.Sentence("it does not answer: "+err.Error())
	}
	changed := false
	v.set(func() {
		if v.missedChecks++; err == nil {
			v.missedChecks = 0
		}
		missed = v.missedChecks
		if v.session != nil && v.state != state {
			v.state, v.err, changed = state, why, true
		}
	})
	if err != nil && missed < maxMissed {
		v.checkSoon()
	}
	if changed {
		v.log.Info("the state of an MCP server changed", "state", state, "err", err)
		v.owner.publish()
	}
	return missed
}

func (v *server) disconnect(conn *connection, session *sdk.ClientSession) {
	if session == nil {
		conn.close()
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close()
	}()
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-closed:
	case <-conn.ended():
	case <-timer.C:
	}
	conn.close()
	<-closed
}
