package mcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// nearby and afar are how often a server is looked at: a process of ours, one over the network.
	nearby = 30 * time.Second
	afar   = 2 * time.Minute
	// lookLimit is how long it may take to answer then; enough is after how many silences it counts
	// as down.
	lookLimit = 10 * time.Second
	enough    = 3
)

// pause is how long a server rests after so many failures in a row: twice as long each time, less by
// chance, so that those that fell together do not rise together.
func (c *Config) pause(failures int) time.Duration {
	most := min(c.firstPause<<min(failures, 20), c.mostPause)
	return most/2 + rand.N(most/2+1) //nolint:gosec // nobody gains by guessing it
}

// look asks for a look at the server, soon.
func (v *server) look() {
	select {
	case v.unwell <- struct{}{}:
	default:
	}
}

// serve is the life of a session that runs: it returns why it ended.
func (v *server) serve(ctx context.Context, link *link, session *sdk.ClientSession, asking *crowd, closed <-chan error) error {
	every := v.owner.cfg.looks
	if every == 0 {
		every = afar
		if link.process != nil {
			every = nearby
		}
	}
	rounds := time.NewTicker(every)
	defer rounds.Stop()
	// A look may take as long as the server is silent, and its end must be seen meanwhile.
	var looking chan error
	v.set(func() { v.silences = 0 })
	late := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-link.done():
			return v.over(link, nil)
		case err := <-closed:
			return v.over(link, err)
		case <-v.stale:
			var err error
			if late, err = v.relist(ctx, session); err != nil {
				return v.over(link, fmt.Errorf("asking for its tools again: %w", err))
			}
		case <-v.unwell:
			looking = v.begin(session, asking, looking)
		case <-rounds.C:
			looking = v.begin(session, asking, looking)
		case err := <-looking:
			looking = nil
			if err == nil && late {
				v.again()
			}
			if silences := v.felt(err); silences >= enough && v.flying.none() {
				return v.over(link, fmt.Errorf("it has not answered %d times", silences))
			}
		}
	}
}

// relist asks for the tools again. A server that is busy may be late with them: that is no end, but a
// reason to look at it.
func (v *server) relist(ctx context.Context, session *sdk.ClientSession) (late bool, err error) {
	limit, cancel := context.WithTimeout(ctx, v.owner.cfg.relistLimit)
	defer cancel()
	if err = v.list(limit, session); err != nil {
		if limit.Err() == nil || ctx.Err() != nil {
			return false, err
		}
		v.log.Info("MCP server is late with its tools", "error", err)
		v.look()
		return true, nil
	}
	v.owner.publish()
	return false, nil
}

// begin looks at the server, unless that is being done.
func (v *server) begin(session *sdk.ClientSession, asking *crowd, looking chan error) chan error {
	if looking != nil {
		return looking
	}
	looking = make(chan error, 1)
	asking.enter(func() {
		ctx, cancel := context.WithTimeout(asking.life, v.owner.cfg.lookLimit)
		defer cancel()
		came := make(chan error, 1)
		asking.enter(func() {
			if is := session.InitializeResult(); is != nil && is.ProtocolVersion >= modern {
				// There is no ping any more; the list is what every server has to know. Asked as a
				// custom method, it is not answered from what the SDK keeps of an earlier one.
				_, err := sdk.CallCustomMethod[*sdk.ListToolsParams, *sdk.ListToolsResult](ctx, session, "tools/list", &sdk.ListToolsParams{})
				came <- silence(err)
				return
			}
			came <- silence(session.Ping(ctx, nil))
		})
		select {
		case err := <-came:
			looking <- err
		case <-ctx.Done():
			looking <- ctx.Err()
		}
	})
	return looking
}

// silence is err where it means that no answer came: one that refuses is an answer, and small servers
// know no ping.
func silence(err error) error {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code != codeUndelivered {
		return nil
	}
	return err
}

// felt takes over how a look went, and returns how many went badly in a row. One that has calls to
// work on may be busy with them and no more than that.
func (v *server) felt(err error) (silences int) {
	state, why := stateReady, ""
	if err != nil {
		state, why = stateDegraded, sentence("it does not answer: "+err.Error())
	}
	changed := false
	v.set(func() {
		if v.silences++; err == nil {
			v.silences = 0
		}
		silences = v.silences
		if v.session != nil && v.state != state {
			v.state, v.err, changed = state, why, true
		}
	})
	if err != nil && silences < enough {
		v.look() // not a whole round later
	}
	if changed {
		v.log.Info("MCP server", "state", state, "error", err)
		v.owner.publish()
	}
	return silences
}

// part ends a session and what it runs on. A server that does not take part is not waited for.
func (v *server) part(link *link, session *sdk.ClientSession) {
	if session == nil {
		link.close()
		return
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = session.Close()
	}()
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-over:
	case <-link.done():
	case <-timer.C:
	}
	link.close()
	<-over
}
