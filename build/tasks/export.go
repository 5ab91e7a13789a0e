package main

import (
	"context"
	_ "embed" // the runner of recordings
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
	"sextant/shared/recipe"
)

// exported is the outcome of a task that ran again as a test of another program.
type exported struct {
	Program string `json:"program"`
	OK      bool   `json:"ok"`
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

// program runs exported recipes.
type program struct {
	name string
	// modules is the folder with the program and what it needs.
	modules string
	// export returns the files to run, and the steps that are left out. values are those of secret parameters.
	export func(rec recipe.Recipe, values map[string]string) (files map[string]string, omitted []string, err error)
	// command is run in the folder with the files.
	command []string
}

var (
	playwright = program{
		name: "Playwright", modules: "frontend/node_modules",
		command: []string{"node_modules/.bin/playwright", "test"},
		export: func(rec recipe.Recipe, _ map[string]string) (map[string]string, []string, error) {
			test, omitted := export.Playwright(rec)
			return map[string]string{"task.spec.mjs": test, "playwright.config.mjs": playwrightConfig}, omitted, nil
		},
	}
	recorder = program{
		name: "Recorder", modules: "build/tasks/recorder/node_modules",
		command: []string{"node", "run.mjs", "task.json"},
		export: func(rec recipe.Recipe, values map[string]string) (map[string]string, []string, error) {
			text, omitted, err := export.Recorder(rec, values)
			return map[string]string{"task.json": text, "run.mjs": recorderRunner}, omitted, err
		},
	}
)

//go:embed recorder/run.mjs
var recorderRunner string

// runExported runs what a conversation did in another program, on a fresh copy of its site.
func (env *environment) runExported(
	ctx context.Context, p program, t *task, conversation string,
) (exported, error) {
	rec, err := env.sys.Recipes.Draft(ctx, recipes.Source{Conversation: conversation})
	if errors.Is(err, recipes.ErrNothingToRepeat) {
		return exported{Program: p.name, Problem: err.Error()}, nil
	}
	if err != nil {
		return exported{}, err
	}
	rec.Name = t.Name
	values, err := hiddenValues(t, rec)
	if err != nil {
		return exported{}, err
	}
	var hidden map[string]string
	if err := json.Unmarshal(values, &hidden); err != nil {
		return exported{}, err
	}
	files, omitted, err := p.export(rec, hidden)
	if err != nil {
		return exported{}, err
	}
	modules, err := filepath.Abs(p.modules)
	if err != nil {
		return exported{}, err
	}
	dir, err := os.MkdirTemp(env.dir, "export-")
	if err != nil {
		return exported{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	maps.Copy(files, t.Files) // tests find their files in the folder in which they run
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return exported{}, err
		}
	}
	_ = env.sys.Browser.CloseSession(sessionName(t))
	if err := env.setUp(t); err != nil {
		return exported{}, err
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		return exported{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SITES="+env.sites.address(),
		"DOWNLOADS="+filepath.Join(env.downloads, sessionName(t)))
	for name, value := range hidden {
		cmd.Env = append(cmd.Env, "RECIPE_"+strings.ToUpper(name)+"="+value)
	}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	e := exported{Program: p.name, Seconds: time.Since(began).Seconds()}
	if err != nil {
		e.Problem = fmt.Sprintf("\n%s\n%s", strings.Join(omitted, "\n"), out)
		return e, nil
	}
	e.Problem, err = env.check(context.WithoutCancel(ctx), t)
	if e.Problem != "" {
		e.Problem += "\n" + strings.Join(omitted, "\n")
	}
	e.OK = e.Problem == ""
	return e, err
}
