package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/agent/pricing"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/pipeline/nearest"
	"sextant/backend/sandbox/egress"
)

func noSetting(name string) string {
	names := make([]string, 0, len(Keys()))
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	text := fmt.Sprintf("there is no setting %q", name)
	if near := nearest.Names(name, names, 1); len(near) > 0 {
		text += fmt.Sprintf(", nearest: %q", near[0])
	}
	return text
}

// CheckValue returns an error if value is not allowed for the setting name, or if there is no such setting.
func CheckValue(name, value string) error {
	k, ok := FindKey(name)
	if !ok {
		return errors.New(noSetting(name))
	}
	if k.Check != nil {
		return k.Check(value)
	}
	if n, err := strconv.Atoi(value); k.Max > 0 && (err != nil || n < k.Min || n > k.Max) {
		return fmt.Errorf("%q is no whole number from %d to %d", value, k.Min, k.Max)
	}
	if k.OneOf != nil && !slices.Contains(k.OneOf, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(k.OneOf, ", "))
	}
	return nil
}

func each(check func(string) error) func(string) error {
	return func(list string) error {
		for entry := range strings.SplitSeq(list, ",") {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			if err := check(entry); err != nil {
				return err
			}
		}
		return nil
	}
}

func checkHost(host string) error { return noHost(host, egress.ValidateHost(host)) }

func checkDeniedHost(host string) error { return noHost(host, egress.ValidateDeniedHost(host)) }

func noHost(host string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q is no host: %w; write hosts as 127.0.0.1,localhost:3000", host, err)
}

func checkGroup(group string) error {
	if slices.Contains(SwitchableGroups, group) {
		return nil
	}
	return fmt.Errorf("%q is no group that can be switched off; these can: %s", group,
		strings.Join(SwitchableGroups, ", "))
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func checkToolName(name string) error {
	if toolName.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%q is no name of a tool", name)
}

// toolKey matches a tool in the form of policy.ToolKey: owner/name, or name.
var toolKey = regexp.MustCompile(`^([A-Za-z0-9%._@:&=+$~-]{0,200}/)?[A-Za-z0-9_.-]{1,128}$`)

func checkToolKey(key string) error {
	if toolKey.MatchString(key) {
		return nil
	}
	return fmt.Errorf("%q is no tool; write the name of one of Sextant's own, panel/name or server/name", key)
}

func checkDialect(d string) error { return probe.CheckOverride(d) }

func checkFallback(value string) error {
	if provider, model, ok := strings.Cut(value, "/"); value != "" && (!ok || provider == "" || model == "") {
		return fmt.Errorf("%q is no model: write provider/name, e.g. ollama/qwen3", value)
	}
	return nil
}

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func checkProfile(value string) error {
	if value != "" && !profileName.MatchString(value) {
		return fmt.Errorf("%q is no name of a profile: lower-case letters, digits and hyphens, at most 40", value)
	}
	return nil
}

func checkPrices(value string) error {
	_, err := pricing.Parse(value)
	return err
}

func checkTokens(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return fmt.Errorf("%q is no number of tokens: write digits, 0 for no budget", value)
	}
	return nil
}

func checkMoney(value string) error {
	_, err := pricing.ParseMoney(value)
	return err
}

func checkDocument(value string) error {
	if value == "" {
		return nil
	}
	if u, err := url.Parse(value); err != nil || u.Scheme != "https" || u.Host == "" ||
		strings.Trim(u.Path, "/") == "" {
		return errors.New("is an https address with a path, e.g. https://example.com/sextant.json")
	}
	return nil
}

// SwitchableGroups contains the groups of tools that a person can switch off.
var SwitchableGroups = []string{"files", "shell", "web"}
