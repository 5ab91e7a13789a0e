package look

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"sextant/backend/guard/confine"
	"sextant/backend/tools/panels/child"
	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
)

// Bounds of a run of git.
const (
	gitTime   = 20 * time.Second
	maxGit    = 2 << 20 // bytes of its answer
	maxErrors = 4 << 10 // bytes of its complaints
	gitGrace  = 20 * time.Millisecond
)

// gitAnswer is what git wrote.
type gitAnswer struct {
	text string
	// more is true when there was more than maxGit.
	more bool
}

// git runs one command that only reads. The repository's own configuration is somebody else's
// text: what it can start is taken out of force first.
func (t *Tools) git(ctx context.Context, r repository, args []string) (gitAnswer, *toolspec.Result) {
	name, err := exec.LookPath("git")
	if err != nil {
		return gitAnswer{}, room.Fail(toolspec.UserError, "git is not installed on this machine", "Ask the person to install it.")
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	settings := calm()
	keys, bad := t.runGit(ctx, name, r, settings, []string{"config", "--list", "--name-only", "--null", "--includes"})
	if bad != nil {
		return gitAnswer{}, bad
	}
	if keys.more {
		return gitAnswer{}, room.Fail(toolspec.SecurityError, "the repository's configuration is too long to be judged", "Ask the person to look at its .git/config.")
	}
	named := false
	for key := range strings.SplitSeq(keys.text, "\x00") {
		settings = append(settings, silenced(key)...)
		named = named || strings.EqualFold(key, "blame.ignoreRevsFile")
	}
	a, bad := t.runGit(ctx, name, r, settings, args)
	if bad != nil && named && args[0] == "blame" {
		// It cannot be taken out of force, and git's complaint about such a file quotes it.
		return a, room.Fail(toolspec.UserError, "git blame ended with an error", "The repository's setting blame.ignoreRevsFile may name a file that is no list of commits.")
	}
	return a, bad
}

// setting is one of git's, which wins over the repository's own.
type setting struct{ key, value string }

// calm are the settings that keep git from starting programs, asking the network and reading
// files that a repository names.
func calm() []setting {
	return []setting{
		{"core.fsmonitor", "false"},
		{"core.hooksPath", "/dev/null"},
		{"core.pager", "cat"},
		{"core.editor", "false"},
		{"core.sshCommand", "false"},
		{"core.askPass", "false"},
		{"core.gitProxy", "none"},
		{"core.attributesFile", "/dev/null"},
		{"core.excludesFile", "/dev/null"},
		{"core.untrackedCache", "false"},
		{"core.alternateRefsCommand", "false"},
		{"core.quotePath", "false"},
		{"credential.helper", ""},
		{"diff.external", ""},
		{"diff.orderFile", "/dev/null"},
		{"diff.ignoreSubmodules", "all"},
		{"diff.submodule", "short"},
		{"status.submoduleSummary", "false"},
		{"submodule.recurse", "false"},
		{"log.showSignature", "false"},
		{"gpg.program", "false"},
		{"gpg.ssh.program", "false"},
		{"gpg.x509.program", "false"},
		{"blame.ignoreRevsFile", ""},
		{"mailmap.file", ""},
		{"mailmap.blob", ""},
		{"protocol.allow", "never"},
		{"maintenance.auto", "false"},
		{"gc.auto", "0"},
		{"help.autoCorrect", "0"},
		{"trace2.eventTarget", "0"},
		{"trace2.normalTarget", "0"},
		{"trace2.perfTarget", "0"},
	}
}

// silenced are the settings that take a program out of force which key of a repository's
// configuration names.
func silenced(key string) []setting {
	section, rest, ok := strings.Cut(key, ".")
	last := strings.LastIndexByte(rest, '.')
	if !ok || last < 0 {
		return nil
	}
	// Names in the middle may hold dots and any case; the last part is the variable.
	name := key[:len(section)+1+last+1]
	switch strings.ToLower(section) {
	case "filter":
		return []setting{{name + "clean", ""}, {name + "smudge", ""}, {name + "process", ""}, {name + "required", "false"}}
	case "diff":
		return []setting{{name + "command", ""}, {name + "textconv", ""}, {name + "cachetextconv", "false"}}
	case "remote":
		return []setting{{name + "promisor", "false"}, {name + "uploadpack", "false"}}
	}
	return nil
}

// environment is git's whole environment.
func environment(r repository, settings []setting) []string {
	env := child.Environment(
		"HOME=/nonexistent", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "PAGER=cat", "GIT_EDITOR=false", "GIT_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_LITERAL_PATHSPECS=1", "GIT_DIR="+r.dir, "GIT_WORK_TREE="+r.top,
		"GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)),
	)
	for i, s := range settings {
		env = append(env, "GIT_CONFIG_KEY_"+strconv.Itoa(i)+"="+s.key, "GIT_CONFIG_VALUE_"+strconv.Itoa(i)+"="+s.value)
	}
	return env
}

// runGit runs git once and reads its answer; more than maxGit of it ends git. It runs behind the walls
// of a command where there are any: should git start what it was told not to, that reaches nothing.
func (t *Tools) runGit(ctx context.Context, name string, r repository, settings []setting, args []string) (gitAnswer, *toolspec.Result) {
	if t.cfg.Confine != nil {
		if ok, _, _ := t.cfg.Confine.Available(); ok {
			return t.confinedGit(ctx, name, r, settings, args)
		}
	}
	return plainGit(ctx, name, r, settings, args)
}

// confinedGit is runGit in the sandbox: it reads, has no network, and writes nothing that stays.
func (t *Tools) confinedGit(ctx context.Context, name string, r repository, settings []setting, args []string) (gitAnswer, *toolspec.Result) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var complaints bounded
	said := capped{full: cancel}
	spec := confine.Spec{
		Args: append([]string{name, "--no-pager", "--no-optional-locks"}, args...), Dir: r.top, Workspace: r.top, ReadOnly: true,
		Env: environment(r, settings), Stdout: &said, Stderr: &complaints,
	}
	for _, place := range r.reads {
		spec.Shown = append(spec.Shown, place.Path)
	}
	exit, err := t.cfg.Confine.Run(ctx, spec)
	a := gitAnswer{text: said.String(), more: said.more}
	code := ""
	switch {
	case err != nil:
		code = err.Error()
	case exit.Code != 0:
		code = "exit " + strconv.Itoa(exit.Code)
	}
	if a.more {
		return a, nil
	}
	return a, gitFailure(ctx, complaints.String(), code)
}

