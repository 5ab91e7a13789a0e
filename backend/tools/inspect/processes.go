package inspect

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/backend/policy/redact"
	"sextant/shared/excerpt"
)

const (
	maxProcesses   = 40
	maxCommandLine = 300
	// ticksPerSecond is the clock rate of /proc on every Linux that Go runs on (USER_HZ).
	ticksPerSecond = 100
)

type processes struct {
	Total   int       `json:"total"`
	Largest []process `json:"largest"`
}

// Memory is the resident memory in bytes. Processor is the share of one core since the process started, in percent.
type process struct {
	ID        int     `json:"pid"`
	Parent    int     `json:"parent"`
	User      string  `json:"uid"`
	State     string  `json:"state"`
	Name      string  `json:"name"`
	Memory    uint64  `json:"memory"`
	Processor float64 `json:"processor"`
	// Command is the command line with likely secrets masked.
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

// process reads /proc/ID/stat; see proc(5). The name in parentheses may itself contain parentheses.
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
	number := func(field int) float64 { // field is the number in proc(5)
		n, _ := strconv.ParseFloat(f[field-3], 64)
		return n
	}
	p := process{
		ID: id, Name: stat[open+1 : end], State: f[0], Parent: int(number(4)),
		Memory: uint64(max(number(24), 0)) * uint64(os.Getpagesize()),
	}
	if life := uptime - number(22)/ticksPerSecond; life > 0 {
		p.Processor = float64(int((number(14)+number(15))/ticksPerSecond/life*1000)) / 10
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

func (t *Tools) commandLine(p process) string {
	raw := t.proc(strconv.Itoa(p.ID), "cmdline")
	args := strings.Split(strings.TrimRight(raw, "\x00"), "\x00")
	if raw == "" {
		return "[" + p.Name + "]"
	}
	return excerpt.TruncateRunes(maskSecrets(args), maxCommandLine)
}

var (
	secretOption   = regexp.MustCompile(`(?i)^(--?[a-z0-9._-]*(?:pass|passwd|password|passphrase|secret|token|credential|api-?key|access-?key|private-?key|auth)[a-z0-9._-]*)(=.*)?$`)
	secretNamed    = regexp.MustCompile(`(?i)([a-z0-9_.-]*(?:pass|passwd|password|passphrase|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)[a-z0-9_.-]*\s*[=:]\s*)(\S.*)`)
	passwordOption = regexp.MustCompile(`^-p\S+$`)
	userOption     = regexp.MustCompile(`^(-u|--user|--proxy-user)$`)
)

func maskSecrets(args []string) string {
	out := make([]string, 0, len(args))
	hideNext := false
	for i, arg := range args {
		m := secretOption.FindStringSubmatch(arg)
		switch {
		case hideNext:
			hideNext = false
			if !strings.HasPrefix(arg, "-") {
				arg = redact.Placeholder
			}
		case m != nil && m[2] != "":
			arg = m[1] + "=" + redact.Placeholder
		case m != nil:
			hideNext = true
		case userOption.MatchString(arg) && i+1 < len(args) && strings.Contains(args[i+1], ":"):
			hideNext = true
		case passwordOption.MatchString(arg) && takesPassword(args[0]):
			arg = "-p" + redact.Placeholder
		default:
			arg = secretNamed.ReplaceAllString(arg, "${1}"+redact.Placeholder)
		}
		out = append(out, arg)
	}
	return redact.New(nil).Text(strings.Join(out, " "), "a command line")
}

// takesPassword reports whether a program accepts a password as -pPASSWORD.
func takesPassword(program string) bool {
	name := program[strings.LastIndexByte(program, '/')+1:]
	return strings.HasPrefix(name, "mysql") || strings.HasPrefix(name, "mariadb") ||
		slices.Contains([]string{"sshpass", "7z", "unrar", "mongosh", "mongo"}, name)
}

func (p processes) write(b *strings.Builder) {
	_, _ = fmt.Fprintf(b, "Processes: %d; the largest by memory:\n", p.Total)
	for _, x := range p.Largest {
		_, _ = fmt.Fprintf(b, "%7d  %8s  %5.1f%%  uid %s  %s\n", x.ID, humanize.IBytes(x.Memory), x.Processor, x.User,
			x.Command)
	}
}
