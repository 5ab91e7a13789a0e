package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// FormatError says what is wrong with a file, in one sentence.
type FormatError string

func (e FormatError) Error() string { return string(e) }

func formatError(format string, args ...any) error { return FormatError(fmt.Sprintf(format, args...)) }

// Read reads and checks a JSON file of Write, or an export of ChatGPT or Claude. An error for a wrong file is a
// FormatError.
func Read(r io.Reader) (*Import, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	if len(raw) > MaxFile {
		return nil, formatError("The file is larger than %d MB.", MaxFile>>20)
	}
	if raw, err = unzip(raw); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n\uFEFF"), []byte("[")) {
		return readForeign(bytes.TrimPrefix(raw, []byte("\uFEFF")))
	}
	var f File
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, formatError("The file is not a JSON export of conversations: %v.", err)
	}
	switch {
	case f.Format != Format:
		return nil, formatError("The file is not a JSON export of Sextant's conversations (format %q).", f.Format)
	case f.Version != Version:
		return nil, formatError("The file has version %d of the format. This program reads version %d.", f.Version,
			Version)
	case len(f.Conversations) == 0:
		return nil, formatError("The file contains no conversation.")
	case len(f.Conversations) > maxConversations:
		return nil, formatError("The file contains more than %d conversations.", maxConversations)
	}
	k := newChecker()
	for _, c := range f.Conversations {
		if err := k.check(c); err != nil {
			return nil, err
		}
	}
	return &Import{Conversations: f.Conversations, ids: k.known}, nil
}

// Import is a checked file.
type Import struct {
	Conversations []Conversation
	// Foreign is true for an export of another program. LeftOut says why some of its conversations are not contained.
	Foreign bool
	LeftOut []string
	ids     map[string]map[string]bool
}

// Without returns the import without the conversations that known names, and how many those are.
func (i *Import) Without(known map[string]bool) (*Import, int, error) {
	out, k := *i, newChecker()
	out.Conversations = nil
	for _, c := range i.Conversations {
		if known[c.ID] {
			continue
		}
		if err := k.check(c); err != nil {
			return nil, 0, err
		}
		out.Conversations = append(out.Conversations, c)
	}
	out.ids = k.known
	return &out, len(i.Conversations) - len(out.Conversations), nil
}

// The names of the tables whose ids a file defines, and of the column of calls.
const (
	Conversations = "conversations"
	Messages      = "messages"
	Turns         = "turns"
	Branches      = "branches"
	Calls         = "calls"
)

// IDs returns the ids that the file defines in a table. A program that has one of them must not import the file, which
// would change what it has.
func (i *Import) IDs(table string) []string { return slices.Sorted(maps.Keys(i.ids[table])) }

// checker checks the conversations of a file. known contains the ids that the file has defined, by table.
type checker struct {
	known   map[string]map[string]bool
	current string
}

func newChecker() *checker { return &checker{known: map[string]map[string]bool{}} }

func (k *checker) define(table, id string) {
	if k.known[table] == nil {
		k.known[table] = map[string]bool{}
	}
	k.known[table][id] = true
}

func (k *checker) check(c Conversation) error {
	if err := checkID(c.ID); err != nil {
		return err
	}
	if k.known[Conversations][c.ID] {
		return formatError("The conversation %s is in the file twice.", c.ID)
	}
	k.define(Conversations, c.ID)
	k.current = c.ID
	if len(c.Events) == 0 || c.Events[0].Kind != event.ConversationCreated {
		return formatError("The conversation %s does not begin with its creation.", c.ID)
	}
	for i, e := range c.Events {
		if err := k.event(e); err != nil {
			return formatError("Event %d of conversation %s: %v", i+1, c.ID, err)
		}
	}
	if c.isRunning() {
		return formatError("The conversation %s has a turn or call without an end.", c.ID)
	}
	return nil
}

