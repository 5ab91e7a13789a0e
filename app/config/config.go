// Package config reads the configuration. It contains the table of all settings with their allowed values. The value of
// a setting comes from the first of these layers that has one: command line flag, environment, config.toml, window,
// default. docs/configuration.md is generated from the table.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// The sources of a setting's value, the strongest first.
const (
	SourceFlag        = "flag"
	SourceEnvironment = "environment"
	SourceFile        = "file"
	SourceWindow      = "window"
	SourceDefault     = "default"
)

// Config is the part of the configuration that is read before anything is opened: the folders, and the layers that are
// not in SQLite. It does not change after Load.
type Config struct {
	// DataDir and ConfigDir are absolute paths.
	DataDir, ConfigDir       string
	flags, fromEnv, fromFile map[string]string
	// Problems contains warnings about an unreadable file, an unknown key or an invalid value. The weaker layers still
	// apply.
	Problems []string
}

// FlagError reports a command line flag with an invalid value.
type FlagError struct {
	Flag string
	Err  error
}

// Error returns the flag and what is wrong with its value.
func (e *FlagError) Error() string { return fmt.Sprintf("%s: %v", e.Flag, e.Err) }

// Unwrap returns Err.
func (e *FlagError) Unwrap() error { return e.Err }

// WithDataDir returns a copy of c with dir as its data folder. The copy also uses the panels in the data folder of c.
func (c *Config) WithDataDir(dir string) *Config {
	beside := *c
	beside.DataDir = dir
	beside.flags = maps.Clone(c.flags)
	panels, _, _ := c.FixedValue("panels")
	folders := []string{filepath.Join(c.DataDir, "panels")}
	if panels != "" {
		folders = append(folders, panels)
	}
	beside.flags["panels"] = strings.Join(folders, string(filepath.ListSeparator))
	return &beside
}

// Load determines the folders and reads the environment and config.toml. flags contains the values of command line
// flags by setting, and the folders as "data" and "config". Load returns a *FlagError for an invalid flag. Mistakes in
// the environment and the file become Problems.
func Load(flags map[string]string) (*Config, error) {
	c := &Config{flags: flags}
	for flag, key := range map[string]string{
		"--allow-hosts": "allow_hosts", "--deny-hosts": "deny_hosts",
		"--profile": "profile",
	} {
		if err := CheckValue(key, flags[key]); err != nil {
			return nil, &FlagError{Flag: flag, Err: err}
		}
	}
	var err error
	if c.DataDir, err = folder(flags["data"], "SEXTANT_DATA", "XDG_DATA_HOME", ".local/share"); err != nil {
		return nil, err
	}
	if c.ConfigDir, err = folder(flags["config"], "SEXTANT_CONFIG", "XDG_CONFIG_HOME", ".config"); err != nil {
		return nil, err
	}
	c.fromEnv = c.readEnv()
	c.fromFile = c.readFile()
	return c, nil
}

// folder returns the absolute path of the first of these that is set: the flag, the variable own, "sextant" in the XDG
// folder if that is absolute, "sextant" in the default folder.
func folder(flag, own, xdg, usual string) (string, error) {
	dir := flag
	if dir == "" {
		dir = os.Getenv(own)
	}
	if base := os.Getenv(xdg); dir == "" && filepath.IsAbs(base) {
		dir = filepath.Join(base, "sextant")
	}
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the home folder: %w; set %s", err, own)
		}
		dir = filepath.Join(home, usual, "sextant")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("making the folder absolute: %w", err)
	}
	return abs, nil
}

func (c *Config) readEnv() map[string]string {
	k := koanf.New("\x00")
	err := k.Load(env.Provider("\x00", env.Opt{
		Prefix: "SEXTANT_",
		TransformFunc: func(name, value string) (string, any) {
			return strings.ToLower(strings.TrimPrefix(name, "SEXTANT_")), value
		},
	}), nil)
	if err != nil {
		c.Problems = append(c.Problems, "The environment could not be read: "+err.Error())
		return nil
	}
	out := map[string]string{}
	for name, value := range k.All() {
		if _, known := FindKey(name); known {
			c.store(out, name, fmt.Sprint(value), "SEXTANT_"+strings.ToUpper(name))
		}
	}
	return out
}

// File returns the path of config.toml.
func (c *Config) File() string { return filepath.Join(c.ConfigDir, "config.toml") }

// readFile returns the valid settings of config.toml by key, nil if the file is missing. It adds to Problems if the
// file cannot be read, and for each unknown key and invalid value.
func (c *Config) readFile() map[string]string {
	k := koanf.New(".")
	err := k.Load(file.Provider(c.File()), toml.Parser())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		c.Problems = append(c.Problems, "config.toml could not be read, so its settings are not used: "+err.Error())
		return nil
	}
	out := map[string]string{}
	for name, value := range k.All() {
		if _, known := FindKey(name); !known {
			c.Problems = append(c.Problems, "config.toml: "+noSetting(name)+".")
			continue
		}
		if list, ok := value.([]any); ok {
			parts := make([]string, len(list))
			for i, p := range list {
				parts[i] = fmt.Sprint(p)
			}
			value = strings.Join(parts, ",")
		}
		c.store(out, name, fmt.Sprint(value), "config.toml: "+name)
	}
	return out
}

func (c *Config) store(into map[string]string, name, value, where string) {
	if err := CheckValue(name, value); err != nil {
		c.Problems = append(c.Problems, where+" is ignored: "+err.Error())
		return
	}
	into[name] = value
}

// FixedValue returns the value of a key in the layers that the window cannot change, and which layer has it.
func (c *Config) FixedValue(name string) (value, source string, ok bool) {
	for _, layer := range []struct {
		source string
		values map[string]string
	}{{SourceFlag, c.flags}, {SourceEnvironment, c.fromEnv}, {SourceFile, c.fromFile}} {
		if v, ok := layer.values[name]; ok && (v != "" || layer.source != SourceFlag) {
			return v, layer.source, true
		}
	}
	return "", "", false
}
