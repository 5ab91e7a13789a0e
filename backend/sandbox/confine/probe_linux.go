package confine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// probeCode is what the trial run ends with.
const probeCode = 7

// tryWalls finds the best walls that work here, by running a program behind them. Before the
// first run is also when what killed Sextants left is wiped.
func (c *Confine) tryWalls() (walls, string) {
	sweep(c.cfg.TempDir)
	version := landlockVersion()
	if slices.Contains(c.cfg.Without, "landlock") {
		version = 0
	}
	if version < landlockMoves {
		return walls{}, fmt.Sprintf("this kernel's Landlock is missing or too old (version %d, 2 is needed)", version)
	}
	var tried []walls
	reason := "bubblewrap is not installed"
	if bwrap, err := exec.LookPath("bwrap"); err == nil && !slices.Contains(c.cfg.Without, "bubblewrap") {
		tried = append(tried, walls{Any: true, Bubblewrap: bwrap, UserNamespace: true, Landlock: version})
		if os.Geteuid() == 0 {
			tried = append(tried, walls{Any: true, Bubblewrap: bwrap, Landlock: version})
		}
	}
	if version >= landlockScopes {
		tried = append(tried, walls{Any: true, Landlock: version})
	}
	for _, w := range tried {
		err := c.try(w)
		if err == nil {
			return w, ""
		}
		reason = strings.TrimPrefix(err.Error(), ErrSetup.Error()+": ")
	}
	if version < landlockScopes {
		reason += fmt.Sprintf("; without it this kernel's Landlock would have to be version %d, it is %d",
			landlockScopes, version)
	}
	return walls{}, reason
}

func (c *Confine) try(w walls) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p, err := c.command(ctx, Spec{Args: []string{"/bin/sh", "-c", fmt.Sprintf("exit %d", probeCode)}}, w)
	if err != nil {
		return err
	}
	exit, err := p.Wait()
	if err == nil && exit.Code != probeCode {
		err = fmt.Errorf("a program run in it ended with %d: %s", exit.Code, p.errors.String())
	}
	return err
}
