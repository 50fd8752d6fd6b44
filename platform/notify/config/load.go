package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // containers have no time zone database

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// fileFields are the fields of the file.
var fileFields = []string{"portal", "time-zone", "language", "digest", "quiet-hours", "owner", "retry", "network", "templates", "people", "channels", "rules"}

// defaultDigest is the default interval of digests.
const defaultDigest = time.Hour

// defaultOwner has the default places where jobs name their owners.
var defaultOwner = []OwnerSource{{OwnerAnnotation, "vedette.io/notify"}, {OwnerLabel, "vedette.io/notify"}, {OwnerSubmitter, ""}}

// Load reads a file, and its secrets.
//
// Errors: the file cannot be read; all its mistakes, each with its line. No error shows a
// secret.
func Load(path string, o Options) (*Config, error) {
	c, _, err := load(path, o)
	return c, err
}

// load is Load, and also returns the vault, with which the caller can check for changes
// later, even if loading failed.
func load(path string, o Options) (*Config, *vault, error) {
	v := newVault(path, &o)
	text, err := v.read(path, maxFile)
	if err != nil {
		return nil, v, fmt.Errorf("the file %s with the rules of notifications cannot be read: %w", path, reason(err))
	}
	c, err := parse(path, text, o, v)
	return c, v, err
}

// Parse is Load for a text. Errors have name before the line. Relative paths begin in the
// folder of name.
func Parse(name string, text []byte, o Options) (*Config, error) {
	return parse(name, text, o, newVault(name, &o))
}

func parse(name string, text []byte, o Options, v *vault) (*Config, error) {
	r, root, err := yamlfile.Parse(name, text)
	if err != nil {
		return nil, err
	}
	c := &Config{
		Path: name, Hash: hashOf(text), Location: time.UTC, Language: message.English, Owner: defaultOwner, People: map[string]*Person{}, Channels: map[string]*Channel{},
		Rules: rule.NewSet(nil), names: directory{},
	}
	if root == nil {
		return nil, fmt.Errorf("%s:1: the file is empty; it must have channels and rules", name)
	}
	(&file{&reader{r, v}, c, &o}).read(root)
	if err := r.Err(); err != nil {
		return nil, hide(err, v)
	}
	c.Warnings, c.vault = v.warnings, v
	return c, nil
}

// hashOf returns the beginning of the SHA-256 of a text, in hexadecimal.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// hide returns an error without the secrets that were read. Mistakes contain none by
// design; this also covers errors of other packages.
func hide(err error, v *vault) error {
	r := reader{vault: v}
	if text := r.clean(err); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// file reads the fields of the file.
type file struct {
	*reader
	config  *Config
	options *Options
}

func (p *file) read(root *yaml.Node) {
	f, c := p.Fields(root, "the file", fileFields...), p.config
	c.Portal = p.link(f["portal"], "portal")
	if location := p.location(f["time-zone"], "time-zone"); location != nil {
		c.Location = location
	}
	if language := p.language(f["language"]); language != "" {
		c.Language = language
	}
	c.Digest = rule.Digest{Every: defaultDigest, Location: c.Location}
	if d := p.digest(f["digest"], c.Location); d != nil {
		c.Digest = *d
	}
	c.Retry = p.retry(f["retry"])
	if n := f["owner"]; !isNull(n) {
		c.Owner = p.ownerSources(n)
	}
	t := &tables{reader: p.reader, config: c, options: p.options, network: p.readNetwork(f["network"])}
	t.channels(p.entries(f["channels"], "channels"))
	t.people(p.entries(f["people"], "people"))
	rules := &ruleReader{reader: p.reader, config: c, quietly: p.quiet(f["quiet-hours"], c.Location), templates: p.sources(f["templates"]), seen: map[string]int{}}
	c.Rules = rule.NewSet(rules.rules(f["rules"]))
}

// ownerSources reads the places where jobs name their owners: "annotation KEY", "label
// KEY" or "submitter".
func (p *file) ownerSources(n *yaml.Node) (all []OwnerSource) {
	for _, item := range p.items(n, "owner") {
		word, key, _ := strings.Cut(item.Value, " ")
		key = strings.TrimSpace(key)
		switch {
		case word == "submitter" && key == "":
			all = append(all, OwnerSource{Kind: OwnerSubmitter})
		case word == "annotation" && key != "" && !strings.Contains(key, " "):
			all = append(all, OwnerSource{OwnerAnnotation, key})
		case word == "label" && key != "" && !strings.Contains(key, " "):
			all = append(all, OwnerSource{OwnerLabel, key})
		default:
			p.Complain(item.Line, "owner: %.80q is not a place where a job names its owner; write annotation KEY, label KEY or submitter", item.Value)
		}
	}
	return all
}
