package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// scriptedModel is the model name of the scripted solver.
const scriptedModel = "openai/scripted"

// environment is a System with sites, a workspace and a person.
type environment struct {
	sys       *app.System
	sites     *siteServer
	solver    *solver
	model     string
	dir       string
	workspace string
	downloads string
	person    *person
	closers   []func()
}

// openEnvironment opens a System with a fresh data folder. A model other than the scripted one is configured as
// for Sextant itself: with environment variables and the person's config.toml.
func openEnvironment(ctx context.Context, tasks []*task, model string, log *slog.Logger) (env *environment, err error) {
	env = &environment{model: model}
	defer func() {
		if err != nil {
			env.close()
		}
	}()
	if env.dir, err = os.MkdirTemp("", "sextant-tasks-"); err != nil {
		return nil, err
	}
	env.onClose(func() { _ = os.RemoveAll(env.dir) })
	env.workspace, env.downloads = filepath.Join(env.dir, "work"), filepath.Join(env.dir, "data", "downloads")
	if err = os.MkdirAll(env.workspace, 0o700); err != nil {
		return nil, err
	}
	if env.sites, err = startSiteServer(); err != nil {
		return nil, err
	}
	env.onClose(env.sites.close)
	flags := map[string]string{
		"data": filepath.Join(env.dir, "data"), "config": filepath.Join(env.dir, "config"), "workspace": env.workspace,
		"profile": "throw-away", "calls_per_turn": "40", "rounds": "40", "mode": "ask",
	}
	if model == scriptedModel {
		env.solver = newSolver(tasks)
		llm, err := openaitest.Start()
		if err != nil {
			return nil, err
		}
		env.onClose(llm.Close)
		llm.Answer = env.solver.answer
		flags["openai_base_url"], flags["openai_format"], flags["openai_api_key"] = llm.URL(), "chat", "scripted"
	} else if err := copyUserConfig(flags["config"]); err != nil {
		return nil, err
	}
	config, err := config.Load(flags)
	if err != nil {
		return nil, err
	}
	if env.sys, err = app.OpenSystem(ctx, config, app.OpenOptions{}, log); err != nil {
		return nil, err
	}
	env.onClose(env.sys.Close)
	for _, t := range tasks {
		env.sys.Egress.MapHost(t.host(), env.sites.address())
		env.sys.Egress.MapHost(t.partnerHost(), env.sites.address())
	}
	env.person = env.newPerson()
	return env, nil
}

// copyUserConfig copies only the person's config.toml, which configures the models, into a folder of this run.
func copyUserConfig(into string) error {
	own, err := config.Load(nil)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(own.ConfigDir, "config.toml"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading your settings: %w", err)
	}
	if err := os.MkdirAll(into, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(into, "config.toml"), b, 0o600)
}

func (env *environment) onClose(f func()) { env.closers = append(env.closers, f) }

// close closes everything, last opened first.
func (env *environment) close() {
	for _, f := range slices.Backward(env.closers) {
		f()
	}
	env.closers = nil
}

// person approves page tools and workspace files, and denies everything else, because commands, requests and
// servers would be another way to the same result.
type person struct {
	env *environment
	sub *eventlog.Subscription

	mu    sync.Mutex
	asked []string
}

func (env *environment) newPerson() *person {
	p := &person{env: env, sub: env.sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ApprovalAsked}},
		eventlog.FromNow)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range p.sub.C() {
			p.answer(e)
		}
	}()
	env.onClose(func() { p.sub.Close(); <-done })
	return p
}

func (p *person) answer(e event.Event) {
	for _, q := range p.env.sys.Approvals.WaitingApprovals() {
		if q.Call != e.Call {
			continue
		}
		p.mu.Lock()
		p.asked = append(p.asked, q.Tool+": "+q.Reason)
		p.mu.Unlock()
		choice := event.AnswerDeny
		if p.approves(q.Tool) {
			choice = event.AnswerOnce
		}
		_ = p.env.sys.Approvals.Answer(context.Background(), q.ID, choice, "", q.Hash)
	}
}

func (p *person) approves(tool string) bool {
	switch tool {
	case "read_file", "write_file", "edit_file", "list_directory", "find_files", "search_files":
		return true
	case p.env.sys.Nav.EnvironmentTool("evaluate"):
		return false
	}
	for _, c := range p.env.sys.Nav.Environment {
		if c.Tool == tool {
			return true
		}
	}
	return false
}

// questions returns the approvals asked since the last call.
func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

// setUp resets the workspace, the downloads and the site for the task.
func (env *environment) setUp(t *task) error {
	for _, dir := range []string{env.workspace, env.downloads} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for name, text := range t.Files {
		path := filepath.Join(env.workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return env.sites.reset(t)
}

// stateLeaves returns the leaves of everything a task can change, before and now: site, workspace and downloads.
func (env *environment) stateLeaves(t *task) (before, now map[string]string, err error) {
	before, now, err = env.sites.stateLeaves(t)
	if err != nil {
		return nil, nil, err
	}
	for name, text := range t.Files {
		before["workspace/"+name] = fileLeaf([]byte(text))
	}
	for kind, dir := range map[string]string{
		"workspace/": env.workspace,
		"downloads/": filepath.Join(env.downloads, sessionName(t)),
	} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			now[kind+strings.TrimPrefix(path, dir+"/")] = fileLeaf(b)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return before, now, nil
}

// fileLeaf returns a file as a leaf: short text itself, otherwise its size.
func fileLeaf(b []byte) string {
	if len(b) > 2000 || !utf8.Valid(b) {
		return strconv.Quote(fmt.Sprintf("%d bytes", len(b)))
	}
	return quoteJSON(strings.TrimSuffix(string(b), "\n"))
}
