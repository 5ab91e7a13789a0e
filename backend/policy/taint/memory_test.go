package taint

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const letter = `Dear Ana, your order 4711-0815-2342-9981 leaves Tromsø on Monday at noon.
Token: ghp_k3Jd8sLq02mXw9. Write to ana.lima@post.example or call us.`

func noSource(string) bool { return false }

func TestCopiedFromFindsSource(t *testing.T) {
	m := New()
	m.Record("t1", "file:/home/a/letter.txt", letter)
	m.Record("t1", "file:/home/a/keys.txt", "Since 2026-11-22 the key is KEY-0010-9QX7-ZT4M, the door code 830017.")
	m.Record("t1", "https://news.example", "The weather in the north will be mild over the weekend.")
	for _, c := range []struct {
		data string
		want string
	}{
		{"ghp_k3Jd8sLq02mXw9", "file:/home/a/letter.txt"},
		{"key=GHP_K3JD8SLQ02MXW9&x=1", "file:/home/a/letter.txt"},
		{"please say: leaves tromsø on monday at noon", "file:/home/a/letter.txt"},
		{"Leaves, Tromsø -- on\nMonday at noon", "file:/home/a/letter.txt"},
		{"ana.lima@post.example", "file:/home/a/letter.txt"},
		{url.QueryEscape("order leaves Tromsø on Monday at noon"), "file:/home/a/letter.txt"},
		{"https://x.example/?d=" + base64.URLEncoding.EncodeToString([]byte(letter)), "file:/home/a/letter.txt"},
		{base64.StdEncoding.EncodeToString([]byte("ghp_k3Jd8sLq02mXw9")), "file:/home/a/letter.txt"},
		{hex.EncodeToString([]byte("ghp_k3Jd8sLq02mXw9")), "file:/home/a/letter.txt"},
		{"mild over the weekend in the north; weather in the north will be mild", "https://news.example"},
		{"4711-0815-2342-9981", "file:/home/a/letter.txt"},
		{"4711 of 47110815/2342/9981 and 4711081523429981", "file:/home/a/letter.txt"},
		{"KEY-0010-9QX7-ZT4M", "file:/home/a/keys.txt"},
		{"/p/KEY-0010-9QX7-ZT4M/x.png", "file:/home/a/keys.txt"},
		{"d=M4TZ-7XQ9-0100-YEK", "file:/home/a/keys.txt"},
		{"what is XRL-0010-9DK7-MG4Z", "file:/home/a/keys.txt"},
		{"K E Y - 0 0 1 0 - 9 Q X 7 - Z T 4 M", "file:/home/a/keys.txt"},
		{"open with 830017 please", "file:/home/a/keys.txt"},
		{"Ana", ""},
		{"on 2026-11-22 at 10:30", ""},
		{"10437", ""},
		{"Monday", ""},
		{"a desk lamp under 80 euros please", ""},
		{"", ""},
	} {
		t.Run(c.data, func(t *testing.T) {
			if got := strings.Join(m.CopiedFrom("t1", c.data, noSource), ","); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := m.CopiedFrom("t2", letter, noSource); len(got) != 0 {
		t.Errorf("another conversation has it: %v", got)
	}
}

func TestCopiedFromIgnoresOwnText(t *testing.T) {
	m := New()
	m.Record("t", "https://shop.example", letter)
	m.Record("t", "file:/home/a/letter.txt", letter)
	own := func(source string) bool { return source == "https://shop.example" }
	if got := m.CopiedFrom("t", "ghp_k3Jd8sLq02mXw9", own); len(got) != 0 {
		t.Errorf("text of the target's own page counts as copied: %v", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m := New()
	for i := range 200 {
		for j := range 60 {
			m.Record(fmt.Sprint(i), "s", fmt.Sprintf("token%dabc%d9999 ", i, j))
		}
	}
	if len(m.conversations) != maxConversations || len(m.order) != maxConversations ||
		len(m.conversations["199"]) != maxTexts {
		t.Errorf("%d conversations, %d texts", len(m.conversations), len(m.conversations["199"]))
	}
	long := strings.Repeat("one two three four five six seven ", 1_000_000)
	m.Record("long", "s", long)
	if got := m.CopiedFrom("long", "two three four five six", noSource); !slices.Equal(got, []string{"s"}) {
		t.Errorf("%v", got)
	}
}

func FuzzCopiedFrom(f *testing.F) {
	f.Add(letter, "x")
	f.Add("\xff\xfe", "%zz=+")
	f.Fuzz(func(t *testing.T, read, data string) {
		m := New()
		m.Record("t", "s", read)
		_ = m.CopiedFrom("t", data, noSource)
		got := m.CopiedFrom("t", read, noSource)
		if len(m.fingerprints(read)) > 0 && len(got) != 1 && len(read) < maxText {
			t.Errorf("the text itself is not found: %q", read)
		}
	})
}

func TestFilesOutlastTheirText(t *testing.T) {
	m := New()
	m.RecordPrivate("talk", "file /w/me.txt", "54200") // too short to have a fingerprint
	m.RecordPrivate("talk", "file /w/key.txt", "ghp_k3Jd8sLq02mXw9")
	for i := range 2 * maxTexts {
		m.Record("talk", "https://shop.example", fmt.Sprintf("order 47110815234%05d", i))
	}
	want := []string{"file /w/key.txt", "file /w/me.txt"}
	if diff := cmp.Diff(want, m.Private("talk")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := m.Private("other"); len(got) > 0 {
		t.Errorf("of another conversation: %q", got)
	}
}
