package policy

import (
	"slices"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (in Input) in(conversation string) Input { in.Call.From.Conversation = conversation; return in }

func answersOf(d Decision) []event.Answer {
	var all []event.Answer
	for _, c := range d.Approval.Choices {
		all = append(all, c.Answer)
	}
	return all
}

func edit(path string) Input { return fileCall("edit_file", toolspec.UseWrite, path) }

func TestFileGrantCoversOtherEditsOfTheFileOnly(t *testing.T) {
	asked := edit(flat + "/src/a.txt")
	d := wantVerdict(t, asked, VerdictAsk)
	if want := []event.Answer{
		event.AnswerOnce, event.AnswerFile, event.AnswerFolder, event.AnswerConversation, event.AnswerAlways,
		event.AnswerDeny,
	}; !slices.Equal(answersOf(d), want) {
		t.Fatalf("it offers %v", answersOf(d))
	}
	other := edit(flat + "/src/a.txt")
	other.Call.Tool, other.Call.Args = "write_file", []byte(`{"path":"src/a.txt","content":"x"}`)
	remove := fileCall("undo", toolspec.UseDelete, flat+"/src/a.txt")
	command := bashCall("x", namedUse("x")).uses(toolspec.UseWrite, flat+"/src/a.txt")
	for name, c := range map[string]struct {
		answer event.Answer
		in     Input
		want   Verdict
	}{
		"another edit":                   {event.AnswerFile, other, VerdictAllow},
		"after outside text":             {event.AnswerFile, other.read("https://a.example"), VerdictAllow},
		"a neighbour":                    {event.AnswerFile, edit(flat + "/src/b.txt"), VerdictAsk},
		"a longer name":                  {event.AnswerFile, edit(flat + "/src/a.txt2"), VerdictAsk},
		"a file in a folder of its name": {event.AnswerFile, edit(flat + "/src/a.txt/b"), VerdictAsk},
		"a deletion":                     {event.AnswerFile, remove, VerdictAsk},
		"a sensitive file":               {event.AnswerFile, asked.sensitive("git's own files"), VerdictAsk},
		"one more file": {
			event.AnswerFile, asked.uses(toolspec.UseWrite, flat+"/src/b.txt"), VerdictAsk,
		},
		"one more deletion": {
			event.AnswerFile, asked.uses(toolspec.UseDelete, flat+"/src/a.txt"), VerdictAsk,
		},
		"another conversation":        {event.AnswerFile, asked.in("other"), VerdictAsk},
		"another party":               {event.AnswerFile, asked.caller(toolspec.CallerMCP), VerdictAsk},
		"copied text":                 {event.AnswerFile, copied(asked), VerdictAsk},
		"a warning":                   {event.AnswerFile, asked.warned("it is odd"), VerdictAsk},
		"a command":                   {event.AnswerFile, command, VerdictAsk},
		"a neighbour in the folder":   {event.AnswerFolder, edit(flat + "/src/b.txt"), VerdictAllow},
		"a file below the folder":     {event.AnswerFolder, edit(flat + "/src/c/b.txt"), VerdictAllow},
		"the folder itself":           {event.AnswerFolder, edit(flat + "/src"), VerdictAsk},
		"a folder with a longer name": {event.AnswerFolder, edit(flat + "/src2/b.txt"), VerdictAsk},
		"the folder above":            {event.AnswerFolder, edit(flat + "/b.txt"), VerdictAsk},
		"a link out of the folder":    {event.AnswerFolder, edit("/etc/passwd"), VerdictAsk},
		"the workspace":               {event.AnswerConversation, edit(flat + "/b.txt"), VerdictAllow},
		"out of the workspace":        {event.AnswerConversation, edit("/srv/x/b.txt"), VerdictAsk},
		"beside the workspace":        {event.AnswerConversation, edit(flat + "2/b.txt"), VerdictAsk},
		"always, in any conversation": {event.AnswerAlways, asked.in("other"), VerdictAllow},
		"always, a neighbour":         {event.AnswerAlways, edit(flat + "/src/b.txt").in("other"), VerdictAsk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantVerdict(t, c.in.with(grantFor(t, d, c.answer)), c.want)
		})
	}
}

func copied(in Input) Input { in.Description.CopiedFrom = []string{"https://a.example"}; return in }

func TestGrantOutsideOfWorkspaceDoesNotCoverReadsOrOutsideText(t *testing.T) {
	asked := edit("/srv/data/x/a.txt")
	d := wantVerdict(t, asked, VerdictAsk)
	g := grantFor(t, d, event.AnswerFolder)
	wantVerdict(t, edit("/srv/data/x/b.txt").with(g), VerdictAllow)
	wantVerdict(t, edit("/srv/data/x/b.txt").read("https://a.example").with(g), VerdictAsk)
	wantVerdict(t, fileCall("read_file", toolspec.UseRead, "/srv/data/x/a.txt").with(g), VerdictAsk)
	if _, offered := d.Grants[event.AnswerConversation]; offered {
		t.Error("it offers the workspace for a file outside of it")
	}
	for _, path := range []string{"/home/ana/a.txt", "/srv/a.txt", "/a.txt"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if _, offered := wantVerdict(t, edit(path), VerdictAsk).Grants[event.AnswerFolder]; offered {
				t.Errorf("it offers the folder of %s", path)
			}
		})
	}
}

