package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const callLimit = 60 * time.Second

// Call is one tool call.
type Call struct {
	Tool string
	Args map[string]any
}

// System describes one program under test and how its tools are called.
type System struct {
	Name string
	// Package is the program's folder in node_modules; "" for Sextant.
	Package string
	// Command starts the program's MCP server with the tools that the benchmark uses, Core with the default tools.
	Command, Core []string
	Env           []string
	StartCalls    []Call // calls after the start
	Open          func(url string) Call
	// ListPage lists the whole page; DefaultView is the default listing, nil if that is the same.
	ListPage    Call
	DefaultView *Call
	// Step returns the calls for one step; on and to are the handles of its elements.
	Step  func(s Step, on, to string, file string) []Call
	Parse func(string) []ListedElement
}

func call(tool string, pairs ...any) Call {
	c := Call{Tool: tool, Args: map[string]any{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.Args[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return c
}

// systems returns all programs of the benchmark. folder contains node_modules, chromium is the browser that all of them
// start, scratch is a folder of this run.
func systems(binary, folder, chromium, scratch string) []*System {
	modules := filepath.Join(folder, "node_modules")
	agent := filepath.Join(modules, "agent-browser", "bin", "agent-browser-"+runtime.GOOS+"-"+
		strings.ReplaceAll(runtime.GOARCH, "amd64", "x64"))
	_ = os.Chmod(agent, 0o755) //nolint:gosec // npm does not set the bit if install scripts are off
	sandbox := os.Geteuid() != 0
	return []*System{
		sextant(binary, scratch), playwright(modules, chromium, sandbox),
		devtools(modules, chromium, sandbox), agentBrowser(agent, chromium, scratch, sandbox),
	}
}

func sextant(binary, scratch string) *System {
	base := []string{
		binary, "mcp", "--headless", "--allow-hosts", "127.0.0.1,localhost", "--workspace", scratch,
		"--tools",
	}
	view := call("annotate_page")
	id := func(ref string) int { var n int; _, _ = fmt.Sscan(ref, &n); return n }
	return &System{
		Name: "sextant", Command: append(base[:len(base):len(base)], "environment"),
		Core: append(base[:len(base):len(base)], "core"),
		// Mode full, because an upload would otherwise wait for an approval.
		Env: []string{"SEXTANT_MODE=full", "SEXTANT_DATA=" + filepath.Join(scratch, "data"), "SEXTANT_CONFIG=" +
			filepath.Join(scratch, "config")},
		Open:        func(url string) Call { return call("navigate_page", "url", url) },
		ListPage:    call("annotate_page", "scope", "page"),
		DefaultView: &view,
		Parse:       parseSextant,
		Step: func(s Step, on, to, file string) []Call {
			switch s.Do {
			case "type", "set":
				return []Call{call("type_text", "annotationId", id(on), "text", s.Text)}
			case "select":
				return []Call{call("select_option", "annotationId", id(on), "values", []string{s.Text})}
			case "press":
				return []Call{call("press_key", "key", s.Text)}
			case "accept":
				return []Call{call("press_key", "key", "Enter")}
			case "hover":
				return []Call{call("hover_element", "annotationId", id(on))}
			case "drag":
				return []Call{call("drag_element", "from", id(on), "to", id(to))}
			case "upload":
				return []Call{call("upload_file", "annotationId", id(on), "paths", []string{file})}
			}
			return []Call{call("click_element", "annotationId", id(on))}
		},
	}
}

func playwright(modules, chromium string, sandbox bool) *System {
	command := []string{
		"node", filepath.Join(modules, "@playwright", "mcp", "cli.js"), "--headless", "--isolated",
		"--executable-path", chromium, "--viewport-size", "1280x720",
	}
	if !sandbox {
		command = append(command, "--no-sandbox")
	}
	return &System{
		Name: "playwright-mcp", Package: "@playwright/mcp", Command: command, Core: command, Parse: parsePlaywright,
		Open:     func(url string) Call { return call("browser_navigate", "url", url) },
		ListPage: call("browser_snapshot"),
		Step: func(s Step, on, to, file string) []Call {
			switch s.Do {
			case "type", "set":
				return []Call{call("browser_type", "target", on, "text", s.Text)}
			case "select":
				return []Call{call("browser_select_option", "target", on, "values", []string{s.Text})}
			case "press":
				return []Call{call("browser_press_key", "key", s.Text)}
			case "accept":
				return []Call{call("browser_handle_dialog", "accept", true)}
			case "hover":
				return []Call{call("browser_hover", "target", on)}
			case "drag":
				return []Call{call("browser_drag", "startTarget", on, "endTarget", to)}
			case "upload":
				return []Call{call("browser_click", "target", on), call("browser_file_upload", "paths", []string{file})}
			}
			return []Call{call("browser_click", "target", on)}
		},
	}
}

func devtools(modules, chromium string, sandbox bool) *System {
	command := []string{
		"node", filepath.Join(modules, "chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
		"--headless", "--isolated", "--executablePath", chromium, "--viewport", "1280x720", "--no-usage-statistics",
		"--no-performance-crux",
	}
	if !sandbox {
		command = append(command, "--chromeArg=--no-sandbox")
	}
	const page = 1
	return &System{
		Name: "chrome-devtools-mcp", Package: "chrome-devtools-mcp", Command: command, Core: command,
		Parse:      parseDevtools,
		StartCalls: []Call{call("list_pages")},
		Open:       func(url string) Call { return call("navigate_page", "pageId", page, "url", url) },
		ListPage:   call("take_snapshot", "pageId", page),
		Step: func(s Step, on, to, file string) []Call {
			switch s.Do {
			case "type", "set", "select":
				return []Call{call("fill", "pageId", page, "uid", on, "value", s.Text)}
			case "press":
				return []Call{call("press_key", "pageId", page, "key", s.Text)}
			case "accept":
				return []Call{call("handle_dialog", "pageId", page, "action", "accept")}
			case "hover":
				return []Call{call("hover", "pageId", page, "uid", on)}
			case "drag":
				return []Call{call("drag", "pageId", page, "from_uid", on, "to_uid", to)}
			case "upload":
				return []Call{call("upload_file", "pageId", page, "uid", on, "filePaths", []string{file})}
			}
			return []Call{call("click", "pageId", page, "uid", on)}
		},
	}
}

func agentBrowser(binary, chromium, scratch string, sandbox bool) *System {
	// The path is short because a socket's path has at most 107 bytes.
	env := []string{
		"AGENT_BROWSER_EXECUTABLE_PATH=" + chromium, "AGENT_BROWSER_SESSION=bench",
		"AGENT_BROWSER_SOCKET_DIR=" + filepath.Join(scratch, "ab"), "HOME=" + scratch,
	}
	if !sandbox {
		env = append(env, "AGENT_BROWSER_ARGS=--no-sandbox")
	}
	return &System{
		Name: "agent-browser", Package: "agent-browser", Env: env, Parse: parseAgent,
		Command: []string{binary, "mcp", "--tools", "all"}, Core: []string{binary, "mcp"},
		StartCalls: []Call{
			call("agent_browser_open", "url", "about:blank"),
			call("agent_browser_set_viewport", "width", 1280, "height", 720),
		},
		Open:     func(url string) Call { return call("agent_browser_open", "url", url) },
		ListPage: call("agent_browser_snapshot"),
		Step: func(s Step, on, to, file string) []Call {
			on, to = "@"+on, "@"+to
			switch s.Do {
			case "type", "set":
				return []Call{call("agent_browser_fill", "selector", on, "text", s.Text)}
			case "select":
				return []Call{call("agent_browser_select", "selector", on, "values", []string{s.Text})}
			case "press":
				return []Call{call("agent_browser_press", "key", s.Text)}
			case "accept":
				return []Call{call("agent_browser_dialog_accept")}
			case "hover":
				return []Call{call("agent_browser_hover", "selector", on)}
			case "drag":
				return []Call{call("agent_browser_drag", "source", on, "target", to)}
			case "upload":
				return []Call{call("agent_browser_upload", "selector", on, "files", []string{file})}
			}
			return []Call{call("agent_browser_click", "selector", on)}
		},
	}
}

// RunningSystem is a started System.
type RunningSystem struct {
	*System
	session *mcp.ClientSession
}

// start starts a system's MCP server in the folder dir, which also identifies its processes to killLeftovers.
func (s *System) start(ctx context.Context, command []string, dir string) (*RunningSystem, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the programs of the bench; ended by Close
	cmd.Env = append(append(os.Environ(), "SEXTANT_BENCH="+dir), s.Env...)
	cmd.Dir = dir
	isolate(cmd)
	client := mcp.NewClient(&mcp.Implementation{Name: "sextant-bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", s.Name, err)
	}
	return &RunningSystem{System: s, session: session}, nil
}

// Close stops the system and its browser.
func (r *RunningSystem) Close() {
	if r.Name == "agent-browser" { // otherwise its daemon outlives the server
		_, _, _ = r.Do(context.Background(), call("agent_browser_close"))
	}
	_ = r.session.Close()
}

// Do calls a tool and returns its text and the time it took. For a failed call, the error is the first line of
// the text.
func (r *RunningSystem) Do(ctx context.Context, c Call) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	begin := time.Now()
	result, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Args})
	took := time.Since(begin)
	if err != nil {
		return "", took, fmt.Errorf("%s: %s: %w", r.Name, c.Tool, err)
	}
	var b strings.Builder
	for _, part := range result.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
			b.WriteString("\n")
		}
	}
	if result.IsError {
		return b.String(), took, fmt.Errorf("%s: %s: %s", r.Name, c.Tool, firstLine(b.String()))
	}
	return b.String(), took, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}
