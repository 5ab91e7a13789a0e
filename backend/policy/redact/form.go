package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// pair is a name and its value in an address: "?token=x", "#access_token=x".
var pair = regexp.MustCompile(`([?&#;])([^\s?&#;="'<>]{1,80})=([^\s&#;"'<>]+)`)

// pairs hides the values of secret names in the addresses that text holds.
func (v *Veil) pairs(text, where string) string {
	return pair.ReplaceAllStringFunc(text, func(found string) string {
		m := pair.FindStringSubmatch(found)
		if m[3] == Mark || !secretField(m[2], m[3]) {
			return found
		}
		return m[1] + m[2] + "=" + v.hide(plain(m[2]), where)
	})
}

// secretField reports whether a field of a query or a form holds a secret.
func secretField(name, value string) bool {
	if value == "" || value == "true" || value == "false" {
		return false
	}
	return nameOf(plain(name)).tells(value, true)
}

// plain is a name of a query without its escapes.
func plain(name string) string {
	if p, err := url.QueryUnescape(name); err == nil {
		return p
	}
	return name
}

var formShape = regexp.MustCompile(`^[^\s=&<>{}"]{1,100}=[^\s&<>{}"]*(?:&[^\s=&<>{}"]{1,100}=[^\s&<>{}"]*)*$`)

func looksLikeForm(text string) bool { return formShape.MatchString(text) }

// form hides the values of secret names in a form as it is sent.
func (v *Veil) form(text, where string) string {
	fields := strings.Split(text, "&")
	for i, f := range fields {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			continue
		}
		if secretField(name, value) {
			fields[i] = name + "=" + v.hide(plain(name), where)
			continue
		}
		// What a field holds may itself be JSON or an address.
		inner := plain(value)
		if shown := v.inner(inner, where); shown != inner {
			fields[i] = name + "=" + url.QueryEscape(shown)
		}
	}
	return strings.Join(fields, "&")
}

// inner hides secrets in text that stands inside of other text.
func (v *Veil) inner(text, where string) string {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		return v.json(text, where, true, 1)
	}
	return v.Text(v.pairs(text, where), where)
}

var partName = regexp.MustCompile(`(?i)^[\s\S]*?content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"`)

// parts hides the values of secret names in a form of several parts.
func (v *Veil) parts(text, where string) string {
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
		m := partName.FindStringSubmatch(head)
		if m == nil || !secretField(m[1], value) {
			continue
		}
		list[i] = head + "\r\n\r\n" + v.hide(m[1], where) + "\r\n"
	}
	return strings.Join(list, border)
}

var (
	tag       = regexp.MustCompile(`(?i)<(?:input|meta|button|param|data)\b[^>]*>`)
	tagName   = regexp.MustCompile(`(?i)\s(?:name|id|property)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))`)
	tagHides  = regexp.MustCompile(`(?i)\stype\s*=\s*["']?password\b`)
	tagValue  = regexp.MustCompile(`(?i)(\s(?:value|content)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)`)
	tagButton = regexp.MustCompile(`(?i)\stype\s*=\s*["']?(?:submit|button|checkbox|radio)\b`)
	element   = regexp.MustCompile(`<([A-Za-z_][\w.:-]{0,60})(?:\s[^>]*)?>([^<]+)</`)
)

// markup hides what HTML fields, meta elements and XML elements of secret names hold.
func (v *Veil) markup(text, where string) string {
	text = tag.ReplaceAllStringFunc(text, func(t string) string {
		name, password := "", tagHides.MatchString(t)
		for _, m := range tagName.FindAllStringSubmatch(t, -1) {
			if n := m[1] + m[2] + m[3]; nameOf(n) > nameOf(name) {
				name = n
			}
		}
		if !password && (name == "" || tagButton.MatchString(t)) {
			return t
		}
		return tagValue.ReplaceAllStringFunc(t, func(found string) string {
			m := tagValue.FindStringSubmatch(found)
			value := strings.Trim(m[2], `"'`)
			if value == "" || !password && !nameOf(name).tells(value, false) {
				return found
			}
			if name == "" {
				name = "password"
			}
			return m[1] + `"` + v.hide(name, where) + `"`
		})
	})
	return element.ReplaceAllStringFunc(text, func(found string) string {
		m := element.FindStringSubmatch(found)
		value := strings.TrimSpace(m[2])
		if value == "" || nameOf(m[1]) != strong {
			return found
		}
		return strings.Replace(found, ">"+m[2]+"</", ">"+v.hide(m[1], where)+"</", 1)
	})
}
