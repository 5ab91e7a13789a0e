package policy

import (
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func (in Input) card(c toolspec.Card) Input { in.Card = &c; return in.alone() }

func TestCardIsAnAllowanceAndALimit(t *testing.T) {
	card := toolspec.Card{
		Tools: []string{"click_element", "navigate_page", "type_text", "write_file"},
		Hosts: []string{"shop.example"}, PageEffects: []string{"send"},
		Files: []string{"/home/ana/flat/out", "/srv/list.csv"}, Commands: []string{"make report"},
		Secrets: []string{"shop"},
	}
	press := pageCall("click_element", `{"annotationId":1}`).hosts("shop.example")
	effect := func(in Input, e toolspec.PageEffect) Input { in.Description.PageEffect = e; return in }
	file := func(use toolspec.Use, path string) Input {
		in := baselineCall("files", "write_file", `{}`, toolspec.Hints{})
		in.Description.Files = []toolspec.FileUse{{Path: path, Use: use}}
		return in
	}
	command := baselineCall("shell", "bash", `{}`, toolspec.Hints{}).about("make report", "")
	command.Description.RunsProgram = true
	command.Description.Commands = []toolspec.CommandUse{{Program: "make"}}
	secret := func(name string) Input {
		in := press
		in.Description.Secrets = []toolspec.SecretUse{{Name: name, Place: "field", Origin: "https://shop.example"}}
		return in
	}
	look := baselineCall("environment", "annotate_page", `{}`, toolspec.Hints{ReadOnly: true})
	typing := pageCall("type_text", `{}`).hosts("shop.example").about("", "hi").read("evil.example")
	panel := externalCall(toolspec.OriginPanel, "notes_save", "notes", `{}`, toolspec.Hints{})
	for name, c := range map[string]struct {
		in   Input
		want string // "" for allowed
	}{
		"a press":                    {press, ""},
		"a press that sends":         {effect(press, toolspec.PageSend), ""},
		"a press that pays":          {effect(press, toolspec.PagePay), "seems to pay"},
		"a recipe's press that pays": {effect(press, toolspec.PagePay).caller(toolspec.CallerRun), ""},
		"another host":               {press.hosts("evil.example"), "the host evil.example"},
		"two hosts":                  {press.hosts("shop.example", "evil.example"), "the host evil.example"},
		"another tool":               {pageCall("press_key", `{}`).hosts("shop.example"), "the tool press_key"},
		"reading elsewhere":          {look.hosts("evil.example"), "the host evil.example"},
		"reading":                    {look.hosts("shop.example"), ""},
		"another host in mode Full":  {press.hosts("evil.example").mode(ModeFull), "the host evil.example"},
		"another tool in mode Full":  {panel.mode(ModeFull), "the tool notes_save"},
		"in mode Read-only": {
			file(toolspec.UseWrite, "/home/ana/flat/out/a").mode(ModeReadOnly), "mode is Read-only",
		},
		"a file in a listed folder": {file(toolspec.UseWrite, "/home/ana/flat/out/a.txt"), ""},
		"a file beside it": {
			file(toolspec.UseWrite, "/home/ana/flat/o.txt"), "the file /home/ana/flat/o.txt",
		},
		"deleting a file":             {file(toolspec.UseDelete, "/home/ana/flat/x"), "the file /home/ana/flat/x"},
		"reading in the folder":       {file(toolspec.UseRead, "/home/ana/flat/x"), ""},
		"reading elsewhere on disk":   {file(toolspec.UseRead, "/home/ana/mail"), "the file /home/ana/mail"},
		"reading a listed file":       {file(toolspec.UseRead, "/srv/list.csv"), ""},
		"a command":                   {command, "the tool bash"},
		"a listed secret":             {secret("shop"), ""},
		"another secret":              {secret("bank"), "the secret bank"},
		"typing after reading others": {typing, "This turn read evil.example"},
		"a recipe that does so":       {typing.caller(toolspec.CallerRun), ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := c.in.card(card)
			if c.want == "" {
				wantVerdict(t, in, VerdictAllow)
				return
			}
			d := wantVerdict(t, in, VerdictRefuse)
			if !strings.Contains(d.Reason, c.want) {
				t.Errorf("the reason is %q, want %q", d.Reason, c.want)
			}
			if d.Parks != (name != "in mode Read-only") {
				t.Errorf("Parks is %v", d.Parks)
			}
		})
	}
	asking := press.card(card)
	asking.Settings.AskTools = []string{"click_element"}
	if d := wantVerdict(t, asking, VerdictRefuse); !d.Parks || d.Approval.Question == "" {
		t.Errorf("a tool that asks every time: %+v", d)
	}
	always := grantFor(t, Decide(typing), "always")
	always.ID = "g1"
	if d := wantVerdict(t, typing.card(card).with(always), VerdictAllow); d.GrantID != "g1" {
		t.Errorf("allowed for good: %+v", d)
	}
	wantVerdict(t, typing.hosts("evil.example").card(card).with(always), VerdictRefuse)
}

func TestCardBeyond(t *testing.T) {
	card := toolspec.Card{Tools: []string{"a"}, Hosts: []string{"x"}, Files: []string{"/srv"}, Acts: 1}
	same := toolspec.Card{Tools: []string{"a"}, Hosts: []string{"x"}, Files: []string{"/srv/a"}, Acts: 9}
	if beyond := card.Beyond(same); len(beyond) > 0 {
		t.Errorf("%q", beyond)
	}
	more := toolspec.Card{Tools: []string{"b"}, Hosts: []string{"y"}, Files: []string{"/srv2"}, Commands: []string{"c"}}
	const want = "the tool b; the host y; the command c; the file /srv2"
	if beyond := strings.Join(card.Beyond(more), "; "); beyond != want {
		t.Errorf("%q", beyond)
	}
	if beyond := card.Plus(more).Beyond(more); len(beyond) > 0 {
		t.Errorf("the sum lacks %q", beyond)
	}
}