func TestHostGrantCoversOnlyItsHostAndPort(t *testing.T) {
	request := func(host string) Input {
		return baselineCall("web", "http_request", `{"url":"https://`+host+`/"}`,
			toolspec.Hints{OpenWorld: true}).hosts(host)
	}
	g := grantFor(t, wantVerdict(t, request("a.example"), VerdictAsk), event.AnswerHost)
	read := request("a.example")
	read.Call.Tool = "read_url"
	wantVerdict(t, read.with(g), VerdictAllow)
	for _, host := range []string{
		"evil-a.example", "x.a.example", "a.example:8443", "a.example.evil.example", "b.example",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			wantVerdict(t, request(host).with(g), VerdictAsk)
		})
	}
	wantVerdict(t, request("a.example").read("https://a.example").with(g), VerdictAsk)
	wantVerdict(t, request("a.example").in("other").with(g), VerdictAsk)
	withSecret := request("a.example")
	withSecret.Description.Secrets = []toolspec.SecretUse{{Name: "git", Place: "header", Origin: "https://a.example"}}
	wantVerdict(t, withSecret.with(g), VerdictAsk)
	curl := bashCall("curl a.example", toolspec.CommandUse{Program: "curl"}).network("a.example")
	wantVerdict(t, curl.with(g), VerdictAsk)
}

func TestProgramGrantForConversationCoversItsSubcommands(t *testing.T) {
	git := func(sub string) Input {
		return bashCall("git "+sub, namedUse("git "+sub)).uses(toolspec.UseWrite, flat+"/.gitx")
	}
	g := grantFor(t, wantVerdict(t, git("commit"), VerdictAsk), event.AnswerProgram)
	wantVerdict(t, git("add").with(g), VerdictAllow)
	unnamed := bashCall("git -c a", toolspec.CommandUse{Program: "git"}).uses(toolspec.UseWrite, flat+"/a")
	both := bashCall("git add && npm test", namedUse("git add"), namedUse("npm test")).warned("w")
	for name, in := range map[string]Input{
		"an option that starts programs": unnamed,
		"the network":                    git("push").network(),
		"a host":                         git("push").network("a.example"),
		"a deletion":                     git("clean").uses(toolspec.UseDelete, flat+"/a"),
		"another program":                both,
		"a program with a longer name":   bashCall("git-x", namedUse("git-x")).warned("w"),
		"a write outside":                git("add").uses(toolspec.UseWrite, "/srv/a"),
		"outside text":                   git("add").read("https://a.example"),
		"no sandbox":                     git("add").unconfined(),
		"another conversation":           git("add").in("other"),
		"another folder": func() Input {
			in := git("add")
			in.Settings.Folder = "/home/ana"
			return in
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := Decide(in.with(g)); d.Verdict == VerdictAllow {
				t.Errorf("it covers %s", name)
			}
		})
	}
	for _, name := range []string{
		"bash", "zsh", "python3 -m pytest", "node", "sudo", "env", "xargs", "find", "npx", "./run.sh", "make test",
		"xonsh",
	} {
		t.Run("none for "+name, func(t *testing.T) {
			t.Parallel()
			d := wantVerdict(t, bashCall(name, namedUse(name)).warned("w"), VerdictAsk)
			if _, offered := d.Grants[event.AnswerProgram]; offered {
				t.Errorf("it offers every %s command", name)
			}
		})
	}
}

func TestToolGrantCoversOtherArgumentsOfTheToolOnly(t *testing.T) {
	call := func(tool, args string) Input {
		return externalCall(toolspec.OriginMCP, tool, "gh", args, toolspec.Hints{Destructive: true, OpenWorld: true}).
			about("npx gh-server", args)
	}
	g := grantFor(t, wantVerdict(t, call("gh__close", `{"n":1}`), VerdictAsk), event.AnswerConversation)
	wantVerdict(t, call("gh__close", `{"n":2}`).with(g), VerdictAllow)
	wantVerdict(t, call("gh__delete", `{"n":1}`).with(g), VerdictAsk)
	wantVerdict(t, call("gh__close", `{"n":2}`).read("mcp:gh").with(g), VerdictAsk)
	wantVerdict(t, copied(call("gh__close", `{"n":2}`)).with(g), VerdictAsk)
	wantVerdict(t, call("gh__close", `{"n":2}`).hosts("evil.example").with(g), VerdictAsk)
	wantVerdict(t, call("gh__close", `{"n":2}`).about("npx other-server", "").with(g), VerdictAsk)
}

func TestGrantsOfTheVersionBeforeKeepTheirMeaning(t *testing.T) {
	asked := edit(flat + "/a.txt")
	f := newFacts(asked)
	old := f.newGrant(toolspec.GrantAlways, f.reasons())
	old.ID, old.Text = "old", "edit_file, exactly with path=\"a.txt\", in every conversation."
	if d := wantVerdict(t, asked.with(old), VerdictAllow); d.GrantID != "old" {
		t.Errorf("%+v", d)
	}
	next := asked
	next.Call.Args = []byte(`{"path":"` + flat + `/a.txt","new":"x"}`)
	wantVerdict(t, next.with(old), VerdictAsk)
}
