package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// traces is how many random conversations are tried.
const traces = 100_000

// chance draws calls from small alphabets, so that they often have something in common.
type chance struct{ *rand.Rand }

func (c chance) one(of ...string) string { return of[c.IntN(len(of))] }

func (c chance) rarely(n int) bool { return c.IntN(n) == 0 }

func (c chance) some(most int, of ...string) []string {
	var all []string
	for range c.IntN(most + 1) {
		if s := c.one(of...); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// call draws one call, half of them of tools that describe their effects.
func (c chance) call() Input {
	var in Input
	switch {
	case !c.rarely(2):
		in = c.effectCall()
	default:
		origin := toolspec.Origin(c.one("baseline", "panel", "mcp", "created"))
		in = externalCall(origin, c.one("a", "b"), c.one("", "x"), `{"n":`+c.one("1", "2")+`}`, toolspec.Hints{
			ReadOnly: c.rarely(3), Destructive: c.rarely(2), OpenWorld: c.rarely(2), Confirm: c.rarely(3),
		})
		in.Definition.Group = c.one("environment", "web", "feedback")
		in.Description.Target, in.Description.Data = c.one("", "t", "u"), c.one("", "d")
		in.Description.Hosts = c.some(2, "a.example", "b.example")
	}
	from := &in.Call.From
	from.Caller, from.Client = toolspec.Caller(c.one("model", "model", "model", "person", "mcp", "run")),
		c.one("", "", "editor")
	from.Conversation, from.Interactive = c.one("talk", "talk", "other", ""), !c.rarely(6)
	if c.rarely(4) {
		from.Outside = c.some(2, "https://a.example", "file:x")
	}
	if c.rarely(12) {
		in.Description.CopiedFrom = []string{"file"}
	}
	in.Settings.Mode, in.Settings.Folder = Mode(c.one("read-only", "ask", "ask", "workspace", "full")),
		c.one("/f", "/f", "/g")
	in.UsedHosts = c.some(1, "a.example")
	return in
}

func (c chance) effectCall() Input {
	in := baselineCall("files", c.one("write_file", "read_file"), `{"path":"`+c.one("p", "q")+`"}`,
		toolspec.Hints{Destructive: c.rarely(2)})
	if c.rarely(2) {
		in = baselineCall("shell", "bash", `{"command":"`+c.one("x", "y")+`"}`, toolspec.Hints{Destructive: true})
		in.Description.RunsProgram, in.Description.Sentence = true, "Run it"
		for range 1 + c.IntN(2) {
			use := toolspec.CommandUse{Program: c.one("ls", "go test", "go vet", ""), Harmless: c.rarely(3)}
			if !use.Harmless && !c.rarely(3) {
				use.Name = use.Program
			}
			in.Description.Commands = append(in.Description.Commands, use)
		}
		in.Description.Warnings = c.some(1, "w", "v")
		if in.Description.Network = c.rarely(5); in.Description.Network {
			in.Description.Hosts = c.some(2, "a.example", "b.example")
		}
		if c.rarely(12) {
			in.Description.Unconfined = "no sandbox"
		}
	}
	for range c.IntN(3) + map[bool]int{true: 0, false: 1}[in.Description.RunsProgram] {
		u := toolspec.FileUse{
			Path: c.one("/f/p", "/f/q", "/g/p", "/usr/x", "/f2/p"),
			Use:  toolspec.Use(c.one("read", "read", "write", "write", "delete")),
		}
		if c.rarely(10) {
			u.Sensitive = "a sensitive place"
		}
		in.Description.Files = append(in.Description.Files, u)
	}
	in.Description.Target = c.one("t", "u")
	return in
}

// TestStoredGrantsOverRandomTraces plays a person who answers
// what is asked, then asks for the same again and for something else.
func TestStoredGrantsOverRandomTraces(t *testing.T) {
	asked, again, covered, refused := 0, 0, 0, 0
	for seed := range uint64(traces) {
		c := chance{rand.New(rand.NewPCG(seed, 4))}
		in := c.call()
		d := Decide(in)
		if d.Verdict != VerdictAsk {
			continue
		}
		asked++
		for answer, g := range d.Grants {
			g.ID = string(answer)
			same := in.with(g)
			same.Call.ID, same.Call.From.Turn = "c2", "t2"
			if got := Decide(same); got.Verdict != VerdictAllow || got.GrantID != string(answer) {
				t.Fatalf("seed %d: granted %q, but it asks again: %s %s", seed, g.Text, got.Verdict, got.Reason)
			}
			again++
			other := c.call()
			if !c.rarely(2) {
				other = c.near(in)
			}
			without, with := Decide(other), Decide(other.with(g))
			if with.Verdict != without.Verdict {
				covered++
				if with.Verdict != VerdictAllow || with.GrantID != string(answer) {
					t.Fatalf("seed %d: %q changed %s to %s", seed, g.Text, without.Verdict, with.Verdict)
				}
				if wider := coverageError(in, other, answer, g); wider != "" {
					t.Fatalf("seed %d: %q covers %s\n%+v", seed, g.Text, wider, other)
				}
			}
			rule := toolspec.Grant{ID: "rule", Scope: toolspec.GrantForbid, Tool: in.Call.Tool, Text: "never"}
			if got := Decide(in.with(g, rule)); got.Verdict != VerdictRefuse || got.GrantID != "rule" {
				t.Fatalf("seed %d: a rule against %s does not win over %q", seed, in.Call.Tool, g.Text)
			}
			refused++
		}
	}
	t.Logf(
		"%d traces: %d questions, %d answers stored and not asked again, %d other calls covered, %d refused by a rule",
		traces,
		asked,
		again,
		covered,
		refused,
	)
	if asked < traces/4 || covered < traces/20 {
		t.Fatalf("too few calls were asked about, covered or refused")
	}
}

// near draws a call that is similar to in.
func (c chance) near(in Input) Input {
	other := c.call()
	for range 1 + c.IntN(3) {
		switch c.IntN(6) {
		case 0:
			in.Call.Args = other.Call.Args
		case 1:
			in.Call.From = other.Call.From
		case 2:
			in.Settings = other.Settings
		case 3:
			in.Description.Files = other.Description.Files
		case 4:
			in.Description.Commands = other.Description.Commands
		case 5:
			in.Description.Hosts, in.Description.Network = other.Description.Hosts, other.Description.Network
		}
	}
	return in
}

// coverageError says how a covered call exceeds the text of the grant, "" when it does not. It reads the text and the
// two calls, and uses none of the policy's own rules.
func coverageError(asked, other Input, answer event.Answer, g toolspec.Grant) string {
	d := other.Description
	folder := other.Settings.Folder + "/"
	ofFiles := g.Kind == toolspec.GrantFile || g.Kind == toolspec.GrantFolder
	switch {
	case other.Definition.Owner != asked.Definition.Owner:
		return "another owner"
	case other.Call.Tool != asked.Call.Tool &&
		(g.Kind == "" || g.Kind == toolspec.GrantTool || other.Definition.Group != asked.Definition.Group):
		return "another tool"
	case strings.Contains(g.Text, "in this conversation") &&
		other.Call.From.Conversation != asked.Call.From.Conversation:
		return "another conversation"
	case strings.Contains(g.Text, " in /") && !ofFiles && !strings.Contains(g.Text, " in "+other.Settings.Folder):
		return "another folder"
	}
	for _, h := range d.Hosts {
		if !slices.Contains(asked.Description.Hosts, h) {
			return "the host " + h
		}
	}
	outside := other.Call.From.Outside
	inFolder := !slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool {
		return !strings.HasPrefix(u.Path, folder) && !strings.HasPrefix(u.Path, "/usr/")
	})
	if other.Call.From.Caller == toolspec.CallerPerson || ofFiles && inFolder {
		outside = nil
	}
	for _, source := range outside {
		if !slices.Contains(asked.Call.From.Outside, source) {
			return "the text of " + source
		}
	}
	if strings.HasPrefix(g.Text, "Exactly this") && string(other.Call.Args) != string(asked.Call.Args) {
		return "other arguments"
	}
	if !other.hasEffects() {
		return ""
	}
	if d.Unconfined != "" {
		return "what runs outside of the sandbox"
	}
	ofProgram := answer == event.AnswerSameProgram || answer == event.AnswerProgram
	for _, u := range d.Files {
		below := func(p string) bool { return u.Path == p || strings.HasPrefix(u.Path, p+"/") }
		harmless := u.Use == toolspec.UseRead &&
			(strings.HasPrefix(u.Path, folder) || strings.HasPrefix(u.Path, "/usr/"))
		switch {
		case u.Sensitive != "":
			return "a sensitive place"
		case (ofProgram || ofFiles) && u.Use == toolspec.UseDelete:
			return "a delete"
		case ofProgram && u.Use == toolspec.UseWrite && !strings.HasPrefix(u.Path, folder):
			return "a write outside"
		case ofFiles && !harmless && (u.Use != g.Use || !slices.ContainsFunc(g.Paths, below) ||
			g.Kind == toolspec.GrantFile && !slices.Contains(g.Paths, u.Path)):
			return fmt.Sprintf("%s of %s", u.Use, u.Path)
		case !ofProgram && !ofFiles && !slices.Contains(asked.Description.Files, u):
			return fmt.Sprintf("%s of %s", u.Use, u.Path)
		}
	}
	for _, c := range d.Commands {
		program, _, _ := strings.Cut(c.Program, " ")
		switch {
		case answer == event.AnswerSameProgram && !c.Harmless && !strings.Contains(g.Text, "“"+c.Program+" …”"),
			answer == event.AnswerProgram && !c.Harmless && !strings.HasPrefix(g.Text, "Every "+program+" command "):
			return "the program " + c.Program
		}
	}
	return ""
}

// hasEffects repeats facts.describesEffects, independently of it.
func (in Input) hasEffects() bool {
	return (in.Definition.Group == "shell" || in.Definition.Group == "files") &&
		(in.Description.RunsProgram || len(in.Description.Files) > 0)
}
