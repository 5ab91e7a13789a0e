package cdp

import (
	"encoding/json"
	"testing"
)

func TestLargeResponseIsDecodedLikeSmallOne(t *testing.T) {
	for _, text := range []string{
		"", "plain", `"quoted" and \ back`, "tab\tline\nreturn\rbell\b\f", "ü 漢 🙂 \u2028", `{"x":"}}"}`, "\x01\x02",
	} {
		t.Run(text, func(t *testing.T) {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, session := range []string{"", `,"sessionId":"0AF3-9"`} {
				message := `{"id":71,"result":{"result":{"type":"string","value":` + string(
					quoted,
				) + `}}` + session + `}`
				id, result, ok := splitAnswer([]byte(message))
				if !ok || id != 71 {
					t.Fatalf("%s: %d %v", message, id, ok)
				}
				if got, ok := plainText(result); !ok || got != text {
					t.Errorf("%s: %q %v", message, got, ok)
				}
			}
		})
	}
	if got, ok := unescape([]byte(`\ud83d\ude42 \ud83d`)); !ok || got != "🙂 \ufffd" {
		t.Errorf("surrogates: %q %v", got, ok)
	}
}

func TestOtherMessagesUseGeneralDecoder(t *testing.T) {
	for _, message := range []string{
		`{"method":"Page.loadEventFired","params":{}}`, `{"id":3,"error":{"code":1,"message":"no"}}`,
		`{"id":x,"result":{}}`, `{"id":3`, `[]`, ``,
	} {
		t.Run(message, func(t *testing.T) {
			if id, result, ok := splitAnswer([]byte(message)); ok {
				t.Errorf("%s: %d %s", message, id, result)
			}
		})
	}
	for _, text := range []string{`a"b`, `\x`, `\u12`, `\`, `a\`, `\u00zz`, `x\n"`} {
		t.Run(text, func(t *testing.T) {
			if got, ok := unescape([]byte(text)); ok {
				t.Errorf("%s: %q", text, got)
			}
		})
	}
	if id, result, ok := splitAnswer([]byte(`{"id":4,"result":{"a":{"sessionId":"x"}}}`)); !ok || id != 4 ||
		string(result) != `{"a":{"sessionId":"x"}}` {
		t.Errorf("%d %s %v", id, result, ok)
	}
	if id, result, ok := splitAnswer([]byte(`{"id":5,"result":{}}`)); !ok || id != 5 || string(result) != `{}` {
		t.Errorf("%d %s %v", id, result, ok)
	}
}
