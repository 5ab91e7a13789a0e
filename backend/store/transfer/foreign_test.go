package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sextant/backend/store/transfer"
	"sextant/shared/chat"
	"sextant/shared/event"
)

const chatGPTExport = `[{"title":"Brass  lamps\n","create_time":1700000000.5,"current_node":"n4","conversation_id":"g1","mapping":{
"n0":{"id":"n0","message":null,"parent":null,"children":["n1"]},
"n1":{"message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]}},"parent":"n0"},
"n2":{"message":{"author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"multimodal_text","parts":["Is this brass?",{"asset":"x"}]}},"parent":"n1"},
"n3":{"message":{"author":{"role":"assistant"},"create_time":1700000002,"content":{"content_type":"text","parts":["No."]}},"parent":"n2"},
"n4":{"message":{"author":{"role":"assistant"},"create_time":1700000003,"content":{"content_type":"text","parts":["Yes, it is."]},"metadata":{"model_slug":"gpt-4"}},"parent":"n2"}}},
{"title":"Turning","conversation_id":"g2","current_node":"a","mapping":{
"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["Round and round"]}},"parent":"b"},"b":{"message":null,"parent":"a"}}},
{"title":"Empty","conversation_id":"g3","current_node":"a","mapping":{"a":{"message":null}}},
{"what":1}, 7]`

const claudeExport = `[{"uuid":"c-1","name":"","created_at":"2024-05-01T10:00:00.123456Z","chat_messages":[
{"uuid":"m1","sender":"human","text":"old","content":[{"type":"text","text":"Read it"}],"created_at":"2024-05-01T10:00:01Z","attachments":[{"file_name":"a.txt","extracted_content":"saffron"}]},
{"uuid":"m2","sender":"assistant","text":"Done.","created_at":"2024-05-01T10:00:02Z"},
{"uuid":"m3","sender":"human","text":"Thanks","created_at":"2024-05-01T10:01:02Z"}]}]`

// said returns the messages of a conversation, one "role: text" each.
func said(t *testing.T, c transfer.Conversation) (title string, all []string) {
	t.Helper()
	for _, e := range c.Events {
		switch e.Kind {
		case event.ConversationCreated:
			var about chat.Conversation
			if err := json.Unmarshal(e.Data, &about); err != nil {
				t.Fatal(err)
			}
			title = about.Title
		case event.MessageAdded:
			var m chat.Message
			if err := json.Unmarshal(e.Data, &m); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s: %s", m.Role, m.Text))
		}
	}
	return title, all
}

func TestReadsExportsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	in, err := transfer.Read(strings.NewReader(chatGPTExport))
	if err != nil {
		t.Fatal(err)
	}
	title, all := said(t, in.Conversations[0])
	const attached = "user: Is this brass?\n\n(An attachment that the export does not contain.)"
	if title != "Brass lamps" || strings.Join(all, "|") != attached+"|assistant: Yes, it is." {
		t.Errorf("%q %q", title, all)
	}
	if len(in.Conversations) != 2 || len(in.LeftOut) != 3 || !strings.Contains(in.LeftOut[0], "no messages") {
		t.Errorf("%d conversations, left out %q", len(in.Conversations), in.LeftOut)
	}
	if _, all = said(t, in.Conversations[1]); len(all) != 1 {
		t.Errorf("a loop of parents: %q", all)
	}

	if in, err = transfer.Read(strings.NewReader("\ufeff" + claudeExport)); err != nil {
		t.Fatal(err)
	}
	title, all = said(t, in.Conversations[0])
	if title != "Read it Attached a.txt: saffron" || strings.Join(all, "|") !=
		"user: Read it\n\nAttached a.txt:\nsaffron|assistant: Done.|user: Thanks" {
		t.Errorf("%q %q", title, all)
	}
}

func TestForeignExportIsImportedOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var zipped bytes.Buffer
	w := zip.NewWriter(&zipped)
	for name, text := range map[string]string{"user.json": "{}", "export/conversations.json": chatGPTExport} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := newStore(t)
	for i, want := range []int{0, 2} {
		in, err := transfer.Read(bytes.NewReader(zipped.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		in, known, err := s.WithoutKnown(ctx, in)
		if err != nil || known != want {
			t.Fatalf("import %d: %d known, %v", i, known, err)
		}
		if len(in.Conversations) == 0 {
			continue
		}
		if _, err := s.AppendEvents(ctx, in.Events(ids())); err != nil {
			t.Fatal(err)
		}
	}
	export(t, s) // it is complete: nothing runs
}

func TestHostileForeignExports(t *testing.T) {
	t.Parallel()
	bomb := func(size int) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, err := w.Create("conversations.json")
		if err == nil {
			_, err = f.Write(bytes.Repeat([]byte(" "), size))
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for text, want := range map[string]string{
		"[]": "contains no conversation", "[[]]": "contains no conversation", "[": "not a list",
		"PK\x03\x04": "damaged", bomb(transfer.MaxFile + 1): "larger than",
		`[{"mapping":{},"current_node":"x"}]`:                 "no id",
		`[{"mapping":[],"id":"x"}]`:                           "data is wrong",
		"[" + strings.Repeat("0,", 20_000) + "0]":             "more than 20000",
		`[{"chat_messages":[{"sender":"human"}],"uuid":"x"}]`: "no messages",
	} {
		var wrong transfer.FormatError
		_, err := transfer.Read(strings.NewReader(text))
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	// Whatever byte is changed, a conversation is complete or left out.
	for i := range len(claudeExport) {
		garbled := []byte(claudeExport)
		garbled[i] ^= 1 << (i % 7)
		in, err := transfer.Read(bytes.NewReader(garbled))
		if err != nil {
			continue
		}
		for _, c := range in.Conversations {
			if _, all := said(t, c); len(all) == 0 {
				t.Errorf("byte %d: a conversation without messages", i)
			}
		}
	}
}
