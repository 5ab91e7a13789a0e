package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

//go:embed system_info.md
var systemInfoDoc string

type systemInfoParams struct {
	What string `json:"what"`
}

type report struct {
	Resources *resources `json:"resources,omitempty"`
	Processes *processes `json:"processes,omitempty"`
	Network   *network   `json:"network,omitempty"`
}

func systemInfo() tool {
	const name = "system_info"
	return tool{
		def: define(name, "shell", systemInfoDoc,
			`{"type":"object","properties":{"what":{"type":"string","enum":["all","processes","resources","network"],"default":"all"}},"additionalProperties":false}`,
			`{"what":"resources"}`, `{}`, `{"what":"processes"}`),
		paths: func(*Tools, toolspec.Call) ([]toolspec.FileUse, *toolspec.Result) { return nil, nil },
		describe: func(_ *Tools, call toolspec.Call) toolspec.Description {
			var p systemInfoParams
			_ = json.Unmarshal(call.Args, &p)
			if p.What == "" || p.What == "all" {
				return toolspec.Description{Sentence: "Checking this machine"}
			}
			return toolspec.Description{Sentence: "Checking this machine: " + p.What}
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call) toolspec.Result {
			var p systemInfoParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.systemInfo(ctx, p)
		},
	}
}

func (t *Tools) systemInfo(ctx context.Context, p systemInfoParams) toolspec.Result {
	if p.What == "" {
		p.What = "all"
	}
	if !slices.Contains([]string{"all", "processes", "resources", "network"}, p.What) {
		return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("there is no part %q", p.What),
			"Send all, processes, resources or network.")
	}
	var r report
	var b strings.Builder
	wants := func(what string) bool { return p.What == what || p.What == "all" }
	if wants("resources") {
		found := t.resources()
		r.Resources = &found
		found.write(&b)
	}
	if wants("processes") {
		found := t.processes(ctx)
		r.Processes = &found
		found.write(&b)
	}
	if wants("network") {
		found := t.network()
		r.Network = &found
		found.write(&b)
	}
	if ctx.Err() != nil {
		return toolspec.Fail("", "stopped", "")
	}
	result := toolspec.OK(r)
	result.Text = forModel(b.String(), false, "")
	result.Sentence = "Checked this machine"
	return result
}
