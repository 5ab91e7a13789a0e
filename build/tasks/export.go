package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sextant/backend/recipes"
	"sextant/backend/recipes/export"
)

// exported is the outcome of a task that ran again as a test of another program.
type exported struct {
	OK bool `json:"ok"`
	// Problem is the last line of the program, or the difference that the checker found.
	Problem string  `json:"wrong,omitempty"`
	Seconds float64 `json:"seconds"`
}

const playwrightConfig = `export default {
  testDir: '.',
  timeout: 20_000,
  expect: { timeout: 5_000 },
  reporter: 'line',
  use: {
    actionTimeout: 5_000,
    launchOptions: {
      executablePath: process.env.SEXTANT_CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--host-resolver-rules=MAP *.example ' + process.env.SITES],
    },
  },
};
`

// exportToPlaywright runs what a conversation did as a test of @playwright/test, on a fresh copy of its site.
func (env *environment) exportToPlaywright(ctx context.Context, t *task, conversation string) (exported, error) {
	rec, err := env.sys.Recipes.Draft(ctx, recipes.Source{Conversation: conversation})
	if errors.Is(err, recipes.ErrNothingToRepeat) {
		return exported{Problem: err.Error()}, nil
	}
	if err != nil {
		return exported{}, err
	}
	rec.Name = t.Name
	test, omitted := export.Playwright(rec)
	values, err := hiddenValues(t, rec)
	if err != nil {
		return exported{}, err
	}
	modules, err := filepath.Abs("frontend/node_modules")
	if err != nil {
		return exported{}, err
	}
	dir, err := os.MkdirTemp(env.dir, "export-")
	if err != nil {
		return exported{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files := maps.Clone(t.Files) // tests find their files in the folder in which they run
	files["task.spec.mjs"], files["playwright.config.mjs"] = test, playwrightConfig
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return exported{}, err
		}
	}
	env.sys.Browser.CloseSession(sessionName(t))
	if err := env.setUp(t); err != nil {
		return exported{}, err
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		return exported{}, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "playwright"), "test")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SITES="+env.sites.address(),
		"DOWNLOADS="+filepath.Join(env.downloads, sessionName(t)))
	var hidden map[string]string
	if err := json.Unmarshal(values, &hidden); err != nil {
		return exported{}, err
	}
	for name, value := range hidden {
		cmd.Env = append(cmd.Env, "RECIPE_"+strings.ToUpper(name)+"="+value)
	}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	e := exported{Seconds: time.Since(began).Seconds()}
	if err != nil {
		e.Problem = fmt.Sprintf("\n%s\n%s", strings.Join(omitted, "\n"), out)
		return e, nil
	}
	e.Problem, err = env.check(ctx, t)
	if e.Problem != "" {
		e.Problem += "\n" + strings.Join(omitted, "\n")
	}
	e.OK = e.Problem == ""
	return e, err
}
