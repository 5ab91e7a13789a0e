package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const flat = "/home/ana/flat"

// bashCall returns a call that runs a command line.
func bashCall(command string, commands ...toolspec.CommandUse) Input {
	in := baselineCall("shell", "bash", `{"command":`+quoteJSON(command)+`}`, toolspec.Hints{Destructive: true})
	in.Description = toolspec.Description{Sentence: "Run it", Target: command, RunsProgram: true, Commands: commands}
	return in
}

func harmlessUse(program string) toolspec.CommandUse {
	return toolspec.CommandUse{Program: program, Harmless: true}
}

func namedUse(name string) toolspec.CommandUse { return toolspec.CommandUse{Program: name, Name: name} }

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

func (in Input) typed(text string) Input { in.Call.From.TypedText = text; return in }

func (in Input) unconfined() Input {
	in.Description.Unconfined = "this system has no Landlock"
	return in
}

func fileCall(tool string, use toolspec.Use, path string) Input {
	in := baselineCall("files", tool, `{"path":`+quoteJSON(path)+`}`,
		toolspec.Hints{ReadOnly: use == toolspec.UseRead, Destructive: use == toolspec.UseDelete})
	return in.about(path, "").uses(use, path)
}

func TestAllowsHarmlessCommandInSandbox(t *testing.T) {
	in := bashCall("grep -rn x .", harmlessUse("grep")).uses(toolspec.UseRead, flat, "/usr/include/a.h")
	for _, mode := range []Mode{ModeReadOnly, ModeAsk, ModeWorkspace, ModeFull} {
		wantVerdict(t, in.mode(mode), VerdictAllow)
		wantVerdict(t, in.mode(mode).alone(), VerdictAllow)
	}
	wantVerdict(t, in.read("https://shop.example"), VerdictAllow)
	for _, mode := range []Mode{ModeReadOnly, ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			d := wantVerdict(
				t,
				in.mode(mode).unconfined(),
				map[Mode]Verdict{
					ModeReadOnly: VerdictRefuse, ModeAsk: VerdictAsk, ModeWorkspace: VerdictAsk, ModeFull: VerdictAsk,
				}[mode],
			)
			if mode != ModeReadOnly && !strings.Contains(d.Approval.Reason, "no Landlock") {
				t.Errorf("%s: the reason is %q", mode, d.Approval.Reason)
			}
		})
	}
}

func TestAsksByEffectsOfCommandInEachMode(t *testing.T) {
	write := bashCall("touch a", namedUse("touch")).uses(toolspec.UseWrite, flat+"/a")
	remove := bashCall("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a")
	away := bashCall("touch /srv/a", namedUse("touch")).uses(toolspec.UseWrite, "/srv/a")
	peek := bashCall("cat ~/tax.pdf", harmlessUse("cat")).uses(toolspec.UseRead, "/home/ana/tax.pdf")
	unread := bashCall("$x", toolspec.CommandUse{}).warned("“$x” decides what runs")
	net := bashCall("curl a.example", toolspec.CommandUse{Program: "curl"}).network("a.example")
	blind := bashCall("git pull", toolspec.CommandUse{Program: "git pull"}).network()
	accounts := fileCall("read_file", toolspec.UseRead, "/etc/passwd").sensitive(protectedpaths.AccountList)
	q, r, a := VerdictAsk, VerdictRefuse, VerdictAllow
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
		"a list of accounts":          {accounts, q, q, q, q},
		"a list of accounts, typed":   {accounts.typed("what is in “/etc/passwd”?"), a, a, a, a},
		"another path, typed":         {accounts.typed("what is in /etc/passwd-?"), q, q, q, q},
		"outside of the sandbox":      {write.unconfined(), r, q, q, q},
		"the file tool in the folder": {fileCall("write_file", toolspec.UseWrite, flat+"/a"), r, q, a, a},
		"the file tool outside":       {fileCall("write_file", toolspec.UseWrite, "/srv/a"), r, q, q, a},
		"the file tool deletes":       {fileCall("delete_file", toolspec.UseDelete, flat+"/a"), r, q, q, a},
		"the file tool reads":         {fileCall("read_file", toolspec.UseRead, flat+"/a"), a, a, a, a},
		"the file tool reads outside": {fileCall("read_file", toolspec.UseRead, "/home/ana/tax.pdf"), q, q, q, a},
		"a folder with a like name":   {fileCall("write_file", toolspec.UseWrite, flat+"2/a"), r, q, q, a},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[Mode]Verdict{
				ModeReadOnly: c.readOnly, ModeAsk: c.ask, ModeWorkspace: c.workspace,
				ModeFull: c.full,
			} {
				t.Run(string(mode), func(t *testing.T) {
					if d := Decide(c.in.mode(mode)); d.Verdict != want {
						t.Errorf("got %s (%s), want %s", d.Verdict, d.Reason, want)
					}
				})
			}
		})
	}
	wantVerdict(t, fileCall("undo", toolspec.UseWrite, flat+"/a").caller(toolspec.CallerPerson), VerdictAllow)
	wantVerdict(t, fileCall("undo", toolspec.UseWrite, flat+
		"/.git/a").sensitive("git's own files").caller(toolspec.CallerPerson), VerdictAsk)
	used := net
	used.UsedHosts = []string{"a.example"}
	wantVerdict(t, used.mode(ModeFull), VerdictAllow)
	wantVerdict(t, net.network("127.0.0.1:8080").mode(ModeFull), VerdictRefuse)
	// Any other command with the network may contact any host, whichever one a curl beside it names.
	beside := bashCall("curl -s a.example; python3 x.py", toolspec.CommandUse{Program: "curl"},
		toolspec.CommandUse{Program: "python3"}).network("a.example")
	redirected := used.warned("curl follows redirects")
	for _, in := range []Input{beside, redirected} {
		in.UsedHosts = []string{"a.example"}
		for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
			t.Run(string(mode), func(t *testing.T) {
				if d := wantVerdict(t, in.mode(mode), VerdictAsk); !strings.Contains(d.Approval.Reason,
					"the sandbox does not limit to a.example") {
					t.Errorf("%s: the reason is %q", mode, d.Approval.Reason)
				}
			})
		}
	}
}

