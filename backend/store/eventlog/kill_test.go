package eventlog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// victimEnv makes this test binary the process that is killed. Its value is the database's path.
const victimEnv = "SEXTANT_TEST_VICTIM"

func isVictim() bool { return os.Getenv(victimEnv) != "" }

// runVictim publishes an answer and prints the number of every acknowledged event, until it is killed.
func runVictim() {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, os.Getenv(victimEnv), quiet())
	if err != nil {
		fmt.Println("error", err)
		return
	}
	r, err := New(ctx, s, quiet())
	if err != nil {
		fmt.Println("error", err)
		return
	}
	say := func(e event.Event) {
		stored, err := r.Publish(ctx, e)
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(stored[0].Seq)
	}
	conversation := chat.Conversation{ID: "c", Title: "t", Status: chat.StatusRunning}
	say(event.New(event.ConversationCreated, conversation).InTurn("c", ""))
	say(event.New(event.TurnStarted, event.Turn{ID: "t"}).InTurn("c", "t"))
	say(event.New(event.MessageAdded, chat.Message{
		ID: "m", Role: chat.RoleAssistant,
		Status: chat.StatusRunning,
	}).InTurn("c", "t"))
	for i := 0; ; i++ {
		say(delta("m", fmt.Sprintf("%d ", i)))
	}
}

func TestAcknowledgedEventsSurviveKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{4, 57, 203} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sextant.db")
			victim := exec.Command(self)
			victim.Env = append(os.Environ(), victimEnv+"="+path)
			out, err := victim.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			acknowledged := int64(0)
			for lines := bufio.NewScanner(out); acknowledged < after && lines.Scan(); {
				if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
					t.Fatalf("the victim said %q", lines.Text())
				}
			}
			if err := victim.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = victim.Wait()
			survived(t, path, acknowledged)
		})
	}
}

func survived(t *testing.T, path string, acknowledged int64) {
	t.Helper()
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := s.EventsOfConversation(ctx, "c")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, e := range events {
		if e.Kind == event.TextDelta {
			text.WriteString(textOf(t, e).Text)
		}
	}
	last := events[len(events)-1]
	if int64(len(events)) <= acknowledged || last.Kind != event.TurnEnded {
		t.Fatalf("%d events after %d were acknowledged, the last is %s", len(events), acknowledged, last.Kind)
	}
	all, err := s.Messages(ctx, "c")
	if err != nil || len(all) != 1 || all[0].Text != text.String() || all[0].Status != chat.StatusInterrupted {
		t.Fatalf("log and table differ: %q, %+v, %v", text.String(), all, err)
	}
	if c, err := s.Conversation(ctx, "c"); err != nil || c.Status != chat.StatusInterrupted {
		t.Fatalf("%+v, %v", c, err)
	}
	r, err := New(ctx, s, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if next := publish(t, r, panel("on")); next[0].Seq != last.Seq+1 {
		t.Fatalf("it goes on with %d after %d", next[0].Seq, last.Seq)
	}
}
