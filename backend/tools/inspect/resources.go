package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Memory and swap are in bytes.
type resources struct {
	System    string  `json:"system"`
	Processor string  `json:"processor"`
	Cores     int     `json:"cores"`
	Load      string  `json:"load"`
	Uptime    int64   `json:"uptime_s"`
	Memory    uint64  `json:"memory"`
	Available uint64  `json:"memory_available"`
	Swap      uint64  `json:"swap"`
	SwapFree  uint64  `json:"swap_free"`
	Disks     []disk  `json:"disks"`
	uptime    float64 // not rounded
}

type disk struct {
	Path string `json:"path"`
	Size uint64 `json:"size"`
	Free uint64 `json:"free"`
}

func (t *Tools) proc(elements ...string) string {
	b, err := os.ReadFile(filepath.Join(append([]string{t.cfg.Proc}, elements...)...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (t *Tools) resources() resources {
	r := resources{
		System: strings.TrimSpace(runtime.GOOS + "/" + runtime.GOARCH + " " + t.proc("sys/kernel/osrelease")),
		Cores:  runtime.NumCPU(),
	}
	for line := range strings.Lines(t.proc("cpuinfo")) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			r.Processor = strings.TrimSpace(value)
			break
		}
	}
	if f := strings.Fields(t.proc("loadavg")); len(f) >= 3 {
		r.Load = strings.Join(f[:3], " ")
	}
	r.uptime = t.uptime()
	r.Uptime = int64(r.uptime)
	for line := range strings.Lines(t.proc("meminfo")) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "MemTotal":
			r.Memory = n << 10
		case "MemAvailable":
			r.Available = n << 10
		case "SwapTotal":
			r.Swap = n << 10
		case "SwapFree":
			r.SwapFree = n << 10
		}
	}
	paths := []string{"/"}
	if folder := t.cfg.Folder(); folder != "" {
		paths = append(paths, folder)
	}
	for _, path := range paths {
		if size, free, ok := space(path); ok {
			r.Disks = append(r.Disks, disk{path, size, free})
		}
	}
	return r
}

// uptime is in seconds, or 0 if it is not known.
func (t *Tools) uptime() float64 {
	first, _, _ := strings.Cut(t.proc("uptime"), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}

func (r resources) write(b *strings.Builder) {
	write := func(format string, a ...any) { _, _ = fmt.Fprintf(b, format, a...) }
	write("System: %s, up %s, load %s\n", r.System, (time.Duration(r.Uptime) * time.Second).String(), r.Load)
	write("Processor: %d × %s\n", r.Cores, r.Processor)
	write("Memory: %s, %s available; swap %s, %s free\n", humanize.IBytes(r.Memory), humanize.IBytes(r.Available),
		humanize.IBytes(r.Swap), humanize.IBytes(r.SwapFree))
	for _, d := range r.Disks {
		write("Disk of %s: %s, %s free\n", d.Path, humanize.IBytes(d.Size), humanize.IBytes(d.Free))
	}
}
