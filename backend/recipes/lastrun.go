package recipes

import (
	"crypto/sha256"
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
	// Steps is a digest of the steps. The numbers are only those of these steps.
	Steps string `json:"steps"`
	// URL is the address of the page, and Since is the number of the first step on that page, 0 if it is not known.
	URL   string `json:"url,omitempty"`
	Since int    `json:"since,omitempty"`
}

// Digest identifies what a recipe does, and with which parameters.
func Digest(rec recipe.Recipe) string { return digest([]any{rec.Parameters, rec.Steps}) }

func digest(v any) string {
	text, err := json.Marshal(v) // compacts the arguments
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// LastRun returns how far the newest run of a recipe came, nil if it never ran with the steps that it has now.
func (r *Recipes) LastRun(name string) *recipe.LastRun {
	saved := r.savedRun(name)
	if saved == nil {
		return nil
	}
	return &saved.LastRun
}

// EndRun ends the newest run of a recipe, because the person has done the rest.
func (r *Recipes) EndRun(name string) error {
	if _, err := r.Get(name); err != nil {
		return err
	}
	saved := r.savedRun(name)
	if saved == nil {
		return nil
	}
	saved.Status, saved.Next, saved.Uncertain, saved.Lost, saved.Reason = recipe.StatusDone, 0, false, false, ""
	return r.saveRun(*saved)
}

func (r *Recipes) savedRun(name string) *savedRun {
	rec, err := r.Get(name)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.cfg.Folder, name, lastRunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var saved savedRun
	if err == nil {
		err = json.Unmarshal(text, &saved)
	}
	last := len(rec.Steps)
	switch {
	case err != nil:
		r.cfg.Log.Warn("the last run of a recipe is not known", "recipe", name, "err", err)
		return nil
	case saved.Steps != digest(rec.Steps), saved.Next < 0, saved.Next > last, saved.Since < 0, saved.Since > last+1:
		return nil
	}
	if saved.Status == recipe.StatusRunning && saved.Process != r.process {
		saved.Status, saved.Reason = recipe.StatusInterrupted, "Sextant ended while it ran"
	}
	return &saved
}

// saveRun writes how far a run came. It does nothing if the recipe was deleted.
func (r *Recipes) saveRun(saved savedRun) error {
	text, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("saving the run of %s: %w", saved.Recipe, err)
	}
	if r.Panel(saved.Recipe) != "" { // its folder is not for what Sextant writes
		if err := os.MkdirAll(filepath.Join(r.cfg.Folder, saved.Recipe), 0o700); err != nil {
			return fmt.Errorf("saving the run of %s: %w", saved.Recipe, err)
		}
	}
	if err := r.write(saved.Recipe, lastRunFile, text); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write replaces a file in the folder of a recipe, which must exist.
func (r *Recipes) write(name, file string, text []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	path := filepath.Join(r.cfg.Folder, name, file)
	err := os.WriteFile(path+".part", text, 0o600)
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
	saved := r.savedRun(rec.Name)
	if saved != nil {
		run.saved.Replacements = saved.Replacements
	}
	switch {
	case saved == nil || rec.Steps[from-1].Tool == navigateTool:
		return nil
	case saved.Process == r.process:
		if saved.Since <= from {
			run.saved.URL, run.saved.Since = saved.URL, saved.Since
		}
		return nil
	case run.elementID > 0:
		return errors.New("its page was closed since, and element numbers are those of a page. Go on without one")
	case saved.Next == 0:
		return errors.New("the last run was done, and its page was closed since")
	case saved.Since == 0 || saved.Since > from:
		return errors.New("its page was closed since")
	}
	run.saved.URL, run.saved.Since = saved.URL, saved.Since
	for n := saved.Next; n < from; n++ { // these steps may have led to another page
		if e := rec.Steps[n-1].Expect; e != nil && (e.URL != "" || e.Event != "") {
			run.saved.URL, run.saved.Since = sameServer(fill(e.URL, run.shown), saved.URL), n+1
		}
	}
	for run.first > run.saved.Since && canFillAgain(rec.Steps[run.first-2]) {
		run.first--
	}
	for n := run.saved.Since; n < run.first; n++ {
		if changesForm(rec.Steps[n-1]) {
			return fmt.Errorf("its page was closed since, and what step %d entered is lost", n)
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

// canFillAgain reports whether a step sets a field of its page, so that it can be done again on a new page.
func canFillAgain(s recipe.Step) bool {
	var args struct{ Submit bool }
	return s.Tool == "select_option" || s.Tool == "upload_file" ||
		(s.Tool == "type_text" && json.Unmarshal(s.Args, &args) == nil && !args.Submit)
}

// changesForm reports whether a step changes what the page contains before it is sent.
func changesForm(s recipe.Step) bool {
	switch References(s)["annotationId"].Role {
	case "checkbox", "radio", "switch", "option", "menuitemcheckbox", "menuitemradio", "slider":
		return true
	}
	return canFillAgain(s) || s.Tool == "drag_element" || s.Tool == "press_key"
}