func checkID(ids ...string) error {
	for _, id := range ids {
		if len(id) > maxID {
			return formatError("An id is longer than %d characters.", maxID)
		}
	}
	if len(ids) > 0 && ids[0] == "" {
		return formatError("An id is missing.")
	}
	return nil
}

func (k *checker) event(e Event) error {
	data := newData(e.Kind)
	if data == nil {
		return formatError("The kind %q does not belong into a file.", e.Kind)
	}
	if len(e.Data) > maxEventData {
		return formatError("It is larger than %d MB.", maxEventData>>20)
	}
	if e.Time.Year() < 1970 || e.Time.Year() > 2200 {
		return formatError("Its time is out of range.")
	}
	if err := json.Unmarshal(e.Data, data); err != nil {
		return formatError("Its data is wrong: %v.", err)
	}
	if err := checkID("-", e.Turn, e.Call); err != nil {
		return err
	}
	switch d := data.(type) {
	case *chat.Conversation:
		return k.conversation(d)
	case *chat.Message:
		if d.Conversation != "" && d.Conversation != k.current {
			return formatError("the message belongs to another conversation.")
		}
		k.define(Messages, d.ID)
		for _, c := range d.Calls {
			if !json.Valid(c.Args) && len(c.Args) > 0 {
				return formatError("the arguments of a call are not JSON.")
			}
		}
		return checkID(d.ID, d.Turn, d.CallID, d.CoversThrough)
	case *event.Branch:
		k.define(Branches, d.ID)
		return checkID(d.ID, d.After, d.Replaces)
	case *event.Turn:
		k.define(Turns, d.ID)
		if e.Turn != "" {
			k.define(Turns, e.Turn)
		}
		if u := d.Usage; min(u.Input, u.Output, u.Cached, u.CacheWritten, d.Rounds) < 0 ||
			max(u.Input, u.Output, u.Cached, u.CacheWritten, d.Rounds) > maxCount {
			return formatError("its counts are out of range.")
		}
		return checkID(d.ID)
	case *event.Delta:
		k.define(Messages, d.Message)
		return checkID(d.Message)
	case *event.CallStart, *event.CallChunk, *event.CallEnd:
		k.define(Calls, e.Call)
		return checkID(e.Call)
	}
	return nil
}

func (k *checker) conversation(c *chat.Conversation) error {
	switch {
	case c.ID != k.current:
		return formatError("it describes another conversation.")
	case c.Parent != "" && (c.Parent == c.ID || !k.known[Conversations][c.Parent]):
		return formatError("the conversation that this subagent works for is not before it in the file.")
	case c.Created.Year() > 2200 || c.Updated.Year() > 2200 || c.Created.Year() < 1970 || c.Updated.Year() < 1970:
		return formatError("the conversation's time is out of range.")
	}
	return checkID(c.ID, c.Parent, c.ParentCall)
}

// Events returns the events that import the file, with the notes that mark its text as outside text. newID returns ids
// of messages.
func (i *Import) Events(newID func() string) []event.Event {
	var out []event.Event
	for _, c := range i.Conversations {
		note := func(at time.Time) {
			m := chat.Message{
				ID: newID(), Role: chat.RoleNote,
				Text:    "Imported conversation\nThis conversation was imported from a file.",
				Outside: []string{ImportSource}, Status: chat.StatusDone, Time: at,
			}
			e := event.New(event.MessageAdded, m).InTurn(c.ID, "")
			e.Time = at
			out = append(out, e)
		}
		for _, e := range c.Events {
			out = append(out, event.Event{
				Kind: e.Kind, Time: e.Time, Conversation: c.ID, Turn: e.Turn, Call: e.Call, Data: e.Data,
			})
			switch e.Kind {
			case event.ConversationCreated:
				note(e.Time)
			case event.BranchStarted:
				// A branch that begins before the first message has its own.
				var b event.Branch
				if json.Unmarshal(e.Data, &b) == nil && b.After == "" {
					note(e.Time)
				}
			}
		}
	}
	return out
}