func TestTaintedContextAsksOnlyForEffectsOutsideFolder(t *testing.T) {
	shop := "https://shop.example"
	net := bashCall("curl a.example", toolspec.CommandUse{Program: "curl"}).network("a.example")
	net.UsedHosts = []string{"a.example"}
	wantVerdict(t, net.mode(ModeFull).read(shop), VerdictAsk)
	wantVerdict(t, fileCall("write_file", toolspec.UseWrite, flat+"/a").mode(ModeWorkspace).read(shop), VerdictAllow)
	wantVerdict(t, fileCall("write_file", toolspec.UseWrite, "/srv/a").mode(ModeFull).read(shop), VerdictAsk)
	wantVerdict(t, bashCall("make", namedUse("make")).warned("make runs code").mode(ModeFull).read(shop), VerdictAllow)
	remove := bashCall("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a").mode(ModeFull)
	wantVerdict(t, remove, VerdictAllow)
	wantVerdict(t, remove.read(shop), VerdictAsk)
	d := wantVerdict(t,
		bashCall("rm a b", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a", flat+"/b"),
		VerdictAsk)
	if !strings.Contains(d.Approval.Reason, "every deletion: "+flat+"/a and "+flat+"/b.") ||
		d.Approval.Question != "Run it?" ||
		d.Approval.Target != "rm a b" {
		t.Errorf("%+v", d.Approval)
	}
}

func TestProgramGrantCoversOnlyItsPrograms(t *testing.T) {
	asked := bashCall("go test ./...", namedUse("go test")).warned("go test runs code").uses(toolspec.UseRead, flat)
	g := grantFor(t, wantVerdict(t, asked, VerdictAsk), event.AnswerSameProgram)
	if want := "Every “go test …” command in " + flat +
		", in every conversation. Nothing that deletes, or writes or reads outside of the folder. Sextant does not " +
		"read what it runs; the sandbox keeps it in the folder."; g.Text != want {
		t.Errorf("text %q", g.Text)
	}
	touch := bashCall("touch a", namedUse("touch")).uses(toolspec.UseWrite, flat+"/a")
	plain := grantFor(t, wantVerdict(t, touch, VerdictAsk), event.AnswerSameProgram)
	if strings.Contains(plain.Text, "does not read") {
		t.Errorf("touch runs nothing: %q", plain.Text)
	}
	other := bashCall("ls && go test -run X ./a > out", harmlessUse("ls"),
		namedUse("go test")).warned("go test runs code").uses(toolspec.UseWrite, flat+"/out")
	wantVerdict(t, other.with(g), VerdictAllow)
	for name, in := range map[string]Input{
		"another program":       bashCall("go run .", namedUse("go run")).warned("w"),
		"one more program":      bashCall("go test && go run .", namedUse("go test"), namedUse("go run")).warned("w"),
		"what has no name":      bashCall("go test -exec x", toolspec.CommandUse{Program: "go test"}).warned("w"),
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
		"a name it begins with": bashCall("go testify", namedUse("go testify")).warned("w"),
	} {
		t.Run(name, func(t *testing.T) {
			if d := Decide(in.with(g)); d.Verdict == VerdictAllow {
				t.Errorf("it covers %s: %s", name, d.Reason)
			}
		})
	}
	if d := wantVerdict(t, bashCall("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+"/a"),
		VerdictAsk); len(d.Approval.Choices) != 4 {
		t.Errorf("a delete offers %+v", d.Approval.Choices)
	}
	net := bashCall("git fetch", namedUse("git fetch")).warned("w").network("a.example").uses(toolspec.UseWrite, flat)
	g = grantFor(t, wantVerdict(t, net, VerdictAsk), event.AnswerSameProgram)
	wantVerdict(t, net.with(g), VerdictAllow)
	wantVerdict(t, bashCall("git fetch x", namedUse("git fetch")).network("b.example").with(g), VerdictAsk)
}

func TestExactGrantCoversOnlySameEffects(t *testing.T) {
	asked := bashCall("touch link", namedUse("touch")).uses(toolspec.UseWrite, flat+"/link")
	g := grantFor(t, wantVerdict(t, asked, VerdictAsk), event.AnswerAlways)
	wantVerdict(t, asked.with(g), VerdictAllow)
	elsewhere := bashCall("touch link", namedUse("touch")).uses(toolspec.UseWrite, "/srv/link")
	wantVerdict(t, elsewhere.with(g), VerdictAsk)
	wantVerdict(t, asked.unconfined().with(g), VerdictAsk)
	wantVerdict(t, asked.sensitive("a shell start-up file").with(g), VerdictAsk)
}

func TestCommandGrantIgnoresDescription(t *testing.T) {
	asked := func(more string) Input {
		in := bashCall("touch a", namedUse("touch")).uses(toolspec.UseWrite, flat+"/a")
		in.Call.Args = []byte(`{"command":"touch a"` + more + `}`)
		return in
	}
	g := grantFor(t, wantVerdict(t, asked(`,"description":"Make it","timeout":30`), VerdictAsk), event.AnswerAlways)
	if strings.Contains(g.Text, "Make it") || !strings.HasPrefix(g.Text, "Exactly this command: touch a, ") {
		t.Errorf("text %q", g.Text)
	}
	wantVerdict(t, asked(`,"description":"Make the file","timeout":60`).with(g), VerdictAllow)
	wantVerdict(t, asked("").with(g), VerdictAllow)
	wantVerdict(t, asked(`,"working_dir":"sub"`).with(g), VerdictAsk)
	wantVerdict(t, asked(`,"network":true`).with(g), VerdictAsk)
	other := asked("")
	other.Call.Args = []byte(`{"command":"touch b"}`)
	wantVerdict(t, other.with(g), VerdictAsk)
}

func TestOffersNoGrantForWhatMustAskEachTime(t *testing.T) {
	for _, in := range []Input{
		bashCall("ls", harmlessUse("ls")).unconfined(),
		fileCall("write_file", toolspec.UseWrite, flat+"/.git/config").sensitive("git's own files"),
	} {
		t.Run(in.Call.Tool, func(t *testing.T) {
			d := wantVerdict(t, in, VerdictAsk)
			if len(d.Grants) > 0 || len(d.Approval.Choices) != 2 {
				t.Errorf("it offers %+v", d.Approval.Choices)
			}
			wantVerdict(t, in.alone(), VerdictRefuse)
		})
	}
}

func forbidRule(g toolspec.Grant) toolspec.Grant {
	g.ID, g.Scope, g.Text = "rule", toolspec.GrantForbid, "never this"
	if g.Tool == "" {
		g.Tool = toolspec.AnyTool
	}
	return g
}

func TestRuleRefusesDespiteGrantsAndModes(t *testing.T) {
	push := bashCall("git push", toolspec.CommandUse{Program: "git push"}).network("a.example")
	yes := grantFor(t, wantVerdict(t, push, VerdictAsk), event.AnswerAlways)
	rule := forbidRule(toolspec.Grant{Commands: []string{"git push"}})
	d := wantVerdict(t, push.with(yes, rule).mode(ModeFull), VerdictRefuse)
	if d.GrantID != "rule" || !strings.Contains(d.Reason, "never this") {
		t.Errorf("%+v", d)
	}
	wantVerdict(t, push.with(rule, yes).caller(toolspec.CallerPerson), VerdictRefuse)
	pull := bashCall("git pull", toolspec.CommandUse{Program: "git pull"})
	wantVerdict(t, pull.network("a.example").with(rule), VerdictAsk)
	wantVerdict(t, bashCall("git status", harmlessUse("git status")).with(rule), VerdictAllow)
	git := forbidRule(toolspec.Grant{Commands: []string{"git"}})
	wantVerdict(t, bashCall("git status", harmlessUse("git status")).with(git), VerdictRefuse)
	wantVerdict(t, bashCall(
		"/opt/x/rm",
		toolspec.CommandUse{
			Program: "/opt/x/rm",
		},
	).with(forbidRule(toolspec.Grant{Commands: []string{"rm"}})), VerdictRefuse)
	wantVerdict(t, bashCall("gitk", harmlessUse("gitk")).with(git), VerdictAllow)
	wantVerdict(t, bashCall("$x", toolspec.CommandUse{}).warned("w").mode(ModeFull).with(rule), VerdictAsk)
	wantVerdict(t, bashCall("$x", toolspec.CommandUse{}).warned("w").mode(ModeFull), VerdictAllow)

	host := forbidRule(toolspec.Grant{Hosts: []string{"shop.example"}})
	wantVerdict(t, pageCall("navigate_page", `{"url":"https://shop.example/"}`).with(host), VerdictRefuse)
	wantVerdict(t, pageCall("navigate_page", `{"url":"https://other.example/"}`).with(host), VerdictAllow)
	wantVerdict(t, pageCall("navigate_page",
		`{"url":"https://shop.example/"}`).with(forbidRule(toolspec.Grant{Tool: "navigate_page"})), VerdictRefuse)

	secret := forbidRule(toolspec.Grant{Paths: []string{flat + "/secret"}})
	for path, want := range map[string]Verdict{
		flat + "/secret": VerdictRefuse, flat + "/secret/a": VerdictRefuse,
		flat + "/s*": VerdictRefuse, flat + "/*/a": VerdictRefuse, flat +
			"/secrets": VerdictAllow, flat + "/x*": VerdictAllow, flat: VerdictAllow,
	} {
		wantVerdict(t, fileCall("read_file", toolspec.UseRead, path).with(secret), want)
	}
	wantVerdict(t, fileCall("delete_file", toolspec.UseDelete, flat).with(secret).mode(ModeFull), VerdictRefuse)
}

func TestNewRuleDescribesItselfAndRejectsInvalidEntries(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			if g, err := NewRule(draft, now); err == nil {
				t.Errorf("it makes the rule %q", g.Text)
			}
		})
	}
}

