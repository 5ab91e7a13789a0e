package transfer

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// Exports of ChatGPT and Claude are lists of conversations in a file of this name, which may be in a ZIP file.
const foreignFile = "conversations.json"

const (
	maxForeign = 20_000
	maxTitle   = 200
)

// foreignMessage is a message of another program. Role is chat.RoleUser or chat.RoleAssistant.
type foreignMessage struct {
	id    string
	role  chat.Role
	text  string
	model string
	time  time.Time
}

// foreignConversation is a conversation of another program with the messages of its last branch.
type foreignConversation struct {
	program, id, title string
	created            time.Time
	messages           []foreignMessage
}

// unzip returns the export in a ZIP file, or raw if it is none.
func unzip(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(raw, []byte("PK\x03\x04")) {
		return raw, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, formatError("The ZIP file is damaged: %v.", err)
	}
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return path.Base(f.Name) == foreignFile })
	if i < 0 {
		return nil, formatError("The ZIP file contains no %s.", foreignFile)
	}
	f, err := archive.File[i].Open()
	if err != nil {
		return nil, formatError("The ZIP file is damaged: %v.", err)
	}
	defer func() { _ = f.Close() }()
	raw, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return nil, formatError("The ZIP file is damaged: %v.", err)
	case len(raw) > MaxFile:
		return nil, formatError("%s is larger than %d MB.", foreignFile, MaxFile>>20)
	}
	return raw, nil
}

// readForeign reads the list of conversations that ChatGPT or Claude exported. Conversations that cannot be read are
// left out, each with a reason in Import.LeftOut.
func readForeign(raw []byte) (*Import, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, formatError("The file is not a list of conversations: %v.", err)
	}
	if len(list) > maxForeign {
		return nil, formatError("The file contains more than %d conversations.", maxForeign)
	}
	in := &Import{Foreign: true}
	k := newChecker()
	for i, one := range list {
		c, err := foreign(one)
		if err == nil {
			err = k.check(c)
		}
		if err != nil {
			in.LeftOut = append(in.LeftOut, fmt.Sprintf("Conversation %d: %v", i+1, err))
			continue
		}
		in.Conversations = append(in.Conversations, c)
	}
	in.ids = k.known
	if len(in.Conversations) == 0 {
		reason := "It is empty."
		if len(in.LeftOut) > 0 {
			reason = in.LeftOut[0]
		}
		return nil, formatError("The file contains no conversation that can be imported. %s", reason)
	}
	return in, nil
}

func foreign(raw json.RawMessage) (Conversation, error) {
	var shape struct {
		Mapping  json.RawMessage `json:"mapping"`
		Messages json.RawMessage `json:"chat_messages"`
	}
	if err := json.Unmarshal(raw, &shape); err != nil {
		return Conversation{}, formatError("it is not an object.")
	}
	var c foreignConversation
	var err error
	switch {
	case shape.Mapping != nil:
		c, err = chatGPT(raw)
	case shape.Messages != nil:
		c, err = claude(raw)
	default:
		return Conversation{}, formatError("it is not from ChatGPT or Claude.")
	}
	switch {
	case err != nil:
		return Conversation{}, formatError("its data is wrong: %v.", err)
	case c.id == "":
		return Conversation{}, formatError("it has no id.")
	case len(c.messages) == 0:
		return Conversation{}, formatError("it has no messages with text.")
	}
	return c.convert()
}

