package grammar

import (
	"regexp"
	"strings"
)

var (
	// toolInWords matches a tool in a sentence for models, with the arguments named after it.
	toolInWords = regexp.MustCompile(
		`(?i)\b(call )?([a-z]+(?:_[a-z]+)+|downloads)\b((?: with(?:out)?| again)?(?: (?:an? )?(?:[a-z_]+=[a-z]+|[a-z_]+ "[a-z ]+"|action|query|scope|url|id|seconds|text|\{[^{}]*\})(?: or)?)*)`,
	)
	namedArg = regexp.MustCompile(`([a-z_]+)(?:=| ")([a-z ]+)`)
	bareArg  = regexp.MustCompile(`\b(query|url|seconds|text)\b`)
)

// Rephrase rewords a sentence for models with commands: "Call annotate_page" becomes “Say "annotate"”. Tools
// without a command are left as they are.
func (parser *Parser) Rephrase(text string) string {
	return toolInWords.ReplaceAllStringFunc(text, func(found string) string {
		p := toolInWords.FindStringSubmatch(found)
		call, tool, with := p[1], strings.ToLower(p[2]), p[3]
		if tool == "downloads" && call == "" {
			return found
		}
		var usages []string
		add := func(f *compiledForm) {
			if f != nil && !strings.Contains(strings.Join(usages, " "), `"`+f.Usage()+`"`) {
				usages = append(usages, `"`+f.Usage()+`"`)
			}
		}
		if !strings.HasPrefix(with, " without") {
			left := with
			for _, a := range namedArg.FindAllStringSubmatch(with, -1) {
				add(parser.formOf(tool, map[string]string{a[1]: strings.TrimSpace(a[2])}))
				left = strings.Replace(left, a[0], "", 1)
			}
			for _, a := range bareArg.FindAllStringSubmatch(left, -1) {
				add(parser.formOf(tool, map[string]string{a[1]: ""}))
			}
		}
		if len(usages) == 0 {
			add(parser.formOf(tool, nil))
		}
		if len(usages) == 0 {
			return found
		}
		words := strings.Join(usages, " or ")
		if strings.HasSuffix(with, " or") {
			words += " or"
		}
		switch {
		case strings.HasPrefix(call, "C"):
			return "Say " + words
		case call != "":
			return "say " + words
		}
		return words
	})
}
