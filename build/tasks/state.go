package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// flatten stores every leaf of a JSON value in a map by its path, such as mail.3.folder.
func flatten(path string, v any, into map[string]string) error {
	at := func(key string) string {
		if path == "" {
			return key
		}
		return path + "." + key
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if err := flatten(at(k), x, into); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for i, x := range v {
			if err := flatten(at(strconv.Itoa(i)), x, into); err != nil {
				return err
			}
		}
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	into[path] = string(b)
	return nil
}

// changes returns the differences of two sets of leaves as sorted lines: `path = value` for a new or changed
// leaf, `path gone` for a removed leaf.
func changes(before, after map[string]string) []string {
	var lines []string
	for path, v := range after {
		if old, had := before[path]; !had || old != v {
			lines = append(lines, path+" = "+v)
		}
	}
	for path := range before {
		if _, has := after[path]; !has {
			lines = append(lines, path+" gone")
		}
	}
	slices.Sort(lines)
	return lines
}

// parseCheck parses the lines of a check: `path = value` with any JSON value, or `path gone`.
func parseCheck(text string) ([]string, error) {
	set := map[string]string{}
	var gone []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if path, ok := strings.CutSuffix(line, " gone"); ok {
			gone = append(gone, path+" gone")
			continue
		}
		path, raw, ok := strings.Cut(line, " = ")
		var v any
		if !ok || json.Unmarshal([]byte(raw), &v) != nil {
			return nil, fmt.Errorf("the line %q of the check is neither `path = JSON` nor `path gone`", line)
		}
		if err := flatten(path, v, set); err != nil {
			return nil, err
		}
	}
	lines := append(gone, changes(nil, set)...)
	slices.Sort(lines)
	return lines, nil
}

// diff describes the missing and the unexpected lines in got, "" if there are none.
func diff(want, got []string) string {
	var b strings.Builder
	for _, w := range want {
		if !slices.Contains(got, w) {
			b.WriteString("\n  missing: " + w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			b.WriteString("\n  not asked for: " + g)
		}
	}
	return b.String()
}

// setValue sets the value at path in a tree of objects and lists; nil removes it, and "-" as the last part of the path
// appends to a list. It changes the tree.
func setValue(tree map[string]any, path string, value any) error {
	parts := strings.Split(path, ".")
	var set func(v any, parts []string) (any, error)
	set = func(v any, parts []string) (any, error) {
		if len(parts) == 0 {
			return value, nil
		}
		key := parts[0]
		switch v := v.(type) {
		case []any:
			if key == "-" {
				return append(v, value), nil
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil, fmt.Errorf("%s is not an index of the list", path)
			}
			if len(parts) == 1 && value == nil {
				return slices.Delete(v, i, i+1), nil
			}
			v[i], err = set(v[i], parts[1:])
			return v, err
		case map[string]any, nil:
			m, _ := v.(map[string]any)
			if m == nil {
				if key == "-" {
					return []any{value}, nil
				}
				m = map[string]any{}
			}
			if len(parts) == 1 && value == nil {
				delete(m, key)
				return m, nil
			}
			inner, err := set(m[key], parts[1:])
			m[key] = inner
			return m, err
		}
		return nil, fmt.Errorf("%s leads into a value that is no object or list", path)
	}
	_, err := set(tree, parts)
	return err
}

// valueAt returns the value at path, nil for none.
func valueAt(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

func cloneTree(tree map[string]any) (map[string]any, error) {
	b, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(b, &out)
}
