// Package console decodes console messages from protocol events and remembers the newest messages of a tab.
package console

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
)

const (
	maxMessages = 300
	maxMessage  = 2000
	// releaseEvery is the number of scripts' messages after which the browser may free the objects that it keeps for
	// them.
	releaseEvery = 50
)

// The levels of a Message, in order of increasing severity.
const (
	LevelDebug   = "debug"
	LevelInfo    = "info"
	LevelWarning = "warning"
	LevelError   = "error"
)

// Levels returns the levels of a Message in order of increasing severity.
func Levels() []string { return []string{LevelDebug, LevelInfo, LevelWarning, LevelError} }

// Message is one message in a tab's console: a script wrote it, a script threw it, or the browser reported it.
type Message struct {
	ID    int    `json:"id"`
	Level string `json:"level"`
	// Source is console, exception, or the part of the browser that reported the message: network, security, …
	Source string `json:"source"`
	Text   string `json:"text"`
	// Location is "url:line", "" when it is not known.
	Location string `json:"where,omitempty"`
	// Times is the number of successive equal messages.
	Times int       `json:"times"`
	Time  time.Time `json:"time"`
}

// Options selects messages. Level is the lowest level (info when ""). Since is the id of the last message that
// the caller has seen. Limit bounds the number of messages, of which the newest are returned (50 when 0). Clear
// removes all messages afterwards.
type Options struct {
	Level        string
	Since, Limit int
	Clear        bool
}

// Log contains the newest console messages of a tab. It is guarded by the lock of page.Manager.
type Log struct {
	list    []*Message
	last    int
	written int
}

// Add appends a message, or increases the count of the newest one when they are equal.
func (log *Log) Add(m Message) {
	if n := len(log.list); n > 0 {
		if l := log.list[n-1]; l.Text == m.Text && l.Level == m.Level && l.Location == m.Location {
			l.Times++
			return
		}
	}
	log.last++
	m.ID, m.Times, m.Time = log.last, 1, time.Now()
	if len(log.list) >= maxMessages {
		log.list = slices.Delete(log.list, 0, len(log.list)-maxMessages+1)
	}
	log.list = append(log.list, &m)
}

// Messages returns copies of the messages of at least that level with ids greater than since.
func (log *Log) Messages(level string, since int) []Message {
	list := []Message{}
	for _, m := range log.list {
		if m.ID > since && slices.Index(Levels(), m.Level) >= slices.Index(Levels(), level) {
			list = append(list, *m)
		}
	}
	return list
}

// Reset removes all messages. Ids continue.
func (log *Log) Reset() { log.list = nil }

// ReleaseDue counts a script's message and reports whether it is time to release the objects that the browser keeps
// for messages.
func (log *Log) ReleaseDue() bool {
	log.written++
	return log.written%releaseEvery == 0
}

// FromException decodes an error that no script of the page caught, false when it cannot.
func FromException(ev cdp.Event) (Message, bool) {
	x, ok := cdp.DecodeEvent[proto.RuntimeExceptionThrown](ev)
	if !ok || x.ExceptionDetails == nil {
		return Message{}, false
	}
	d := x.ExceptionDetails
	text := d.Text
	if o := d.Exception; o != nil && o.Description != "" {
		text, _, _ = strings.Cut(o.Description, "\n")
	} else if o != nil && d.Text == "Uncaught" {
		text += " " + formatPrimitive(o)
	}
	return Message{
		Level: LevelError, Source: "exception", Text: surface.Truncate(text, maxMessage),
		Location: location(d.URL, d.LineNumber+1),
	}, true
}

// FromScript decodes a message that a script wrote to the console, false when it cannot or the call writes none, such
// as console.clear.
func FromScript(ev cdp.Event) (Message, bool) {
	c, ok := cdp.DecodeEvent[proto.RuntimeConsoleAPICalled](ev)
	if !ok {
		return Message{}, false
	}
	level := LevelInfo
	switch c.Type {
	case proto.RuntimeConsoleAPICalledTypeError, proto.RuntimeConsoleAPICalledTypeAssert:
		level = LevelError
	case proto.RuntimeConsoleAPICalledTypeWarning:
		level = LevelWarning
	case proto.RuntimeConsoleAPICalledTypeDebug, proto.RuntimeConsoleAPICalledTypeTrace:
		level = LevelDebug
	case proto.RuntimeConsoleAPICalledTypeClear, proto.RuntimeConsoleAPICalledTypeEndGroup:
		return Message{}, false
	}
	m := Message{Level: level, Source: "console", Text: surface.Truncate(formatArguments(c.Args), maxMessage)}
	if c.StackTrace != nil && len(c.StackTrace.CallFrames) > 0 {
		f := c.StackTrace.CallFrames[0]
		m.Location = location(f.URL, f.LineNumber+1)
	}
	return m, true
}

// FromBrowser decodes a message of the browser itself, false when it cannot.
func FromBrowser(ev cdp.Event) (Message, bool) {
	l, ok := cdp.DecodeEvent[proto.LogEntryAdded](ev)
	if !ok || l.Entry == nil {
		return Message{}, false
	}
	e := l.Entry
	m := Message{Level: string(e.Level), Source: string(e.Source), Text: surface.Truncate(e.Text, maxMessage)}
	if m.Level == "verbose" {
		m.Level = LevelDebug
	}
	line := 0
	if e.LineNumber != nil {
		line = *e.LineNumber + 1
	}
	m.Location = location(e.URL, line)
	return m, true
}

func location(url string, line int) string {
	switch {
	case url == "":
		return ""
	case line <= 0:
		return surface.Truncate(url, 200)
	}
	return surface.Truncate(url, 200) + ":" + strconv.Itoa(line)
}

func formatArguments(args []*proto.RuntimeRemoteObject) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	rest := args
	if args[0].Type == proto.RuntimeRemoteObjectTypeString {
		format := args[0].Value.Str()
		rest = args[1:]
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) || len(rest) == 0 ||
				!strings.ContainsRune("sdifoOc%", rune(format[i+1])) {
				b.WriteByte(format[i])
				continue
			}
			i++
			switch format[i] {
			case '%':
				b.WriteByte('%')
				continue
			case 'c':
			default:
				b.WriteString(formatArgument(rest[0]))
			}
			rest = rest[1:]
		}
	}
	for _, a := range rest {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > maxMessage {
			break
		}
		b.WriteString(formatArgument(a))
	}
	return b.String()
}

func formatArgument(o *proto.RuntimeRemoteObject) string {
	if o.Preview != nil && o.Subtype != proto.RuntimeRemoteObjectSubtypeError {
		return formatPreview(o.Preview)
	}
	return formatPrimitive(o)
}

func formatPrimitive(o *proto.RuntimeRemoteObject) string {
	switch {
	case o.Type == proto.RuntimeRemoteObjectTypeString:
		return o.Value.Str()
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Type == proto.RuntimeRemoteObjectTypeUndefined:
		return "undefined"
	case o.Description != "":
		return o.Description
	}
	raw, err := json.Marshal(o.Value)
	if err != nil {
		return ""
	}
	return string(raw)
}

func formatPreview(p *proto.RuntimeObjectPreview) string {
	list := p.Subtype == "array"
	parts := make([]string, 0, len(p.Properties))
	for _, x := range p.Properties {
		value := x.Value
		if x.Type == "string" {
			value = strconv.Quote(value)
		}
		if !list {
			value = x.Name + ": " + value
		}
		parts = append(parts, value)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	switch {
	case list:
		return "[" + strings.Join(parts, ", ") + "]"
	case len(parts) == 0:
		return p.Description
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
