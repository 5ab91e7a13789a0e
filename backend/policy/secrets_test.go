package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (in Input) secrets(uses ...toolspec.SecretUse) Input { in.Description.Secrets = uses; return in }

// TestASecretAsksOnceForItsHostInAConversation: also in the mode Full, where nothing else asks, and
// on a page that a person typed the address of.
func TestASecretAsksOnceForItsHostInAConversation(t *testing.T) {
	use := toolspec.SecretUse{Name: "github", Place: "header", Origin: "https://api.github.com"}
	request := ours("web", "http_request", `{"url":"https://api.github.com/user"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.github.com").
		about("GET https://api.github.com/user", "Authorization: Bearer {{secret:github}}")
	request.UsedHosts = []string{"api.github.com"}
	for _, mode := range []Mode{Ask, Workspace, Full} {
		in := request.mode(mode)
		comesTo(t, in, Allow)
		d := comesTo(t, in.secrets(use), Question)
		if a := d.Approval; !strings.Contains(a.Question, "{{secret:github}}") ||
			!strings.Contains(a.Question, "api.github.com") ||
			!strings.Contains(a.Why, "the secret github into the header of a request to https://api.github.com") {
			t.Errorf("%s: asked %q because %q", mode, a.Question, a.Why)
		}
		again := in.secrets(use)
		again.UsedSecrets = []toolspec.SecretUse{use}
		comesTo(t, again, Allow)
		elsewhere := use
		elsewhere.Place = "query"
		again.Description.Secrets = []toolspec.SecretUse{use, elsewhere}
		comesTo(t, again, Question)
	}
	typed := page("type_text",
		`{"annotationId":3,"text":"{{secret:shop}}"}`).hosts("shop.example").typedHosts("shop.example").about("",
		"{{secret:shop}}")
	comesTo(t, typed, Allow)
	comesTo(t, typed.secrets(toolspec.SecretUse{Name: "shop", Place: "field", Origin: "https://shop.example"}),
		Question)
	comesTo(t, request.secrets(use).alone(), Refuse)
}

// TestAGrantCoversTheSecretsThatItNamesAndWithOutsideTextNone.
func TestAGrantCoversTheSecretsThatItNamesAndWithOutsideTextNone(t *testing.T) {
	use := toolspec.SecretUse{Name: "github", Place: "header", Origin: "https://api.github.com"}
	other := toolspec.SecretUse{Name: "bank", Place: "header", Origin: "https://api.github.com"}
	plain := ours("web", "http_request", `{"url":"https://api.github.com/user"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.github.com")
	without := comesTo(t, plain, Question).Grants[event.AnswerAlways]
	with := comesTo(t, plain.secrets(use), Question).Grants[event.AnswerAlways]
	if !strings.Contains(with.Text, "with the secret github") {
		t.Errorf("the grant says %q", with.Text)
	}
	comesTo(t, plain.with(without), Allow)
	comesTo(t, plain.secrets(use).with(without), Question)
	comesTo(t, plain.secrets(use).with(with), Allow)
	comesTo(t, plain.secrets(use, other).with(with), Question)
	comesTo(t, plain.hosts("evil.example").secrets(use).with(with), Question)
	tainted := plain.secrets(use).read("https://page.example")
	tainted.UsedSecrets = []toolspec.SecretUse{use}
	d := comesTo(t, tainted.with(with), Question)
	if len(d.Grants) != 0 {
		t.Errorf("with outside text a grant is offered: %+v", d.Grants)
	}
}
