package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const flat = "/home/ana/flat"

// bash is a call that runs a command line, as guard/shell would tell it.
func bash(command string, commands ...toolspec.CommandUse) Input {
	in := ours("shell", "bash", `{"command":`+quoted(command)+`}`, toolspec.Hints{Destructive: true})
	in.Description = toolspec.Description{Present: "Run it", Target: command, RunsProgram: true, Commands: commands}
	return in
}

func looks(program string) toolspec.CommandUse {
	return toolspec.CommandUse{Program: program, Harmless: true}
}

func named(name string) toolspec.CommandUse { return toolspec.CommandUse{Program: name, Name: name} }

func (in Input) uses(use toolspec.Use, paths ...string) Input {
	for _, p := range paths {
		in.Description.Files = append(in.Description.Files[:len(in.Description.Files):len(in.Description.Files)],
			toolspec.FileUse{Path: p, Use: use})
	}
	return in
}

func (in Input) warned(warnings ...string) Input { in.Description.Warnings = warnings; return in }

func (in Input) network(hosts ...string) Input {
	in.Description.Network, in.Description.Hosts = true, hosts
	return in
}

func (in Input) sensitive(what string) Input {
	in.Description.Files = append([]toolspec.FileUse{}, in.Description.Files...)
	in.Description.Files[0].Sensitive = what
	return in
}

func (in Input) unconfined() Input {
	in.Description.Unconfined = "this system has no Landlock"
	return in
}

func file(tool string, use toolspec.Use, path string) Input {
	in := ours("files", tool, `{"path":`+quoted(path)+`}`,
		toolspec.Hints{ReadOnly: use == toolspec.UseRead, Destructive: use == toolspec.UseDelete})
	return in.about(path, "").uses(use, path)
}

func TestAHarmlessCommandRunsFreelyInTheSandbox(t *testing.T) {
	in := bash("grep -rn x .", looks("grep")).uses(toolspec.UseRead, flat, "/usr/include/a.h")
	for _, mode := range []Mode{ReadOnly, Ask, Workspace, Full} {
		comesTo(t, in.mode(mode), Allow)
		comesTo(t, in.mode(mode).alone(), Allow)
	}
	comesTo(t, in.read("https://shop.example"), Allow)
	for _, mode := range []Mode{ReadOnly, Ask, Workspace, Full} {
		d := comesTo(t, in.mode(mode).unconfined(),
			map[Mode]Verdict{ReadOnly: Refuse, Ask: Question, Workspace: Question, Full: Question}[mode])
		if mode != ReadOnly && !strings.Contains(d.Approval.Why, "no Landlock") {
			t.Errorf("%s does not say why: %q", mode, d.Approval.Why)
		}
	}
}

