package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Variable returns the name of a setting in the environment.
func Variable(name string) string {
	return "VEDETTE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Settings holds the sources of the settings of a command. Its fields are set when the
// command runs.
type Settings struct {
	Path string // of the file; "" if there is none
	File *File
	From map[string]string // by name: "--db", "VEDETTE_DB", "vedette.yaml:3"; nothing for a default
}

// AddConfig adds the flag that names the file. Before the command runs, it sets all flags
// of the command that are settings. It may be called once for a command.
func AddConfig(cmd *cobra.Command) *Settings {
	s := &Settings{From: map[string]string{}}
	cmd.Flags().StringVar(&s.Path, "config", "", "file with settings, which flags and VEDETTE_… override (default: VEDETTE_CONFIG)")
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

// settle reads the file and the environment, and sets the flags.
func (s *Settings) settle(flags *pflag.FlagSet) (err error) {
	switch {
	case flags.Changed("config"):
		s.From["config"] = "--config"
	case os.Getenv(Variable("config")) != "":
		s.Path, s.From["config"] = os.Getenv(Variable("config")), Variable("config")
	}
	s.File = &File{}
	if s.Path != "" {
		if s.File, err = loadConfig(s.Path); err != nil {
			return err
		}
	}
	for _, setting := range All {
		if flag := flags.Lookup(setting.Name); flag != nil {
			if err := s.one(setting, flag); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Settings) one(setting Setting, flag *pflag.Flag) error {
	v, inFile := s.File.values[setting.Name]
	text := os.Getenv(Variable(setting.Name)) // an empty variable counts as unset, as usual in manifests
	switch {
	case flag.Changed:
		s.From[setting.Name] = "--" + setting.Name
		return nil
	case text != "":
		s.From[setting.Name] = Variable(setting.Name)
		if err := flag.Value.Set(text); err != nil && setting.kind == truth {
			return fmt.Errorf("%s is %q; it must be true or false", Variable(setting.Name), text)
		} else if err != nil {
			return fmt.Errorf("%s is %q: %w", Variable(setting.Name), text, err)
		}
		return nil
	case !inFile:
		return nil
	}
	s.From[setting.Name] = v.at
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.Replace(v.words)
	}
	text = v.words[0]
	if setting.kind == path && !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(s.Path), text)
	}
	if err := flag.Value.Set(text); err != nil {
		return fmt.Errorf("%s: %s is %q: %w", v.at, setting.Name, text, err)
	}
	return nil
}

// Has reports whether the file or the environment has a setting, also one that the command
// has no flag for.
func (s *Settings) Has(name string) bool {
	_, inFile := s.File.values[name]
	return inFile || os.Getenv(Variable(name)) != ""
}

// Origin returns where the value of a setting comes from.
func (s *Settings) Origin(name string) string {
	if from := s.From[name]; from != "" {
		return from
	}
	return "default"
}
