package inspect

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/procgroup"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

const (
	gitTime   = 20 * time.Second
	maxGit    = 2 << 20 // bytes of output
	maxErrors = 4 << 10 // bytes of error output
	gitGrace  = 20 * time.Millisecond
)

type gitOutput struct {
	text string
	// more is true if the output was cut at maxGit.
	more bool
}

// The repository's configuration is untrusted, so git overrides the settings that could start programs.
func (t *Tools) git(ctx context.Context, r repository, args []string) (gitOutput, *toolspec.Result) {
	name, err := exec.LookPath("git")
	if err != nil {
		return gitOutput{}, toolkit.Fail(toolspec.UserError, "git is not installed on this machine",
			"Ask the person to install it.")
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	settings := safeSettings()
	keys, bad := t.runGit(ctx, name, r, settings, []string{"config", "--list", "--name-only", "--null", "--includes"})
	if bad != nil {
		return gitOutput{}, bad
	}
	if keys.more {
		return gitOutput{}, toolkit.Fail(toolspec.SecurityError,
			"the repository's configuration is too long to be checked",
			"Ask the person to check its .git/config.")
	}
	ignoreRevs := false
	for key := range strings.SplitSeq(keys.text, "\x00") {
		settings = append(settings, overrides(key)...)
		ignoreRevs = ignoreRevs || strings.EqualFold(key, "blame.ignoreRevsFile")
	}
	a, bad := t.runGit(ctx, name, r, settings, args)
	if bad != nil && ignoreRevs && args[0] == "blame" {
		// This setting cannot be overridden, and git's error message would quote the file.
		return a, toolkit.Fail(toolspec.UserError, "git blame ended with an error",
			"The repository's setting blame.ignoreRevsFile may name a file that is not a list of commits.")
	}
	return a, bad
}

type setting struct{ key, value string }

// safeSettings overrides settings that start programs, use the network or read files that the repository names.
func safeSettings() []setting {
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

// overrides disables the programs that key of a repository's configuration names.
func overrides(key string) []setting {
	section, rest, ok := strings.Cut(key, ".")
	last := strings.LastIndexByte(rest, '.')
	if !ok || last < 0 {
		return nil
	}
	// The middle part may contain dots and any case; the last part is the variable.
	name := key[:len(section)+1+last+1]
	switch strings.ToLower(section) {
	case "filter":
		return []setting{
			{name + "clean", ""},
			{name + "smudge", ""},
			{name + "process", ""},
			{name + "required", "false"},
		}
	case "diff":
		return []setting{{name + "command", ""}, {name + "textconv", ""}, {name + "cachetextconv", "false"}}
	case "remote":
		return []setting{{name + "promisor", "false"}, {name + "uploadpack", "false"}}
	}
	return nil
}

func gitEnvironment(r repository, settings []setting) []string {
	env := procgroup.Environment(
		"HOME=/nonexistent", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "PAGER=cat", "GIT_EDITOR=false",
		"GIT_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_LITERAL_PATHSPECS=1", "GIT_DIR="+r.dir,
		"GIT_WORK_TREE="+r.top,
		"GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)),
	)
	for i, s := range settings {
		env = append(env, "GIT_CONFIG_KEY_"+strconv.Itoa(i)+"="+s.key, "GIT_CONFIG_VALUE_"+strconv.Itoa(i)+"="+s.value)
	}
	return env
}

// runGit uses the sandbox if there is one, so that a program that git starts in spite of the settings has no network
// and no write access.
func (t *Tools) runGit(
	ctx context.Context, name string, r repository, settings []setting, args []string,
) (gitOutput, *toolspec.Result) {
	if t.cfg.Sandbox != nil {
		if ok, _, _ := t.cfg.Sandbox.Available(); ok {
			return t.confinedGit(ctx, name, r, settings, args)
		}
	}
	return plainGit(ctx, name, r, settings, args)
}

func (t *Tools) confinedGit(
	ctx context.Context, name string, r repository, settings []setting, args []string,
) (gitOutput, *toolspec.Result) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stderr boundedBuffer
	stdout := cappedBuffer{onFull: cancel}
	spec := confine.Spec{
		Args: append([]string{name, "--no-pager", "--no-optional-locks"}, args...), Dir: r.top, Workspace: r.top,
		ReadOnly: true,
		Env:      gitEnvironment(r, settings), Stdout: &stdout, Stderr: &stderr,
	}
	for _, place := range r.reads {
		spec.Readable = append(spec.Readable, place.Path)
	}
	exit, err := t.cfg.Sandbox.Run(ctx, spec)
	a := gitOutput{text: stdout.String(), more: stdout.more}
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
	return a, gitFailure(ctx, stderr.String(), code)
}

type cappedBuffer struct {
	bytes.Buffer
	more   bool
	onFull func()
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	if left := maxGit - c.Len(); left < len(p) {
		_, _ = c.Buffer.Write(p[:left])
		c.more = true
		c.onFull()
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

// code is "" on success.
func gitFailure(ctx context.Context, stderr, code string) *toolspec.Result {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return toolkit.Fail(toolspec.SystemError, "git did not finish within "+gitTime.String(),
			"Narrow it with path, rev or limit.")
	case ctx.Err() != nil:
		return toolkit.Fail("", "stopped", "")
	case code != "":
		text := strings.TrimSpace(strings.ToValidUTF8(stderr, "\ufffd"))
		if text == "" {
			text = code
		}
		return toolkit.Fail(toolspec.UserError, "git failed: "+text,
			"Check the repository with the commands status, branch or log first.")
	}
	return nil
}

func plainGit(
	ctx context.Context, name string, r repository, settings []setting, args []string,
) (gitOutput, *toolspec.Result) {
	var stderr boundedBuffer
	p, err := procgroup.Start(procgroup.Spec{
		Name: name, Args: append([]string{"--no-pager", "--no-optional-locks"}, args...), Dir: r.top,
		Env: gitEnvironment(r, settings),
		Log: &stderr, Pipes: true,
	})
	if err != nil {
		return gitOutput{}, toolkit.Fail(toolspec.SystemError, "git did not start: "+err.Error(), "Try again.")
	}
	defer func() { _ = p.Stdout.Close() }()
	_ = p.Stdin.Close()
	stop := context.AfterFunc(ctx, func() { p.Stop(gitGrace) })
	defer stop()
	b, _ := io.ReadAll(io.LimitReader(p.Stdout, maxGit+1))
	a := gitOutput{text: string(b[:min(len(b), maxGit)]), more: len(b) > maxGit}
	if a.more {
		p.Stop(gitGrace)
	}
	<-p.Done()
	code := p.ExitStatus()
	if code == "exit 0" || a.more {
		code = ""
	}
	return a, gitFailure(ctx, stderr.String(), code)
}

type boundedBuffer struct{ bytes.Buffer }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if left := maxErrors - b.Len(); left > 0 {
		_, _ = b.Buffer.Write(p[:min(len(p), left)])
	}
	return len(p), nil
}
