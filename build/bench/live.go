package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

const (
	minFrames = 30.0
	maxPress  = 100.0 // ms
)

// LiveView contains the results of the Go benchmark of the live view.
type LiveView struct {
	FramesPerSecond float64 `json:"frames_per_second"`
	PressToPicture  float64 `json:"press_to_picture_ms"`
}

var (
	framesMetric = regexp.MustCompile(`([\d.]+) frames/s`)
	pressMetric  = regexp.MustCompile(`([\d.]+) ms/median`)
)

// measureLive runs the benchmark of the live view, which is in the package that it measures.
func measureLive(ctx context.Context) (*LiveView, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "sqlite_fts5", "-run", "^$", "-bench", "Live", "-benchtime",
		"3s", "./backend/api/ws")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the live view's benchmark: %w\n%s", err, out)
	}
	fmt.Printf("%s", out)
	l := &LiveView{}
	for _, m := range []struct {
		re *regexp.Regexp
		to *float64
	}{{framesMetric, &l.FramesPerSecond}, {pressMetric, &l.PressToPicture}} {
		found := m.re.FindSubmatch(out)
		if found == nil {
			return nil, fmt.Errorf("the live view's benchmark printed nothing for %s", m.re)
		}
		if *m.to, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (r *Report) liveTargets() []target {
	frames := target{what: "live view: 30 frames a second at 1280×720", found: "not measured"}
	press := target{
		what:  "live view: from a click to the changed picture at most 100 ms, median",
		found: "not measured",
	}
	if r.Live != nil {
		frames.found, frames.met = fmt.Sprintf("%.0f", r.Live.FramesPerSecond), r.Live.FramesPerSecond >= minFrames
		press.found, press.met = fmt.Sprintf("%.0f ms", r.Live.PressToPicture), r.Live.PressToPicture <= maxPress
	}
	return []target{frames, press}
}
