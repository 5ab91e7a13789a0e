package tasks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// These are the names under which Hoist stores data that the SDK has no field for: a task in the metadata of an
// answer, execution in the metadata of a tool, and task support in a server's experimental capabilities.
const (
	metaTask      = "sextant/task"
	metaExecution = "sextant/execution"
	capTasks      = "sextant/tasks"
)

// Hoist returns a reader of in, a server's output with one message per line. It moves what a message says about
// tasks to fields that the SDK keeps. Lines much longer than maxBytes pass unchanged. If events is true, in is an event
// stream, and only its data lines are read as messages.
func Hoist(in io.ReadCloser, maxBytes int, events bool) io.ReadCloser {
	return &lineHoister{in: in, read: bufio.NewReaderSize(in, 64<<10), maxLine: maxBytes, events: events}
}

type lineHoister struct {
	in      io.ReadCloser
	read    *bufio.Reader
	maxLine int
	events  bool
	out     []byte
	err     error
	passing bool
}

func (l *lineHoister) Close() error { return l.in.Close() }

// Read implements io.Reader.
func (l *lineHoister) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.fill()
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

func (l *lineHoister) fill() {
	var line []byte
	for {
		piece, err := l.read.ReadSlice('\n')
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) <= l.maxLine && !l.passing {
				continue
			}
			l.passing, l.out = true, line
			return
		}
		l.err = err
		break
	}
	if l.passing {
		l.passing, l.out = false, line
		return
	}
	if !l.events {
		l.out = hoistMessage(line)
		return
	}
	l.out = line
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		l.out = append([]byte("data:"), hoistMessage(data)...)
	}
}

// HoistBody replaces the body of an HTTP response that is JSON or an event stream with one that is read through Hoist.
// maxBytes applies to streams only: the caller must bound a JSON body.
func HoistBody(resp *http.Response, maxBytes int) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil || resp.Body == nil:
	case kind == "text/event-stream":
		resp.Body = Hoist(resp.Body, maxBytes, true)
	case kind == "application/json":
		resp.Body = &messageHoister{in: resp.Body}
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
}

// messageHoister reads a body that is one message of any size.
type messageHoister struct {
	in  io.ReadCloser
	out *bytes.Reader
	err error
}

func (m *messageHoister) Close() error { return m.in.Close() }

// Read implements io.Reader.
func (m *messageHoister) Read(p []byte) (int, error) {
	if m.out == nil {
		var text []byte
		if text, m.err = io.ReadAll(m.in); m.err == nil {
			text = hoistMessage(text)
		}
		m.out = bytes.NewReader(text)
	}
	n, err := m.out.Read(p)
	if err != nil && m.err != nil {
		err = m.err
	}
	return n, err
}

type object = map[string]json.RawMessage

func hoistMessage(text []byte) []byte {
	if !bytes.Contains(text, []byte(`"taskId"`)) && !bytes.Contains(text, []byte(`"execution"`)) &&
		!bytes.Contains(text, []byte(`"tasks"`)) {
		return text
	}
	var message, result object
	if json.Unmarshal(text, &message) != nil || json.Unmarshal(message["result"], &result) != nil || result == nil {
		return text
	}
	one, two, three := hoistTask(result), hoistCapability(result), hoistTools(result)
	if !one && !two && !three {
		return text
	}
	var err error
	if message["result"], err = json.Marshal(result); err != nil {
		return text
	}
	out, err := json.Marshal(message)
	if err != nil {
		return text
	}
	if bytes.HasSuffix(text, []byte("\n")) {
		out = append(out, '\n')
	}
	return out
}

// hoistTask moves the task that a server sends instead of a result: a member of the result in revision
// 2025-11-25, the result itself in the extension.
func hoistTask(result object) bool {
	task := result["task"]
	if string(result["resultType"]) == `"task"` {
		bare := object{}
		for name, value := range result {
			if name != "_meta" {
				bare[name] = value
			}
		}
		var err error
		if task, err = json.Marshal(bare); err != nil {
			return false
		}
	}
	var named struct {
		ID string `json:"taskId"`
	}
	if task == nil || result["content"] != nil || json.Unmarshal(task, &named) != nil || named.ID == "" {
		return false
	}
	return put(result, "_meta", metaTask, task)
}

func hoistCapability(result object) bool {
	var capabilities object
	if json.Unmarshal(result["capabilities"], &capabilities) != nil || capabilities["tasks"] == nil {
		return false
	}
	if !put(capabilities, "experimental", capTasks, capabilities["tasks"]) {
		return false
	}
	packed, err := json.Marshal(capabilities)
	if err != nil {
		return false
	}
	result["capabilities"] = packed
	return true
}

func hoistTools(result object) bool {
	var tools []json.RawMessage
	if json.Unmarshal(result["tools"], &tools) != nil {
		return false
	}
	moved := false
	for i, raw := range tools {
		var tool object
		if json.Unmarshal(raw, &tool) != nil || tool["execution"] == nil || !put(tool, "_meta", metaExecution,
			tool["execution"]) {
			continue
		}
		if packed, err := json.Marshal(tool); err == nil {
			tools[i], moved = packed, true
		}
	}
	if !moved {
		return false
	}
	packed, err := json.Marshal(tools)
	if err != nil {
		return false
	}
	result["tools"] = packed
	return true
}

func put(whole object, member, name string, value json.RawMessage) bool {
	inner := object{}
	if whole[member] != nil && json.Unmarshal(whole[member], &inner) != nil {
		return false
	}
	if inner == nil {
		inner = object{}
	}
	inner[name] = value
	packed, err := json.Marshal(inner)
	if err != nil {
		return false
	}
	whole[member] = packed
	return true
}

// IsTaskRequest reports whether req is about a task, according to its Mcp-Method header.
func IsTaskRequest(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Mcp-Method"), "tasks/")
}

// SetTaskHeader sets the Mcp-Name header to the task's id if req is about a task, so that req can be routed to the
// instance that runs it.
func SetTaskHeader(req *http.Request) {
	if !IsTaskRequest(req) || req.GetBody == nil {
		return
	}
	body, err := req.GetBody()
	if err != nil {
		return
	}
	defer body.Close()
	var message struct {
		Params struct {
			ID string `json:"taskId"`
		} `json:"params"`
	}
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if json.NewDecoder(io.LimitReader(body, 1<<20)).Decode(&message) != nil || message.Params.ID == "" ||
		strings.ContainsFunc(message.Params.ID, unprintable) {
		return
	}
	req.Header.Set("Mcp-Name", message.Params.ID)
}
