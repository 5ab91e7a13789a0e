package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// newProc is a /proc with two processes and two sockets.
func newProc(t *testing.T, tools *Tools) {
	t.Helper()
	dir := t.TempDir()
	tools.cfg.Proc = dir
	stat := func(name string, pages int) string {
		return fmt.Sprintf("7 (%s) S 1 7 7 0 -1 4194304 1 0 0 0 1500 500 0 0 20 0 1 0 10000 1000 %d 0 0 0 0", name,
			pages)
	}
	for path, text := range map[string]string{
		"7/stat": stat("odd) S 9 (name", 2000), "7/status": "Name:\tx\nUid:\t1000\t1000\t1000\t1000\n",
		"7/cmdline": "/usr/bin/server\x00--db-password=hunter2secret\x00--token\x00abc.def\x00--port\x008080\x00postgres://ada:hunter3secret@db.example/x\x00",
		"8/stat":    strings.Replace(stat("kthread", 1), "7 (", "8 (", 1), "8/cmdline": "",
		"8/status": "Uid:\t0\t0\t0\t0\n",
		"9/stat":   "broken", "self/stat": stat("self", 9), "loadavg": "0.50 0.40 0.30 1/200 9",
		"uptime":  "300.55 500.00",
		"meminfo": "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\nSwapTotal: 0 kB\n",
		"cpuinfo": "model name\t: Test Processor\n", "sys/kernel/osrelease": "6.1-test",
		"net/tcp": "  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 0\n   1: " +
			"0100007F:1F90 0100007F:9999 01 0\n   2: broken 0 0A\n",
		"net/tcp6": "  sl\n   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0\n",
	} {
		writeFile(t, filepath.Join(dir, path), text)
	}
}

func TestSystemInfoMasksSecrets(t *testing.T) {
	tools, _ := newTools(t)
	newProc(t, tools)
	r := run(t, tools, "system_info", map[string]any{})
	wantText(t, r, "6.1-test", "load 0.50 0.40 0.30", "up 5m0s", "× Test Processor", "1000 MiB available",
		"Processes: 2;", "uid 1000  /usr/bin/server --db-password=••• --token ••• --port 8080 "+
			"postgres://ada:•••@db.example/x", "[kthread]",
		"127.0.0.1:8080, [::1]:80", "Established connections: 1")
	if strings.Contains(r.Text, "hunter") {
		t.Errorf("a secret is shown: %s", r.Text)
	}
	v := r.Value.(report)
	if p := v.Processes.Largest[0]; p.ID != 7 || p.Name != "odd) S 9 (name" || p.Parent != 1 ||
		p.Memory != uint64(2000*os.Getpagesize()) || p.Processor != 9.9 {
		t.Errorf("%+v", p)
	}
	r = run(t, tools, "system_info", map[string]any{"what": "network"})
	if v := r.Value.(report); v.Processes != nil || v.Resources != nil || len(v.Network.Listening) != 2 {
		t.Errorf("%+v", v)
	}
	wantError(t, run(t, tools, "system_info", map[string]any{"what": "passwords"}), toolspec.ValidationError,
		"Send all, processes, resources or network")
}

func TestSystemInfo(t *testing.T) {
	tools, _ := newTools(t)
	found := tools.processes(t.Context())
	if _, ok := tools.process(os.Getpid(), tools.uptime()); !ok || found.Total < 1 {
		t.Errorf("%d processes, and this one is not among them", found.Total)
	}
	if r := tools.resources(); r.Memory == 0 || r.Uptime == 0 || len(r.Disks) == 0 || r.Disks[0].Size == 0 {
		t.Errorf("%+v", r)
	}
}

func TestSecretsInCommandLinesAreMasked(t *testing.T) {
	for line, want := range map[string]string{
		"curl -H|Authorization: Bearer abcdefgh":        "curl -H Authorization: •••",
		"curl -u|ada:hunter2|https://x.example":         "curl -u ••• https://x.example",
		"mysql -uroot|-phunter2|shop":                   "mysql -uroot -p••• shop",
		"env|API_KEY=abc|run":                           "env API_KEY=••• run",
		"app|--api-key|abc|--verbose":                   "app --api-key ••• --verbose",
		"app|--passphrase=a b|x":                        "app --passphrase=••• x",
		"app|--no-password|--x":                         "app --no-password --x",
		"node|server.js|--port|3000":                    "node server.js --port 3000",
		"python|-m|http.server|8000":                    "python -m http.server 8000",
		"sh|-c|DB_PASSWORD=hunter2 ./run --fast":        "sh -c DB_PASSWORD=•••",
		"git|clone|https://ada:hunter2@git.example/x":   "git clone https://ada:•••@git.example/x",
		"aws|AKIAIOSFODNN7EXAMPLE":                      "aws •••",
		"ssh|-p2222|host.example":                       "ssh -p2222 host.example",
		"chromium|--type=renderer|--lang=en":            "chromium --type=renderer --lang=en",
		"app|--client-secret|abc|--access-token=x|-ptr": "app --client-secret ••• --access-token=••• -ptr",
	} {
		t.Run(line, func(t *testing.T) {
			args := strings.Split(line, "|")
			args = append(strings.SplitN(args[0], " ", 2), args[1:]...)
			if got := maskSecrets(args); got != want {
				t.Errorf("%s\n got %s\nwant %s", line, got, want)
			}
		})
	}
}
