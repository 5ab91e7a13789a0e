package launch

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SearchPath returns path with the folders that a person's shell adds and a start from the desktop lacks. They come
// after path, so that they hide nothing in it.
func SearchPath(path, home string) string {
	folders := filepath.SplitList(path)
	add := func(folder string) {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if home != "" {
		for _, folder := range []string{
			".local/bin", ".asdf/shims", ".local/share/mise/shims", ".volta/bin", ".bun/bin", ".deno/bin", ".cargo/bin",
			"go/bin", ".npm-global/bin", ".local/share/pnpm", ".pyenv/shims", ".local/share/fnm/aliases/default/bin",
		} {
			add(filepath.Join(home, folder))
		}
		if prefix := npmPrefix(home); prefix != "" {
			add(filepath.Join(prefix, "bin"))
		}
		add(nvmDefault(home))
	}
	for _, folder := range []string{
		"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/snap/bin",
	} {
		add(folder)
	}
	return strings.Join(folders, string(filepath.ListSeparator))
}

func npmPrefix(home string) string {
	file, err := os.Open(filepath.Join(home, ".npmrc"))
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		if strings.TrimSpace(name) != "prefix" {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		for _, variable := range []string{"~/", "${HOME}/", "$HOME/"} {
			if rest, ok := strings.CutPrefix(value, variable); ok {
				value = filepath.Join(home, rest)
			}
		}
		if filepath.IsAbs(value) {
			return value
		}
	}
	return ""
}

func nvmDefault(home string) string {
	base := filepath.Join(home, ".nvm")
	found, err := filepath.Glob(filepath.Join(base, "versions", "node", "v*"))
	if err != nil || len(found) == 0 {
		return ""
	}
	slices.SortFunc(found, func(a, b string) int { return slices.Compare(versionOf(a), versionOf(b)) })
	chosen := found[len(found)-1]
	if text, err := os.ReadFile(filepath.Join(base, "alias", "default")); err == nil {
		want := versionOf(strings.TrimSpace(string(text)))
		for _, one := range found {
			if have := versionOf(one); len(want) > 0 && len(want) <= len(have) && slices.Equal(have[:len(want)], want) {
				chosen = one
			}
		}
	}
	return filepath.Join(chosen, "bin")
}

func versionOf(path string) (parts []int) {
	version := strings.TrimPrefix(filepath.Base(path), "v")
	for _, part := range strings.Split(version, ".") {
		n := 0
		for _, c := range part {
			if c < '0' || c > '9' || n > 1e6 {
				return nil
			}
			n = n*10 + int(c-'0')
		}
		parts = append(parts, n)
	}
	return parts
}

func executable(name, path string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return name
}