func chatGPT(raw json.RawMessage) (foreignConversation, error) {
	var in struct {
		ID             string  `json:"id"`
		ConversationID string  `json:"conversation_id"`
		Title          string  `json:"title"`
		Created        float64 `json:"create_time"`
		Current        string  `json:"current_node"`
		Mapping        map[string]struct {
			Parent  string `json:"parent"`
			Message *struct {
				Created float64 `json:"create_time"`
				Author  struct {
					Role string `json:"role"`
				} `json:"author"`
				Content struct {
					Type  string            `json:"content_type"`
					Parts []json.RawMessage `json:"parts"`
					Text  string            `json:"text"`
				} `json:"content"`
				Metadata struct {
					Model  string `json:"model_slug"`
					Hidden bool   `json:"is_visually_hidden_from_conversation"`
				} `json:"metadata"`
			} `json:"message"`
		} `json:"mapping"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return foreignConversation{}, err
	}
	c := foreignConversation{program: "ChatGPT", id: in.ConversationID, title: in.Title, created: unix(in.Created)}
	if c.id == "" {
		c.id = in.ID
	}
	seen := map[string]bool{} // a parent may be its own descendant
	for id := in.Current; id != "" && !seen[id]; id = in.Mapping[id].Parent {
		seen[id] = true
		m := in.Mapping[id].Message
		if m == nil || m.Metadata.Hidden || m.Author.Role != "user" && m.Author.Role != "assistant" {
			continue
		}
		var texts []string
		switch m.Content.Type {
		case "text", "multimodal_text":
			for _, part := range m.Content.Parts {
				var text string
				if json.Unmarshal(part, &text) != nil {
					text = "(An attachment that the export does not contain.)"
				}
				texts = append(texts, text)
			}
		case "code":
			texts = append(texts, "```\n"+m.Content.Text+"\n```")
		}
		c.add(id, m.Author.Role == "user", strings.Join(texts, "\n\n"), m.Metadata.Model, unix(m.Created))
	}
	slices.Reverse(c.messages)
	return c, nil
}

func claude(raw json.RawMessage) (foreignConversation, error) {
	var in struct {
		UUID     string    `json:"uuid"`
		Name     string    `json:"name"`
		Created  time.Time `json:"created_at"`
		Messages []struct {
			UUID    string    `json:"uuid"`
			Sender  string    `json:"sender"`
			Text    string    `json:"text"`
			Created time.Time `json:"created_at"`
			Content []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
			Attachments []struct {
				Name string `json:"file_name"`
				Text string `json:"extracted_content"`
			} `json:"attachments"`
		} `json:"chat_messages"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return foreignConversation{}, err
	}
	c := foreignConversation{program: "Claude", id: in.UUID, title: in.Name, created: in.Created}
	for i, m := range in.Messages {
		var texts []string
		for _, block := range m.Content {
			if block.Type == "text" {
				texts = append(texts, block.Text)
			}
		}
		if len(texts) == 0 {
			texts = append(texts, m.Text)
		}
		for _, a := range m.Attachments {
			texts = append(texts, "Attached "+excerpt.Line(a.Name, maxTitle)+":\n"+a.Text)
		}
		c.add(fmt.Sprint(i, m.UUID), m.Sender == "human", strings.Join(texts, "\n\n"), "", m.Created)
	}
	return c, nil
}

func (c *foreignConversation) add(id string, isPerson bool, text, model string, at time.Time) {
	if strings.TrimSpace(text) == "" {
		return
	}
	m := foreignMessage{id: id, role: chat.RoleAssistant, text: text, model: model, time: at}
	if isPerson {
		m.role = chat.RoleUser
	}
	c.messages = append(c.messages, m)
}

// convert returns the events that say the same. The ids depend only on those of the other program, so that the same
// conversation is recognised when it is imported again.
func (c foreignConversation) convert() (Conversation, error) {
	key := c.program + " " + c.id
	out := Conversation{ID: stableID("c_", key)}
	first := c.messages[0]
	at := later(later(time.Unix(0, 0), first.time), c.created)
	title := excerpt.Line(c.title, maxTitle)
	if title == "" {
		title = excerpt.Line(first.text, 80)
	}
	about := chat.Conversation{ID: out.ID, Title: title, Status: chat.StatusDone, Created: at, Updated: at}
	for _, m := range c.messages {
		about.Updated = later(about.Updated, m.time)
	}
	var err error
	add := func(kind event.Kind, turn string, data any) {
		raw, failed := json.Marshal(data)
		if failed != nil {
			err = failed
		}
		out.Events = append(out.Events, Event{Kind: kind, Time: at.UTC(), Turn: turn, Data: raw})
	}
	add(event.ConversationCreated, "", about)
	turn, running := "", event.Turn{}
	end := func() {
		if running.ID != "" {
			running.Status = chat.StatusDone
			add(event.TurnEnded, turn, running)
		}
		running = event.Turn{}
	}
	for i, m := range c.messages {
		at = later(at, m.time)
		if m.role == chat.RoleUser || i == 0 {
			end()
			turn = stableID("t_", key+" "+m.id)
		}
		message := chat.Message{
			ID: stableID("m_", key+" "+m.id), Conversation: out.ID, Turn: turn, Role: m.role, Text: m.text,
			Status: chat.StatusDone, Time: at.UTC(),
		}
		if m.role == chat.RoleAssistant && running.ID == "" {
			running = event.Turn{ID: turn, Model: excerpt.Line(m.model, maxID), Status: chat.StatusRunning}
			if running.Model == "" {
				running.Model = c.program
			}
			add(event.TurnStarted, turn, running)
		}
		add(event.MessageAdded, turn, message)
	}
	end()
	return out, err
}

func stableID(prefix, key string) string {
	sum := sha256.Sum256([]byte(key))
	return prefix + hex.EncodeToString(sum[:8])
}

// unix returns a time in seconds since 1970, the zero time if it is out of range.
func unix(seconds float64) time.Time {
	if !(seconds > 0 && seconds < 7e9) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000))
}

func later(a, b time.Time) time.Time {
	if b.After(a) && b.Year() < 2200 {
		return b
	}
	return a
}
