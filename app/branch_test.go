package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// parted is a conversation that a program holds over HTTP.
type parted struct {
	t     *testing.T
	sys   *System
	flags map[string]string
	id    string
}

func part(t *testing.T, answer func(openaitest.Request) openaitest.Answer) *parted {
	t.Helper()
	model, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	model.Answer = answer
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
	t.Setenv("SEXTANT_DIALECTS", "openai/a=native, openai/b=native")
	// Wide enough for all tools: else the panel in front tells its own in a message, and the model answers that.
	t.Setenv("SEXTANT_CONTEXT_WINDOW", "1000000")
	p := &parted{t: t, flags: testFlags(t)}
	p.sys = openWith(t, p.flags, OpenOptions{Serve: true})
	var talk chat.Conversation
	status, body := clientOf(t, p.sys).do("POST", "/api/conversations", map[string]string{})
	if err := json.Unmarshal(body, &talk); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	p.id = talk.ID
	return p
}

// send sends a request below the conversation, which has to be answered with status want.
func (p *parted) send(want int, method, path string, body, into any) {
	p.t.Helper()
	status, answer := clientOf(p.t, p.sys).do(method, "/api/conversations/"+p.id+path, body)
	if status != want {
		p.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		p.t.Fatal(err)
	}
}

// said are the messages of the branch that is shown, once no turn runs.
func (p *parted) said() (list []chat.Message, texts string) {
	p.t.Helper()
	for limit := time.Now().Add(20 * time.Second); p.sys.Loop.IsRunning(p.id); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatal("the turn does not end")
		}
	}
	list, err := p.sys.Store.Messages(p.t.Context(), p.id)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range list {
		texts += m.Text + " | "
	}
	return list, texts
}

// began are the branches that the conversation's events tell of.
func (p *parted) began() (list []event.Branch) {
	p.t.Helper()
	var read wire.Transcript
	p.send(http.StatusOK, "GET", "", nil, &read)
	for _, e := range read.Events {
		if e.Kind != event.BranchStarted {
			continue
		}
		var b event.Branch
		if err := json.Unmarshal(e.Data, &b); err != nil {
			p.t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

type asks map[string]string

func TestBranchStartedOverHTTPSurvivesARestart(t *testing.T) {
	p := part(t, func(r openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: r.Model + " to " +
			r.LastContent()}
	})
	p.send(http.StatusAccepted, "POST", "/messages", asks{"text": "one", "model": "openai/a"}, nil)
	list, _ := p.said()
	first := list[0].ID
	var turn struct{ Turn string }
	p.send(http.StatusAccepted, "POST", "/branches", asks{"message": first, "text": "other one", "model": "openai/a"},
		&turn)
	list, texts := p.said()
	if turn.Turn == "" || texts != "other one | a to other one | " {
		t.Fatalf("edited: %s", texts)
	}
	other := list[0].ID
	p.send(http.StatusAccepted, "POST", "/branches", asks{"message": other, "model": "openai/b"}, nil)
	if _, texts = p.said(); texts != "other one | b to other one | " {
		t.Fatalf("answered again: %s", texts)
	}
	began := p.began()
	if len(began) != 2 || began[0].Replaces != first || began[0].After != "" || began[1].After != other ||
		began[1].Replaces != "" {
		t.Fatalf("got %+v", began)
	}
	p.send(http.StatusNoContent, "PUT", "/branch", asks{"branch": began[0].ID}, nil)
	p.sys.Close()
	p.sys = openWith(t, p.flags, OpenOptions{Serve: true})
	if _, texts = p.said(); texts != "other one | a to other one | " {
		t.Fatalf("after a restart: %s", texts)
	}
}

func TestBranchThatCannotStartChangesNothing(t *testing.T) {
	asked, hold := make(chan struct{}, 1), make(chan struct{})
	p := part(t, func(r openaitest.Request) openaitest.Answer {
		if strings.HasPrefix(r.LastContent(), "wait") {
			asked <- struct{}{}
			<-hold
		}
		return openaitest.Answer{Text: "to " + r.LastContent()}
	})
	p.send(http.StatusAccepted, "POST", "/messages", asks{"text": "one", "model": "openai/a"}, nil)
	list, _ := p.said()
	first := list[0].ID
	p.send(http.StatusAccepted, "POST", "/branches", asks{"message": first, "text": "other", "model": "openai/a"}, nil)
	list, _ = p.said()
	mine := list[0].ID

	p.send(http.StatusNotFound, "POST", "/branches", asks{"message": first}, nil)
	p.send(http.StatusNotFound, "PUT", "/branch", asks{"branch": "none"}, nil)
	p.send(http.StatusBadRequest, "POST", "/branches", asks{"message": mine, "text": "  "}, nil)
	p.send(http.StatusAccepted, "POST", "/messages", asks{"text": "wait", "model": "openai/a"}, nil)
	<-asked
	p.send(http.StatusConflict, "PUT", "/branch", asks{"branch": ""}, nil)
	p.send(http.StatusConflict, "POST", "/branches", asks{"message": mine}, nil)
	p.send(http.StatusConflict, "POST", "/branches", asks{"message": mine, "text": "third"}, nil)
	close(hold)
	if _, texts := p.said(); texts != "other | to other | wait | to wait | " || len(p.began()) != 1 {
		t.Fatalf("said: %s", texts)
	}
	if status, body := clientOf(t, p.sys).do("PUT", "/api/conversations/none/branch",
		asks{"branch": ""}); status != http.StatusNotFound {
		t.Errorf("no conversation: %d %s", status, body)
	}
}
