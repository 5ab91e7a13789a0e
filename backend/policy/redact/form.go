package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// parameterPattern matches a parameter and its value in a URL: "?token=x", "#access_token=x".
var parameterPattern = regexp.MustCompile(`([?&#;])([^\s?&#;="'<>]{1,80})=([^\s&#;"'<>]+)`)

func (r *Redactor) parameters(text, where string) string {
	return parameterPattern.ReplaceAllStringFunc(text, func(found string) string {
		m := parameterPattern.FindStringSubmatch(found)
		if m[3] == Placeholder || !secretField(m[2], m[3]) {
			return found
		}
		return m[1] + m[2] + "=" + r.mark(unescape(m[2]), where)
	})
}

// secretField reports whether the value of a query parameter or form field is a secret.
func secretField(name, value string) bool {
	if value == "" || value == "true" || value == "false" {
		return false
	}
	return nameStrength(unescape(name)).isSecret(value, true)
}

func unescape(name string) string {
	if p, err := url.QueryUnescape(name); err == nil {
		return p
	}
	return name
}

var formPattern = regexp.MustCompile(`^[^\s=&<>{}"]{1,100}=[^\s&<>{}"]*(?:&[^\s=&<>{}"]{1,100}=[^\s&<>{}"]*)*$`)

func looksLikeForm(text string) bool { return formPattern.MatchString(text) }

func (r *Redactor) form(text, where string) string {
	fields := strings.Split(text, "&")
	for i, f := range fields {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			continue
		}
		if secretField(name, value) {
			fields[i] = name + "=" + r.mark(unescape(name), where)
			continue
		}
		// The value of a field may itself be JSON or contain a URL.
		inner := unescape(value)
		if redacted := r.nested(inner, where); redacted != inner {
			fields[i] = name + "=" + url.QueryEscape(redacted)
		}
	}
	return strings.Join(fields, "&")
}

func (r *Redactor) nested(text, where string) string {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		return r.json(text, where, true, 1)
	}
	return r.Text(r.parameters(text, where), where)
}

var partNamePattern = regexp.MustCompile(`(?i)^[\s\S]*?content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"`)

func (r *Redactor) multipart(text, where string) string {
	border, _, ok := strings.Cut(text, "\n")
	border = strings.TrimRight(border, "\r")
	if !ok || !strings.HasPrefix(border, "--") {
		return text
	}
	list := strings.Split(text, border)
	for i, p := range list {
		head, value, ok := strings.Cut(p, "\r\n\r\n")
		if !ok {
			continue
		}
		value = strings.TrimSuffix(value, "\r\n")
		m := partNamePattern.FindStringSubmatch(head)
		if m == nil || !secretField(m[1], value) {
			continue
		}
		list[i] = head + "\r\n\r\n" + r.mark(m[1], where) + "\r\n"
	}
	return strings.Join(list, border)
}

var (
	tagPattern     = regexp.MustCompile(`(?i)<(?:input|meta|button|param|data)\b[^>]*>`)
	tagName        = regexp.MustCompile(`(?i)\s(?:name|id|property)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))`)
	tagHides       = regexp.MustCompile(`(?i)\stype\s*=\s*["']?password\b`)
	tagValue       = regexp.MustCompile(`(?i)(\s(?:value|content)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)`)
	tagButton      = regexp.MustCompile(`(?i)\stype\s*=\s*["']?(?:submit|button|checkbox|radio)\b`)
	elementPattern = regexp.MustCompile(`<([A-Za-z_][\w.:-]{0,60})(?:\s[^>]*)?>([^<]+)</`)
)

// markup hides the values of HTML fields, meta elements and XML elements with secret names.
func (r *Redactor) markup(text, where string) string {
	text = tagPattern.ReplaceAllStringFunc(text, func(t string) string {
		name, password := "", tagHides.MatchString(t)
		for _, m := range tagName.FindAllStringSubmatch(t, -1) {
			if n := m[1] + m[2] + m[3]; nameStrength(n) > nameStrength(name) {
				name = n
			}
		}
		if !password && (name == "" || tagButton.MatchString(t)) {
			return t
		}
		return tagValue.ReplaceAllStringFunc(t, func(found string) string {
			m := tagValue.FindStringSubmatch(found)
			value := strings.Trim(m[2], `"'`)
			if value == "" || !password && !nameStrength(name).isSecret(value, false) {
				return found
			}
			if name == "" {
				name = "password"
			}
			return m[1] + `"` + r.mark(name, where) + `"`
		})
	})
	return elementPattern.ReplaceAllStringFunc(text, func(found string) string {
		m := elementPattern.FindStringSubmatch(found)
		value := strings.TrimSpace(m[2])
		if value == "" || nameStrength(m[1]) != strong {
			return found
		}
		return strings.Replace(found, ">"+m[2]+"</", ">"+r.mark(m[1], where)+"</", 1)
	})
}
