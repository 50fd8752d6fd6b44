package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// setting has one name as a flag, in the environment and in the file:
// --wait-for-types, VEDETTE_WAIT_FOR_TYPES, wait-for-types. The flag overrides the
// environment, which overrides the file, which overrides the default of the flag.
type setting struct {
	name string
	kind settingKind
}

type settingKind uint8

const (
	word  settingKind = iota
	words             // a list
	truth             // true or false
	path              // of a file or folder; in a file of settings, relative to its folder
)

// settings lists all settings.
var settings = []setting{
	{"db", word},
	{"server", word},
	{"server-ca", path},
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
	{"keep-feed", word},
	{"keep-logs", words},
	{"tail-logs", words},
	{"log-lines", word},
	{"redact-logs", words},
	{"keep-logs-for", word},
	{"max-job-logs", word},
	{"max-logs", word},
	{"traces", word},
	{"traces-headers", path},
	{"notify", path},
	{"keep-messages", word},
	{"portal", truth},
	{"tls-cert", path},
	{"tls-key", path},
	{"portal-url", word},
	{"portal-hosts", words},
	{"sign-in-tokens", path},
	{"sign-in-clusters", truth},
	{"oidc-issuer", word},
	{"oidc-client", word},
	{"oidc-secret", path},
	{"oidc-scopes", words},
	{"oidc-name-claim", word},
	{"oidc-groups-claim", word},
	{"oidc-name-prefix", word},
	{"oidc-groups-prefix", word},
	{"oidc-audiences", words},
	{"oidc-ca", path},
	{"trusted-proxy", words},
	{"proxy-name-header", word},
	{"proxy-groups-header", word},
	{"session-key", path},
	{"rights", truth},
	{"operators", words},
	{"portal-templates", path},
	{"trace-url", word},
}

// variable returns the name of a setting in the environment.
func variable(name string) string {
	return "VEDETTE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// settled holds the sources of the settings of a command. Its fields are set when the
// command runs.
type settled struct {
	path string // of the file; "" if there is none
	file *configFile
	from map[string]string // by name: "--db", "VEDETTE_DB", "vedette.yaml:3"; nothing for a default
}

// addConfig adds the flag that names the file. Before the command runs, it sets all flags
// of the command that are settings. It may be called once for a command.
func addConfig(cmd *cobra.Command) *settled {
	s := &settled{from: map[string]string{}}
	cmd.Flags().StringVar(&s.path, "config", "", "file with settings, which flags and VEDETTE_… override (default: VEDETTE_CONFIG)")
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
	text := os.Getenv(variable(setting.name)) // an empty variable counts as unset, as usual in manifests
	switch {
	case flag.Changed:
		s.from[setting.name] = "--" + setting.name
		return nil
	case text != "":
		s.from[setting.name] = variable(setting.name)
		if err := flag.Value.Set(text); err != nil && setting.kind == truth {
			return fmt.Errorf("%s is %q; it must be true or false", variable(setting.name), text)
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

// has reports whether the file or the environment has a setting, also one that the command
// has no flag for.
func (s *settled) has(name string) bool {
	_, inFile := s.file.values[name]
	return inFile || os.Getenv(variable(name)) != ""
}

// origin returns where the value of a setting comes from.
func (s *settled) origin(name string) string {
	if from := s.from[name]; from != "" {
		return from
	}
	return "default"
}