// capped keeps the first maxGit bytes written to it and says once that there are more.
type capped struct {
	bytes.Buffer
	more bool
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	if room := maxGit - c.Len(); room < len(p) {
		_, _ = c.Buffer.Write(p[:room])
		c.more = true
		c.full()
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

// gitFailure words how a run of git ended, nil for well; code is "" for that.
func gitFailure(ctx context.Context, complaints, code string) *toolspec.Result {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return room.Fail(toolspec.SystemError, "git was not done within "+gitTime.String(), "Narrow it with path, rev or limit.")
	case ctx.Err() != nil:
		return room.Fail("", "stopped", "")
	case code != "":
		text := strings.TrimSpace(strings.ToValidUTF8(complaints, "\ufffd"))
		if text == "" {
			text = code
		}
		return room.Fail(toolspec.UserError, "git says: "+text, "Look at it with the commands status, branch or log first.")
	}
	return nil
}

// plainGit is runGit without a sandbox.
func plainGit(ctx context.Context, name string, r repository, settings []setting, args []string) (gitAnswer, *toolspec.Result) {
	var complaints bounded
	p, err := child.Start(child.Spec{
		Name: name, Args: append([]string{"--no-pager", "--no-optional-locks"}, args...), Dir: r.top, Env: environment(r, settings),
		Log: &complaints, Pipes: true,
	})
	if err != nil {
		return gitAnswer{}, room.Fail(toolspec.SystemError, "git did not start: "+err.Error(), "Try again.")
	}
	defer func() { _ = p.Stdout.Close() }()
	_ = p.Stdin.Close()
	stop := context.AfterFunc(ctx, func() { p.Stop(gitGrace) })
	defer stop()
	b, _ := io.ReadAll(io.LimitReader(p.Stdout, maxGit+1))
	a := gitAnswer{text: string(b[:min(len(b), maxGit)]), more: len(b) > maxGit}
	if a.more {
		p.Stop(gitGrace)
	}
	<-p.Done()
	code := p.Exit()
	if code == "exit 0" || a.more {
		code = ""
	}
	return a, gitFailure(ctx, complaints.String(), code)
}

// bounded keeps the first bytes written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxErrors - b.Len(); room > 0 {
		_, _ = b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