func TestRuleAboutLinkAppliesToItsTarget(t *testing.T) {
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

func TestForbiddenPathsOfTool(t *testing.T) {
	grants := []toolspec.Grant{
		forbidRule(toolspec.Grant{Paths: []string{"/srv/b", "/srv/a"}}),
		forbidRule(toolspec.Grant{Tool: "search_files", Paths: []string{"/srv/c"}}),
		forbidRule(toolspec.Grant{Tool: "bash", Paths: []string{"/srv/d"}}),
		forbidRule(toolspec.Grant{Folder: "/elsewhere", Paths: []string{"/srv/e"}}),
		{Scope: toolspec.GrantAlways, Tool: "search_files", Paths: []string{"/srv/f"}},
	}
	if got := strings.Join(ForbiddenPaths(grants, "search_files", "/work"), " "); got != "/srv/a /srv/b /srv/c" {
		t.Error(got)
	}
	if got := strings.Join(ForbiddenPaths(grants, "git_read", "/elsewhere"), " "); got != "/srv/a /srv/b /srv/e" {
		t.Error(got)
	}
}

func TestRefusesDisabledGroup(t *testing.T) {
	in := bashCall("ls", harmlessUse("ls")).mode(ModeFull)
	in.Settings.DisabledGroups = []string{"shell", "web"}
	d := wantVerdict(t, in, VerdictRefuse)
	if !strings.Contains(d.Suggestion, "SEXTANT_GROUPS_OFF") {
		t.Errorf("suggestion %q", d.Suggestion)
	}
	reading := fileCall("read_file", toolspec.UseRead, flat+"/a")
	reading.Settings.DisabledGroups = in.Settings.DisabledGroups
	wantVerdict(t, reading, VerdictAllow)
	other := externalCall(toolspec.OriginPanel, "shell", "p", `{}`, toolspec.Hints{ReadOnly: true})
	other.Settings.DisabledGroups, other.Definition.Group = in.Settings.DisabledGroups, "shell"
	wantVerdict(t, other, VerdictAllow)
}

func TestJudgesBuiltInPanelToolByItsFiles(t *testing.T) {
	inFolder := externalCall(toolspec.OriginPanel, "editor_save_file", "code-editor", `{}`,
		toolspec.Hints{Destructive: true}).uses(toolspec.UseWrite, flat+"/a")
	wantVerdict(t, inFolder, VerdictAsk)
	wantVerdict(t, inFolder.mode(ModeWorkspace), VerdictAllow)
	wantVerdict(t, inFolder.caller(toolspec.CallerPerson), VerdictAllow)
	outside := externalCall(toolspec.OriginPanel, "editor_save_file", "code-editor", `{}`,
		toolspec.Hints{}).uses(toolspec.UseWrite, "/home/ana/a")
	wantVerdict(t, outside.mode(ModeWorkspace), VerdictAsk)
	wantVerdict(t, outside.mode(ModeReadOnly), VerdictRefuse)
	note := externalCall(toolspec.OriginPanel, "notes_write", "notes", `{}`,
		toolspec.Hints{Destructive: true}).uses(toolspec.UseWrite, "/home/ana/data/notes/a.md")
	note.Description.Files[0].PanelOwned = true
	wantVerdict(t, note, VerdictAsk)
	wantVerdict(t, note.mode(ModeWorkspace), VerdictAllow)
	wantVerdict(t, note.caller(toolspec.CallerPerson), VerdictAllow)
	thrown := externalCall(
		toolspec.OriginPanel,
		"notes_trash",
		"notes",
		`{}`,
		toolspec.Hints{},
	).uses(toolspec.UseDelete,
		"/home/ana/data/notes/a.md")
	wantVerdict(t, thrown.caller(toolspec.CallerPerson), VerdictAsk)
	thrown.Description.Files[0].PanelOwned = true
	wantVerdict(t, thrown.caller(toolspec.CallerPerson), VerdictAllow)
	wantVerdict(t, thrown.mode(ModeWorkspace), VerdictAsk)
	off := inFolder
	off.Settings.DisabledGroups = []string{"files"}
	wantVerdict(t, off, VerdictRefuse)
	wantVerdict(t, off.caller(toolspec.CallerPerson), VerdictAllow)
}

func TestYesToReadAllowsReadingCommand(t *testing.T) {
	in := bashCall("cat ~/a", harmlessUse("cat")).uses(toolspec.UseRead, "/home/ana/a").alone().
		caller(toolspec.CallerRun)
	wantVerdict(t, in, VerdictRefuse)
	in.Call.From.YesTo = "read"
	wantVerdict(t, in, VerdictAllow)
	change := bashCall("touch a", namedUse("touch")).uses(toolspec.UseWrite, flat+"/a").alone().
		caller(toolspec.CallerRun)
	change.Call.From.YesTo = "read"
	wantVerdict(t, change, VerdictRefuse)
}

func TestPersonChangesFilesInFolderWithoutQuestion(t *testing.T) {
	mine := func(in Input) Input { return in.caller(toolspec.CallerPerson) }
	for _, use := range []toolspec.Use{toolspec.UseWrite, toolspec.UseDelete} {
		inside := fileCall("undo", use, "/home/ana/flat/notes.txt")
		wantVerdict(t, mine(inside), VerdictAllow)
		wantVerdict(t, inside, VerdictAsk)
		wantVerdict(t, inside.caller(toolspec.CallerPilot), VerdictAsk)
		wantVerdict(t, mine(fileCall("undo", use, "/home/ana/other/notes.txt")), VerdictAsk)
		wantVerdict(t, mine(inside.sensitive("git's own files")), VerdictAsk)
		wantVerdict(t, mine(inside).mode(ModeReadOnly), VerdictRefuse)
	}
}