func TestWhatACommandChangesDecidesWhereItAsks(t *testing.T) {
	write := bash("touch a", named("touch")).uses(toolspec.UseWrite, flat+"/a")
	remove := bash("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a")
	away := bash("touch /srv/a", named("touch")).uses(toolspec.UseWrite, "/srv/a")
	peek := bash("cat ~/tax.pdf", looks("cat")).uses(toolspec.UseRead, "/home/ana/tax.pdf")
	unread := bash("$x", toolspec.CommandUse{}).warned("“$x” decides what runs")
	net := bash("curl a.example", toolspec.CommandUse{Program: "curl"}).network("a.example")
	blind := bash("git pull", toolspec.CommandUse{Program: "git pull"}).network()
	q, r, a := Question, Refuse, Allow
	for name, c := range map[string]struct {
		in                             Input
		readOnly, ask, workspace, full Verdict
	}{
		"a write in the folder":       {write, r, q, a, a},
		"a delete in the folder":      {remove, r, q, q, a},
		"a write outside":             {away, r, q, q, a},
		"a read outside":              {peek, q, q, q, a},
		"what is not known":           {unread, r, q, q, a},
		"a new host":                  {net, r, q, q, q},
		"the network without a host":  {blind, r, q, q, q},
		"a sensitive place":           {write.sensitive("git's own files"), r, q, q, q},
		"a sensitive place only read": {peek.sensitive("a key"), q, q, q, q},
		"outside of the sandbox":      {write.unconfined(), r, q, q, q},
		"the file tool in the folder": {file("write_file", toolspec.UseWrite, flat+"/a"), r, q, a, a},
		"the file tool outside":       {file("write_file", toolspec.UseWrite, "/srv/a"), r, q, q, a},
		"the file tool deletes":       {file("delete_file", toolspec.UseDelete, flat+"/a"), r, q, q, a},
		"the file tool reads":         {file("read_file", toolspec.UseRead, flat+"/a"), a, a, a, a},
		"the file tool reads outside": {file("read_file", toolspec.UseRead, "/home/ana/tax.pdf"), q, q, q, a},
		"a folder with a like name":   {file("write_file", toolspec.UseWrite, flat+"2/a"), r, q, q, a},
	} {
		for mode, want := range map[Mode]Verdict{
			ReadOnly: c.readOnly, Ask: c.ask, Workspace: c.workspace,
			Full: c.full,
		} {
			if d := Decide(c.in.mode(mode)); d.Verdict != want {
				t.Errorf("%s in the mode %s: %s (%s), want %s", name, mode, d.Verdict, d.Reason, want)
			}
		}
	}
	comesTo(t, file("undo", toolspec.UseWrite, flat+"/a").caller(toolspec.CallerPerson), Allow)
	comesTo(t, file("undo", toolspec.UseWrite, flat+
		"/.git/a").sensitive("git's own files").caller(toolspec.CallerPerson), Question)
	used := net
	used.UsedHosts = []string{"a.example"}
	comesTo(t, used.mode(Full), Allow)
	comesTo(t, net.network("127.0.0.1:8080").mode(Full), Refuse)
	// What else runs with the network reaches what it likes, whichever host a curl beside it names.
	beside := bash("curl -s a.example; python3 x.py", toolspec.CommandUse{Program: "curl"},
		toolspec.CommandUse{Program: "python3"}).network("a.example")
	redirected := used.warned("curl follows redirects")
	for _, in := range []Input{beside, redirected} {
		in.UsedHosts = []string{"a.example"}
		for _, mode := range []Mode{Ask, Workspace, Full} {
			if d := comesTo(t, in.mode(mode), Question); !strings.Contains(d.Approval.Why,
				"the sandbox does not limit to a.example") {
				t.Errorf("%s does not say so: %q", mode, d.Approval.Why)
			}
		}
	}
}

