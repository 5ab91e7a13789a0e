package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"sextant/shared/recipe"
)

const lastRunFile = "last-run.json"

// savedRun is a LastRun in its file.
type savedRun struct {
	recipe.LastRun
	// Process identifies the process in which the run was. Its pages are lost in any other.
	Process string `json:"process"`
	// URL is the address of the page, and Since is the number of the first step on that page.
	URL   string `json:"url,omitempty"`
	Since int    `json:"since,omitempty"`
}

// LastRun returns how far the newest run of a recipe came, nil if it never ran.
func (r *Recipes) LastRun(name string) (*recipe.LastRun, error) {
	saved, err := r.savedRun(name)
	if saved == nil || err != nil {
		return nil, err
	}
	return &saved.LastRun, nil
}

func (r *Recipes) savedRun(name string) (*savedRun, error) {
	text, err := os.ReadFile(filepath.Join(r.cfg.Folder, name, lastRunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no run is no error
	}
	var saved savedRun
	if err == nil {
		err = json.Unmarshal(text, &saved)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the last run of %s: %w", name, err)
	}
	if rec, err := r.Get(name); err != nil || saved.Next > len(rec.Steps) {
		return nil, nil //nolint:nilnil // it was a run of other steps
	}
	if saved.Status == recipe.StatusRunning && saved.Process != r.process {
		saved.Status, saved.Reason = recipe.StatusInterrupted, "Sextant ended while it ran"
	}
	return &saved, nil
}

func (r *Recipes) saveRun(saved savedRun) error {
	text, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("saving the run of %s: %w", saved.Recipe, err)
	}
	return r.write(saved.Recipe, lastRunFile, text)
}

// write replaces a file in the folder of a recipe.
func (r *Recipes) write(name, file string, text []byte) error {
	path := filepath.Join(r.cfg.Folder, name, file)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path+".part", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return fmt.Errorf("saving recipe %s: %w", name, err)
	}
	return nil
}

// goOn prepares run to go on with step from. If the page is lost, it is opened again, and the fields that were filled
// in just before step from are filled in again.
func (r *Recipes) goOn(run *run, rec recipe.Recipe, from int) error {
	run.first = from
	saved, err := r.savedRun(rec.Name)
	if err != nil || saved == nil || saved.Since == 0 || saved.Since > from {
		return err
	}
	run.saved.URL, run.saved.Since = saved.URL, saved.Since
	if saved.Process == r.process || rec.Steps[from-1].Tool == navigateTool {
		return nil
	}
	if from > saved.Next { // a step may have led to another page
		for n := saved.Next; n < from; n++ {
			if e := rec.Steps[n-1].Expect; e != nil && (e.URL != "" || e.Event != "") {
				run.saved.URL, run.saved.Since = sameServer(fill(e.URL, run.shown), saved.URL), n+1
			}
		}
	}
	for run.first > run.saved.Since && fillsIn(rec.Steps[run.first-2]) {
		run.first--
	}
	for n := run.saved.Since; n < run.first; n++ {
		if fillsIn(rec.Steps[n-1]) {
			return fmt.Errorf("its page was closed since, and what step %d filled in is lost", n)
		}
	}
	if run.address = run.saved.URL; run.address == "" {
		return errors.New("its page was closed since, and the address of the next one is not known")
	}
	return nil
}

// sameServer returns the address that pattern stands for, "" if it could be several. A port on this machine that
// differs from start to start is that of address.
func sameServer(pattern, address string) string {
	if u, err := url.Parse(address); err == nil && u.Port() != "" {
		pattern = strings.Replace(pattern, u.Scheme+"://"+u.Hostname()+":*", u.Scheme+"://"+u.Host, 1)
	}
	if strings.Contains(pattern, "*") {
		return ""
	}
	return pattern
}

// fillsIn reports whether a step changes only a field of its page.
func fillsIn(s recipe.Step) bool {
	var args struct{ Submit bool }
	return s.Tool == "select_option" || s.Tool == "upload_file" ||
		(s.Tool == "type_text" && json.Unmarshal(s.Args, &args) == nil && !args.Submit)
}
