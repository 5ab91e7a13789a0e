package look

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/guard/veil"
)

// Bounds of the list of processes.
const (
	maxProcesses   = 40
	maxCommandLine = 300
	// ticks is how many the kernel counts in a second, on every Linux that Go runs on.
	ticks = 100
)

// processes are the largest by memory, and how many there are at all.
type processes struct {
	Total   int       `json:"total"`
	Largest []process `json:"largest"`
}

// process is one; Memory is what is resident in bytes, Processor its share of one core over its
// life, in percent.
type process struct {
	ID        int     `json:"pid"`
	Parent    int     `json:"parent"`
	User      string  `json:"uid"`
	State     string  `json:"state"`
	Name      string  `json:"name"`
	Memory    uint64  `json:"memory"`
	Processor float64 `json:"processor"`
	// Command is the command line without what looks like a secret.
	Command string `json:"command"`
}

func (t *Tools) processes(ctx context.Context) processes {
	entries, err := os.ReadDir(t.cfg.Proc)
	if err != nil {
		return processes{}
	}
	var all processes
	uptime := t.uptime()
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || ctx.Err() != nil {
			continue
		}
		if p, ok := t.process(id, uptime); ok {
			all.Total++
			all.Largest = append(all.Largest, p)
		}
	}
	slices.SortFunc(all.Largest, func(a, b process) int {
		return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.ID, b.ID))
	})
	all.Largest = all.Largest[:min(len(all.Largest), maxProcesses)]
	for i := range all.Largest {
		all.Largest[i].Command = t.commandLine(all.Largest[i])
	}
	return all
}

// process reads /proc/ID/stat, see proc(5). The name stands in parentheses and may hold any.
func (t *Tools) process(id int, uptime float64) (process, bool) {
	stat := t.proc(strconv.Itoa(id), "stat")
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := strings.Fields(stat[end+1:])
	if len(f) < 22 {
		return process{}, false
	}
	number := func(field int) float64 { // by its number in proc(5)
		n, _ := strconv.ParseFloat(f[field-3], 64)
		return n
	}
	p := process{ID: id, Name: stat[open+1 : end], State: f[0], Parent: int(number(4)), Memory: uint64(max(number(24), 0)) * uint64(os.Getpagesize())}
	if life := uptime - number(22)/ticks; life > 0 {
		p.Processor = float64(int((number(14)+number(15))/ticks/life*1000)) / 10
	}
	for line := range strings.Lines(t.proc(strconv.Itoa(id), "status")) {
		if uids, ok := strings.CutPrefix(line, "Uid:"); ok {
			if ids := strings.Fields(uids); len(ids) > 0 {
				p.User = ids[0]
			}
		}
	}
	return p, true
}

// commandLine is how a process was started, its name in brackets when it does not say.
func (t *Tools) commandLine(p process) string {
	raw := t.proc(strconv.Itoa(p.ID), "cmdline")
	args := strings.Split(strings.TrimRight(raw, "\x00"), "\x00")
	if raw == "" {
		return "[" + p.Name + "]"
	}
	line := masked(args)
	if r := []rune(line); len(r) > maxCommandLine {
		line = string(r[:maxCommandLine]) + "…"
	}
	return line
}

var (
	secretOption = regexp.MustCompile(`(?i)^(--?[a-z0-9._-]*(?:pass|passwd|password|passphrase|secret|token|credential|api-?key|access-?key|private-?key|auth)[a-z0-9._-]*)(=.*)?$`)
	secretNamed  = regexp.MustCompile(`(?i)([a-z0-9_.-]*(?:pass|passwd|password|passphrase|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)[a-z0-9_.-]*\s*[=:]\s*)(\S.*)`)
	longOption   = regexp.MustCompile(`^-p\S+$`)
	userOption   = regexp.MustCompile(`^(-u|--user|--proxy-user)$`)
)

// masked is a command line without values of options and names that look like secrets, and
// without keys of well-known kinds.
func masked(args []string) string {
	out := make([]string, 0, len(args))
	hideNext := false
	for i, arg := range args {
		m := secretOption.FindStringSubmatch(arg)
		switch {
		case hideNext:
			hideNext = false
			if !strings.HasPrefix(arg, "-") {
				arg = veil.Mark
			}
		case m != nil && m[2] != "":
			arg = m[1] + "=" + veil.Mark
		case m != nil:
			hideNext = true
		case userOption.MatchString(arg) && i+1 < len(args) && strings.Contains(args[i+1], ":"):
			hideNext = true
		case longOption.MatchString(arg) && clientWithPassword(args[0]):
			arg = "-p" + veil.Mark
		default:
			arg = secretNamed.ReplaceAllString(arg, "${1}"+veil.Mark)
		}
		out = append(out, arg)
	}
	return veil.New(nil).Text(strings.Join(out, " "), "a command line")
}

// clientWithPassword reports whether a program takes a password as -pWORD.
func clientWithPassword(program string) bool {
	name := program[strings.LastIndexByte(program, '/')+1:]
	return strings.HasPrefix(name, "mysql") || strings.HasPrefix(name, "mariadb") || name == "sshpass" || name == "7z" || name == "unrar" || name == "mongosh" || name == "mongo"
}

func (p processes) write(b *strings.Builder) {
	_, _ = fmt.Fprintf(b, "Processes: %d; the largest by memory:\n", p.Total)
	for _, x := range p.Largest {
		_, _ = fmt.Fprintf(b, "%7d  %8s  %5.1f%%  uid %s  %s\n", x.ID, size(x.Memory), x.Processor, x.User, x.Command)
	}
}
