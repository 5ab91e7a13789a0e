package command

import (
	"reflect"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
)

// These run the command %s as a part of another. The quoted ones take it as one word.
var (
	plainWraps = []string{
		"ls; %s\n", "%s\nls", "ls && %s\n", "ls || %s\n", "(%s\n)", "{ %s\n}", "if true; then %s\nfi",
		"while false; do %s\ndone", "for w_i in 1 2; do %s\ndone",
		"case a in a) %s\n;; esac", "w_f() { %s\n}", "w_f() { %s\n}; w_f", "echo $(%s\n)", "echo \"$(%s\n)\"",
		"w_x=$(%s\n)", "cat <(%s\n)", "date | { %s\n}", "{ %s\n} | cat", "cat <<EOF_W\n$(%s\n)\nEOF_W\n",
		"cd src; %s\n", "cd src && { %s\n}", "! { %s\n}", "{ %s\n} &", "coproc { %s\n}", "[[ -n $(%s\n) ]]",
		"set -e; %s\n", "true; ( %s\n ) > /dev/null",
	}
	quotedWraps = []string{
		"sh -c %s", "bash -c %s", "bash -ec %s", "/bin/sh -c %s", "env sh -c %s", "env A=1 sh -c %s", "env -i sh -c %s",
		"sudo sh -c %s", "doas sh -c %s", "timeout 5 sh -c %s", "nice -n 5 sh -c %s",
		"ionice -c 3 sh -c %s", "nohup sh -c %s", "setsid sh -c %s", "stdbuf -oL sh -c %s", "chroot / sh -c %s",
		"unshare -r sh -c %s", "nsenter -t 1 -m sh -c %s", "busybox sh -c %s", "busybox timeout 5 sh -c %s",
		"command sh -c %s", "exec sh -c %s", "builtin eval %s", "eval %s", "trap %s EXIT", "alias w_x=%s", "watch %s",
		"watch -x sh -c %s", "xargs sh -c %s", "xargs -I{} sh -c %s", "find . -exec sh -c %s \\;",
		"find . -execdir sh -c %s {} +", "find . -name x -ok sh -c %s \\;", "parallel sh -c %s", "su -c %s",
		"su bob -c %s", "flock l -c %s", "flock l sh -c %s", "script -c %s", "time sh -c %s", "/usr/bin/time sh -c %s",
		"bash <<< %s", "git bisect run sh -c %s", "git submodule foreach %s", "git rebase --exec %s main",
		"git -c alias.x=!%s x", "tar tf a.tar --to-command=%s", "sort --compress-program=%s a", "ssh h.example.com %s",
		"python3 -c %s", "perl -e %s", "awk %s a.txt; sh -c %s", "vim -c %s a", "make SHELL=%s", "taskset 1 sh -c %s",
		"prlimit sh -c %s", "setarch x86_64 sh -c %s", "ls | xargs -n1 sh -c %s", "man -P %s ls",
		"timeout 5 nice env xargs sh -c %s", "sh -c 'sh -c \"$0\"' %s", "env -S 'sh -c' %s",
		"runuser -u bob -- sh -c %s", "fd x -x sh -c %s", "split --filter=%s a", "rg --pre=%s a",
	}
)

func fill(t testing.TB, wrap, command string) string {
	t.Helper()
	if strings.Contains(command, "EOF_W") {
		return ""
	}
	return strings.ReplaceAll(wrap, "%s", command)
}

// checkNeverHarmless fails when a wrapper makes a command harmless that is not. It returns how many it tried.
func checkNeverHarmless(t testing.TB, command string) int {
	t.Helper()
	n := 0
	for _, wrap := range plainWraps {
		if strings.Contains(wrap, "<<EOF_W") && strings.ContainsAny(command, "`\\") {
			continue // backslashes mean something else there
		}
		if text := fill(t, wrap, command); text != "" && Analyze(text, at).Harmless {
			t.Errorf("%q is harmless, and %q in it is not", text, command)
		}
		n++
	}
	quoted, err := syntax.Quote(command, syntax.LangBash)
	if err != nil || strings.ContainsAny(command[:1], "-+") {
		return n // an option of the wrapper
	}
	for _, wrap := range quotedWraps {
		if text := fill(t, wrap, quoted); Analyze(text, at).Harmless {
			t.Errorf("%q is harmless, and %q in it is not", text, command)
		}
		n++
	}
	return n
}

// isComplete reports whether a text is a command that can be a part of another.
func isComplete(command string) bool {
	_, err := bash.Parse(command)
	return err == nil && !strings.Contains(command, "<<") && !strings.HasSuffix(command, `\`)
}

func TestWrappersNeverMakeCommandHarmless(t *testing.T) {
	n := 0
	for _, c := range readTable(t) {
		if c.verdict != "harmless" && isComplete(c.command) {
			n += checkNeverHarmless(t, c.command)
		}
	}
	t.Logf("%d wrapped commands", n)
	if n < 10_000 {
		t.Fatalf("%d wrapped commands, want at least 10000", n)
	}
}

func TestWrappersKeepHarmlessCommandHarmless(t *testing.T) {
	for _, wrap := range []string{
		"sh -c %s", "bash -c %s", "timeout 5 sh -c %s", "nice sh -c %s", "env sh -c %s", "nohup sh -c %s", "eval %s",
		"busybox sh -c %s", "watch %s",
	} {
		t.Run(wrap, func(t *testing.T) {
			for _, command := range []string{"ls -l", "grep -rn x . | head", "cat a.txt && wc -l b.txt", "git status"} {
				quoted, err := syntax.Quote(command, syntax.LangBash)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(wrap, "%s", quoted)
				if r := Analyze(text, at); !r.Harmless {
					t.Errorf("%q asks: %q", text, r.Warnings)
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range readTable(f) {
		f.Add(c.command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		r := Analyze(command, at)
		if r.Sentence == "" {
			t.Fatalf("%q: no sentence", command)
		}
		if r.Harmless && (len(r.Warnings) > 0 || r.Network || changesFiles(r.Files)) {
			t.Fatalf("%q is harmless in spite of its facts: %+v", command, r)
		}
		if again := Analyze(command, at); !reflect.DeepEqual(r, again) {
			t.Fatalf("%q is read differently the second time", command)
		}
		for _, file := range r.Files {
			if !strings.HasPrefix(file.Path, "/") {
				t.Fatalf("%q: the path %q is not absolute", command, file.Path)
			}
		}
		if len(command) < 200 && !r.Harmless && isComplete(command) {
			checkNeverHarmless(t, command)
		}
	})
}
