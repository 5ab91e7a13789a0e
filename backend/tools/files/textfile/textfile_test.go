package textfile

import "testing"

func TestDecodeRefusesWhatCannotBeSavedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    string
	}{
		"UTF-8":                        {"päck\n", "päck\n"},
		"UTF-8 with byte order mark":   {"\xef\xbb\xbfa", "a"},
		"UTF-16":                       {"\xff\xfea\x00b\x00", "ab"},
		"UTF-16 with an odd byte":      {"\xff\xfea\x00b", ""},
		"UTF-16 with a lone high half": {"\xff\xfea\x00\x00\xd8b\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _, err := Decode([]byte(c.content), "a.txt")
			if text != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}