func TestOutsideTextMakesOnlyWhatLeavesTheFolderAsk(t *testing.T) {
	shop := "https://shop.example"
	net := bash("curl a.example", toolspec.CommandUse{Program: "curl"}).network("a.example")
	net.UsedHosts = []string{"a.example"}
	comesTo(t, net.mode(Full).read(shop), Question)
	comesTo(t, file("write_file", toolspec.UseWrite, flat+"/a").mode(Workspace).read(shop), Allow)
	comesTo(t, file("write_file", toolspec.UseWrite, "/srv/a").mode(Full).read(shop), Question)
	comesTo(t, bash("make", named("make")).warned("make runs code").mode(Full).read(shop), Allow)
	gone := bash("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a").mode(Full)
	comesTo(t, gone, Allow)
	comesTo(t, gone.read(shop), Question)
	d := comesTo(t, bash("rm a b", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a", flat+"/b"),
		Question)
	if !strings.Contains(d.Approval.Why, "It deletes "+flat+"/a and "+flat+"/b.") || d.Approval.Question != "Run it?" ||
		d.Approval.Target != "rm a b" {
		t.Errorf("%+v", d.Approval)
	}
}

func TestAStandingAnswerForAProgramCoversItAndNothingWider(t *testing.T) {
	asked := bash("go test ./...", named("go test")).warned("go test runs code").uses(toolspec.UseRead, flat)
	g := kept(t, comesTo(t, asked, Question), event.AnswerLike)
	if want := "bash: any “go test …” in " + flat +
		", in every conversation. Nothing that deletes, or writes or reads outside of the folder. What it runs is " +
		"not read; the sandbox keeps it in the folder."; g.Text != want {
		t.Errorf("text %q", g.Text)
	}
	plain := kept(t, comesTo(t, bash("touch a", named("touch")).uses(toolspec.UseWrite, flat+"/a"), Question),
		event.AnswerLike)
	if strings.Contains(plain.Text, "not read") {
		t.Errorf("touch runs nothing: %q", plain.Text)
	}
	other := bash("ls && go test -run X ./a > out", looks("ls"),
		named("go test")).warned("go test runs code").uses(toolspec.UseWrite, flat+"/out")
	comesTo(t, other.with(g), Allow)
	for name, in := range map[string]Input{
		"another program":       bash("go run .", named("go run")).warned("w"),
		"one more program":      bash("go test && go run .", named("go test"), named("go run")).warned("w"),
		"what has no name":      bash("go test -exec x", toolspec.CommandUse{Program: "go test"}).warned("w"),
		"a delete":              other.uses(toolspec.UseDelete, flat+"/a"),
		"a write outside":       other.uses(toolspec.UseWrite, "/srv/a"),
		"a read outside":        other.uses(toolspec.UseRead, "/home/ana/tax.pdf"),
		"a sensitive place":     other.sensitive("git's own files"),
		"outside of a sandbox":  other.unconfined(),
		"the network":           other.network(),
		"a host":                other.network("a.example"),
		"after outside text":    other.network("a.example").read("https://shop.example"),
		"another party's word":  other.caller(toolspec.CallerMCP),
		"another tool's words":  func() Input { in := other; in.Call.Tool = "shell"; return in }(),
		"in another folder":     func() Input { in := other; in.Settings.Folder = "/srv"; return in }(),
		"a name it begins with": bash("go testify", named("go testify")).warned("w"),
	} {
		if d := Decide(in.with(g)); d.Verdict == Allow {
			t.Errorf("it covers %s: %s", name, d.Reason)
		}
	}
	if d := comesTo(t, bash("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a"),
		Question); len(d.Approval.Choices) != 4 {
		t.Errorf("a delete offers %+v", d.Approval.Choices)
	}
	net := bash("git fetch", named("git fetch")).warned("w").network("a.example").uses(toolspec.UseWrite, flat)
	g = kept(t, comesTo(t, net, Question), event.AnswerLike)
	comesTo(t, net.with(g), Allow)
	comesTo(t, bash("git fetch x", named("git fetch")).network("b.example").with(g), Question)
}

func TestAnExactAnswerHoldsForTheSameDoingsOnly(t *testing.T) {
	asked := bash("touch link", named("touch")).uses(toolspec.UseWrite, flat+"/link")
	g := kept(t, comesTo(t, asked, Question), event.AnswerAlways)
	comesTo(t, asked.with(g), Allow)
	elsewhere := bash("touch link", named("touch")).uses(toolspec.UseWrite, "/srv/link")
	comesTo(t, elsewhere.with(g), Question)
	comesTo(t, asked.unconfined().with(g), Question)
	comesTo(t, asked.sensitive("a shell start-up file").with(g), Question)
}

func TestAnAnswerForACommandOutlastsTheRemarkOnIt(t *testing.T) {
	asked := func(more string) Input {
		in := bash("touch a", named("touch")).uses(toolspec.UseWrite, flat+"/a")
		in.Call.Args = []byte(`{"command":"touch a"` + more + `}`)
		return in
	}
	g := kept(t, comesTo(t, asked(`,"description":"Make it","timeout":30`), Question), event.AnswerAlways)
	if strings.Contains(g.Text, "Make it") || !strings.Contains(g.Text, `command="touch a"`) {
		t.Errorf("text %q", g.Text)
	}
	comesTo(t, asked(`,"description":"Make the file","timeout":60`).with(g), Allow)
	comesTo(t, asked("").with(g), Allow)
	comesTo(t, asked(`,"working_dir":"sub"`).with(g), Question)
	comesTo(t, asked(`,"network":true`).with(g), Question)
	other := asked("")
	other.Call.Args = []byte(`{"command":"touch b"}`)
	comesTo(t, other.with(g), Question)
}

func TestWhatAsksEveryTimeOffersNothingToKeep(t *testing.T) {
	for _, in := range []Input{
		bash("ls", looks("ls")).unconfined(),
		file("write_file", toolspec.UseWrite, flat+"/.git/config").sensitive("git's own files"),
	} {
		d := comesTo(t, in, Question)
		if len(d.Grants) > 0 || len(d.Approval.Choices) != 2 {
			t.Errorf("it offers %+v", d.Approval.Choices)
		}
		comesTo(t, in.alone(), Refuse)
	}
}

func never(g toolspec.Grant) toolspec.Grant {
	g.ID, g.Scope, g.Text = "rule", toolspec.GrantForbid, "never this"
	if g.Tool == "" {
		g.Tool = toolspec.AnyTool
	}
	return g
}

func TestARuleThatForbidsWinsOverEverything(t *testing.T) {
	push := bash("git push", toolspec.CommandUse{Program: "git push"}).network("a.example")
	yes := kept(t, comesTo(t, push, Question), event.AnswerAlways)
	rule := never(toolspec.Grant{Commands: []string{"git push"}})
	d := comesTo(t, push.with(yes, rule).mode(Full), Refuse)
	if d.Grant != "rule" || !strings.Contains(d.Reason, "never this") {
		t.Errorf("%+v", d)
	}
	comesTo(t, push.with(rule, yes).caller(toolspec.CallerPerson), Refuse)
	comesTo(t, bash("git pull", toolspec.CommandUse{Program: "git pull"}).network("a.example").with(rule), Question)
	comesTo(t, bash("git status", looks("git status")).with(rule), Allow)
	comesTo(t, bash("git status", looks("git status")).with(never(toolspec.Grant{Commands: []string{"git"}})), Refuse)
	comesTo(t, bash("/opt/x/rm",
		toolspec.CommandUse{Program: "/opt/x/rm"}).with(never(toolspec.Grant{Commands: []string{"rm"}})), Refuse)
	comesTo(t, bash("gitk", looks("gitk")).with(never(toolspec.Grant{Commands: []string{"git"}})), Allow)
	comesTo(t, bash("$x", toolspec.CommandUse{}).warned("w").mode(Full).with(rule), Question)
	comesTo(t, bash("$x", toolspec.CommandUse{}).warned("w").mode(Full), Allow)

	host := never(toolspec.Grant{Hosts: []string{"shop.example"}})
	comesTo(t, page("navigate_page", `{"url":"https://shop.example/"}`).with(host), Refuse)
	comesTo(t, page("navigate_page", `{"url":"https://other.example/"}`).with(host), Allow)
	comesTo(t, page("navigate_page",
		`{"url":"https://shop.example/"}`).with(never(toolspec.Grant{Tool: "navigate_page"})), Refuse)

	secret := never(toolspec.Grant{Paths: []string{flat + "/secret"}})
	for path, want := range map[string]Verdict{
		flat + "/secret": Refuse, flat + "/secret/a": Refuse, flat + "/s*": Refuse, flat + "/*/a": Refuse, flat +
			"/secrets": Allow, flat + "/x*": Allow, flat: Allow,
	} {
		comesTo(t, file("read_file", toolspec.UseRead, path).with(secret), want)
	}
	comesTo(t, file("delete_file", toolspec.UseDelete, flat).with(secret).mode(Full), Refuse)
}

func TestARuleIsWrittenOutAndRefusesWhatCannotBeRead(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	g, err := NewRule(toolspec.Grant{
		Commands: []string{" git   push "}, Hosts: []string{"Shop.Example."},
		Paths: []string{"/srv/a/../b/"}, Scope: toolspec.GrantAlways,
	}, now)
	if err != nil || g.Scope != toolspec.GrantForbid ||
		g.Text != "Every tool, never “git push …”, the host shop.example and /srv/b and what is in it." {
		t.Errorf("%+v %v", g, err)
	}
	if g, err := NewRule(toolspec.Grant{Tool: "bash"}, now); err != nil || g.Text != "bash, never." {
		t.Errorf("%+v %v", g, err)
	}
	for name, draft := range map[string]toolspec.Grant{
		"nothing": {}, "a relative path": {Paths: []string{"a"}}, "no host": {Hosts: []string{"a b"}},
		"a command line": {Commands: []string{"rm -rf $x; ls"}},
		"no program":     {Commands: []string{" "}},
	} {
		if g, err := NewRule(draft, now); err == nil {
			t.Errorf("%s makes the rule %q", name, g.Text)
		}
	}
}

func TestARuleAboutALinkHoldsWhereItLeads(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "diary"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("diary", filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	g, err := NewRule(toolspec.Grant{Paths: []string{dir + "/alias/2026"}}, time.Time{})
	if want := []string{dir + "/alias/2026", dir + "/diary/2026"}; err != nil || !slices.Equal(g.Paths, want) {
		t.Errorf("%v %v, want %v", g.Paths, err, want)
	}
}

func TestAToolThatWalksIsToldWhatRulesKeepFromIt(t *testing.T) {
	grants := []toolspec.Grant{
		never(toolspec.Grant{Paths: []string{"/srv/b", "/srv/a"}}),
		never(toolspec.Grant{Tool: "search_files", Paths: []string{"/srv/c"}}),
		never(toolspec.Grant{Tool: "bash", Paths: []string{"/srv/d"}}),
		never(toolspec.Grant{Folder: "/elsewhere", Paths: []string{"/srv/e"}}),
		{Scope: toolspec.GrantAlways, Tool: "search_files", Paths: []string{"/srv/f"}},
	}
	if got := strings.Join(ForbiddenPaths(grants, "search_files", "/work"), " "); got != "/srv/a /srv/b /srv/c" {
		t.Error(got)
	}
	if got := strings.Join(ForbiddenPaths(grants, "git_read", "/elsewhere"), " "); got != "/srv/a /srv/b /srv/e" {
		t.Error(got)
	}
}

func TestASwitchedOffGroupIsRefused(t *testing.T) {
	in := bash("ls", looks("ls")).mode(Full)
	in.Settings.DisabledGroups = []string{"shell", "web"}
	d := comesTo(t, in, Refuse)
	if !strings.Contains(d.Suggestion, "SEXTANT_GROUPS_OFF") {
		t.Errorf("suggestion %q", d.Suggestion)
	}
	reading := file("read_file", toolspec.UseRead, flat+"/a")
	reading.Settings.DisabledGroups = in.Settings.DisabledGroups
	comesTo(t, reading, Allow)
	other := foreign(toolspec.OriginPanel, "shell", "p", `{}`, toolspec.Hints{ReadOnly: true})
	other.Settings.DisabledGroups, other.Definition.Group = in.Settings.DisabledGroups, "shell"
	comesTo(t, other, Allow)
}

func TestABuiltInPanelsToolIsJudgedByTheFilesItTells(t *testing.T) {
	inFolder := foreign(toolspec.OriginPanel, "editor_save_file", "code-editor", `{}`,
		toolspec.Hints{Destructive: true}).uses(toolspec.UseWrite, flat+"/a")
	comesTo(t, inFolder, Question)
	comesTo(t, inFolder.mode(Workspace), Allow)
	comesTo(t, inFolder.caller(toolspec.CallerPerson), Allow)
	outside := foreign(toolspec.OriginPanel, "editor_save_file", "code-editor", `{}`,
		toolspec.Hints{}).uses(toolspec.UseWrite, "/home/ana/a")
	comesTo(t, outside.mode(Workspace), Question)
	comesTo(t, outside.mode(ReadOnly), Refuse)
	note := foreign(toolspec.OriginPanel, "notes_write", "notes", `{}`,
		toolspec.Hints{Destructive: true}).uses(toolspec.UseWrite, "/home/ana/data/notes/a.md")
	note.Description.Files[0].Own = true
	comesTo(t, note, Question)
	comesTo(t, note.mode(Workspace), Allow)
	comesTo(t, note.caller(toolspec.CallerPerson), Allow)
	thrown := foreign(toolspec.OriginPanel, "notes_trash", "notes", `{}`, toolspec.Hints{}).uses(toolspec.UseDelete,
		"/home/ana/data/notes/a.md")
	comesTo(t, thrown.caller(toolspec.CallerPerson), Question)
	thrown.Description.Files[0].Own = true
	comesTo(t, thrown.caller(toolspec.CallerPerson), Allow)
	comesTo(t, thrown.mode(Workspace), Question)
	off := inFolder
	off.Settings.DisabledGroups = []string{"files"}
	comesTo(t, off, Refuse)
	comesTo(t, off.caller(toolspec.CallerPerson), Allow)
}

func TestYesToReadCoversACommandThatOnlyReads(t *testing.T) {
	in := bash("cat ~/a", looks("cat")).uses(toolspec.UseRead, "/home/ana/a").alone().caller(toolspec.CallerRun)
	comesTo(t, in, Refuse)
	in.Call.From.YesTo = "read"
	comesTo(t, in, Allow)
	change := bash("touch a", named("touch")).uses(toolspec.UseWrite, flat+"/a").alone().caller(toolspec.CallerRun)
	change.Call.From.YesTo = "read"
	comesTo(t, change, Refuse)
}

func TestWhatAPersonPressesInTheWindowChangesFilesOfTheFolderUnasked(t *testing.T) {
	mine := func(in Input) Input { return in.caller(toolspec.CallerPerson) }
	for _, use := range []toolspec.Use{toolspec.UseWrite, toolspec.UseDelete} {
		inside := file("undo", use, "/home/ana/flat/notes.txt")
		comesTo(t, mine(inside), Allow)
		comesTo(t, inside, Question)
		comesTo(t, inside.caller(toolspec.CallerPilot), Question)
		comesTo(t, mine(file("undo", use, "/home/ana/other/notes.txt")), Question)
		comesTo(t, mine(inside.sensitive("git's own files")), Question)
		comesTo(t, mine(inside).mode(ReadOnly), Refuse)
	}
}
