package app

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// nested is a tool that may run unasked, and a step of it that has to be asked about.
type nested struct {
	name, query, panel, tool string
	args                     map[string]any
	// windows is true where only a window is asked: then a client's person is not, and it is refused.
	windows bool
}

// letters opens a Sextant with three such tools, whose step sends a letter or makes a file, and says
// how often that has happened.
func letters(t *testing.T) (sys *System, flags map[string]string, cases []nested, sent func() int) {
	t.Helper()
	model := serviceOf(t)
	model.SetAnswer(func(r openaitest.Request) openaitest.Answer {
		for _, m := range r.Messages {
			if m.Role == "tool" {
				return openaitest.Answer{Text: "It was tried: " + r.LastContent()}
			}
		}
		return toolCall("post__send", map[string]any{})
	})
	flags = testFlags(t)
	flags["workspace"] = t.TempDir()
	command, _ := json.Marshal(os.Args[0])
	writeMCPConfig(t, flags, `{"mcpServers":{"post":{"command":`+string(command)+`,"env":{"`+asTool+`":"1"}}}}`)
	folder := filepath.Join(flags["data"], "panels", "clip")
	put(t, filepath.Join(folder, "backend.js"), `handlers.clip_send = () => tools.post__send({})`)
	put(
		t,
		filepath.Join(folder, "manifest.json"),
		`{"panel_id":"clip","panel_type":"x","title":"Clip","backend":{"kind":"script","file":"backend.js"},
		"permissions":{"call_tools":["post__send"]},"tools":[{"name":"clip_send","description":"Sends.","endpoint":"GET /api/clip/send","parameters":{}}]}`,
	)
	sys = openWith(t, flags, OpenOptions{Serve: true})
	sys.WaitForMCP(t.Context())
	cases = []nested{
		{name: "a panel's script", query: "?panel=clip", panel: "clip", tool: "clip_send", args: map[string]any{}},
		{
			name: "a subagent", query: "?tools=all", tool: "run_subagent",
			args:    map[string]any{"task": "send the letter", "model": "openai/m", "tools": []string{"post__send"}},
			windows: true,
		},
	}
	if ok, _, _ := sys.Confine.Available(); ok {
		cases = append(cases, nested{
			name: "a terminal", query: "?panel=terminal", panel: "terminal",
			tool: "terminal_run", args: map[string]any{"command": "rm -rf sub; echo x >> ../sent; touch sent"},
		})
	}
	return sys, flags, cases, func() int {
		rows, err := sys.Audit.List(t.Context(), 500)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, row := range rows {
			if (row.Tool == "post__send" || row.Tool == "bash") && row.Status == "done" {
				n++
			}
		}
		return n
	}
}

func TestStepOfACallAsksForEveryCaller(t *testing.T) {
	sys, flags, cases, sent := letters(t)
	for _, c := range cases {
		asked := &buffer{}
		person := func(answer string) *sdk.ClientOptions {
			return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context,
				r *sdk.ElicitRequest,
			) (*sdk.ElicitResult, error) {
				_, _ = asked.Write([]byte(r.Params.Message + "\n"))
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
			}}
		}
		args := []string{"--tools", "core"}
		if c.panel != "" {
			args = append(args, "--panel", c.panel)
		} else {
			args[1] = "all"
		}
		connections := map[string]func(*sdk.ClientOptions) *mcpClient{
			"2025-11-25": func(o *sdk.ClientOptions) *mcpClient {
				return visit(t, sys, "old", c.query, "2025-11-25", o)
			},
			"2026-07-28": func(o *sdk.ClientOptions) *mcpClient {
				return visit(t, sys, "young", c.query, "2026-07-28", o)
			},
			"joined": func(o *sdk.ClientOptions) *mcpClient { return speak(t, flags, "joined", o, args...) },
		}
		for connection, open := range connections {
			for _, way := range []struct {
				name    string
				options *sdk.ClientOptions
				goes    bool
			}{{"nobody to ask", nil, false}, {"no", person("deny"), false}, {"yes", person("once"), true}} {
				t.Run(c.name+"/"+connection+"/"+way.name, func(t *testing.T) {
					before, was := sent(), len(asked.String())
					text, _ := open(way.options).call(c.tool, c.args)
					happened, questions := sent()-before, len(asked.String())-was
					if happened > 0 != (way.goes && !c.windows) {
						t.Errorf("it happened %d times: %s", happened, text)
					}
					if way.options != nil && questions == 0 != c.windows {
						t.Errorf("%d bytes were asked: %s", questions, text)
					}
					if n := len(sys.Approvals.WaitingApprovals()); n != 0 {
						t.Errorf("%d questions are left", n)
					}
				})
			}
		}
	}
}

func TestStepOfACallAsksInTheOpenWindow(t *testing.T) {
	sys, _, cases, sent := letters(t)
	program := clientOf(t, sys)
	overAPI := func(c nested) toolspec.Result {
		status, b := program.do(http.MethodPost, "/api/ai/tools/execute",
			map[string]any{"tool": c.tool, "args": c.args, "panelId": c.panel})
		var r toolspec.Result
		if err := json.Unmarshal(b, &r); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, b)
		}
		return r
	}
	for _, c := range cases {
		t.Run(c.name+" over the API", func(t *testing.T) {
			if before, r := sent(), overAPI(c); sent() != before {
				t.Errorf("it ran with nobody to ask: %+v", r)
			}
		})
	}
	window := windowOf(t, sys)
	until(t, dial(t, sys, strings.TrimPrefix(window.head.Get("Authorization"), "Bearer ")), "hello")
	for _, c := range cases {
		client := visit(t, sys, "editor", c.query, "2026-07-28",
			&sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult,
				error,
			) {
				t.Errorf("%s: the client is asked, and a window is open", c.name)
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "once"}}, nil
			}})
		for connection, call := range map[string]func() toolspec.Result{
			"MCP":     func() toolspec.Result { text, _ := client.call(c.tool, c.args); return toolspec.OK(text) },
			"the API": func() toolspec.Result { return overAPI(c) },
		} {
			for answer, goes := range map[event.Answer]bool{event.AnswerDeny: false, event.AnswerOnce: true} {
				t.Run(c.name+"/"+connection+"/"+string(answer), func(t *testing.T) {
					before := sent()
					questions, r := sys.asked(t, answer, call)
					if happened := sent() - before; happened > 0 != goes || len(questions) == 0 {
						t.Errorf("%d questions, it happened %d times: %+v", len(questions), happened, r)
					}
				})
			}
		}
	}
}
