package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// setting is what a flag, the environment and the file can all say, under one name:
// --wait-for-types, VEDETTE_WAIT_FOR_TYPES, wait-for-types. The flag has the first
// word, then the environment, then the file, then the default of the flag.
type setting struct {
	name string
	kind settingKind
}

type settingKind uint8

const (
	word  settingKind = iota
	words             // a list
	truth             // true or false
	path              // of a file or folder; in the file relative to the folder of that
)

// settings are all of them.
var settings = []setting{
	{"db", word},
	{"name", word},
	{"rules", path},
	{"redact", words},
	{"spill", path},
	{"listen", word},
	{"wait-for-types", truth},
	{"keep", word},
	{"keep-state", words},
	{"keep-bodies", word},
	{"keep-last", word},
	{"max-size", word},
}

// variable is the name of a setting in the environment.
func variable(name string) string {
	return "VEDETTE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// settled is where the values of the settings of a command come from. Its fields are
// set when the command runs.
type settled struct {
	path string // of the file; "" without one
	file *configFile
	from map[string]string // by name: "--db", "VEDETTE_DB", "vedette.yaml:3"; absent: default
}

// addConfig adds the flag that names the file, and sees to it that before the command
// runs, those of its flags that are settings have their values. It may be called once
// for a command.
func addConfig(cmd *cobra.Command) *settled {
	s := &settled{from: map[string]string{}}
	cmd.Flags().StringVar(&s.path, "config", "", "file with settings (default: VEDETTE_CONFIG); flags and VEDETTE_… go before it")
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := s.settle(cmd.Flags()); err != nil {
			return err
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
	return s
}

// settle reads the file and the environment.
func (s *settled) settle(flags *pflag.FlagSet) (err error) {
	switch {
	case flags.Changed("config"):
		s.from["config"] = "--config"
	case os.Getenv(variable("config")) != "":
		s.path, s.from["config"] = os.Getenv(variable("config")), variable("config")
	}
	s.file = &configFile{}
	if s.path != "" {
		if s.file, err = loadConfig(s.path); err != nil {
			return err
		}
	}
	for _, setting := range settings {
		if flag := flags.Lookup(setting.name); flag != nil {
			if err := s.one(setting, flag); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *settled) one(setting setting, flag *pflag.Flag) error {
	v, inFile := s.file.values[setting.name]
	text := os.Getenv(variable(setting.name)) // which is unset if it is empty, as usual in manifests
	switch {
	case flag.Changed:
		s.from[setting.name] = "--" + setting.name
		return nil
	case text != "":
		s.from[setting.name] = variable(setting.name)
		if err := flag.Value.Set(text); err != nil && setting.kind == truth {
			return fmt.Errorf("%s has to be true or false; it is %q", variable(setting.name), text)
		} else if err != nil {
			return fmt.Errorf("%s is %q: %w", variable(setting.name), text, err)
		}
		return nil
	case !inFile:
		return nil
	}
	s.from[setting.name] = v.at
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.Replace(v.words)
	}
	text = v.words[0]
	if setting.kind == path && !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(s.path), text)
	}
	if err := flag.Value.Set(text); err != nil {
		return fmt.Errorf("%s: %s is %q: %w", v.at, setting.name, text, err)
	}
	return nil
}

// origin says where the value of a setting comes from.
func (s *settled) origin(name string) string {
	if from := s.from[name]; from != "" {
		return from
	}
	return "default"
}
