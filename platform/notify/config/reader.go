package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/internal/yamlfile"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

const (
	maxName = 63 // bytes of the name of a person or a channel
	day     = 24 * time.Hour
)

// reader reads values of the file. It collects mistakes with their lines, and no mistake
// shows a secret.
type reader struct {
	*yamlfile.Reader
	vault *vault
}

// entry is a key of a table with its value.
type entry struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// entries returns the entries of a mapping whose keys are chosen by the user.
func (r *reader) entries(n *yaml.Node, what string) (all []entry) {
	switch {
	case isNull(n) || n.Kind == yaml.AliasNode:
		return nil
	case n.Kind != yaml.MappingNode:
		r.Complain(n.Line, "%s must be a mapping: a name, a colon and what belongs to it", what)
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			r.Complain(key.Line, "%s has a key that is not a word", what)
			continue
		}
		all = append(all, entry{key.Value, key, n.Content[i+1]})
	}
	return all
}

// items returns the items of a list; a single value counts as a list.
func (r *reader) items(n *yaml.Node, what string) (all []*yaml.Node) {
	if isNull(n) {
		return nil
	}
	all = []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		all = n.Content
	}
	return slices.DeleteFunc(slices.Clone(all), func(item *yaml.Node) bool {
		bad := item.Kind != yaml.ScalarNode || item.Value == ""
		if bad && item.Kind != yaml.AliasNode {
			r.Complain(item.Line, "%s must be a word or a list of words", what)
		}
		return bad
	})
}

// globs returns patterns of names.
func (r *reader) globs(n *yaml.Node, what string) (all []glob.Pattern) {
	for _, item := range r.items(n, what) {
		all = append(all, glob.Pattern(item.Value))
	}
	return all
}

func isNull(n *yaml.Node) bool { return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// name checks the name of a person or a channel. Names are used in rules, keys and
// annotations.
func (r *reader) name(e entry, what string) {
	bad := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) && !strings.ContainsRune("-_.@+", c)
	}
	switch {
	case e.name == rule.Target{Kind: rule.Owner}.String():
		r.Complain(e.key.Line, "%s cannot have the name owner, which stands for the owner of a job", what)
	case e.name == "" || len(e.name) > maxName || strings.ContainsFunc(e.name, bad):
		r.Complain(e.key.Line, "the name %.80q of %s must have 1 to %d bytes, of letters, digits and -_.@+", e.name, what, maxName)
	}
}

// duration reads a time such as 90s, 30m, 2h, 1d or 1d12h.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	text := r.Word(n, what)
	if text == "" {
		return 0
	}
	d, ok := parseDuration(text)
	if !ok {
		r.Complain(n.Line, "%s is %q; write a time such as 90s, 30m, 2h or 1d", what, text)
		return 0
	}
	return d
}

func parseDuration(text string) (time.Duration, bool) {
	var days int
	number, rest, found := strings.Cut(text, "d")
	if found {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return 0, false
		}
		if days = int(n); rest == "" {
			return time.Duration(days) * day, true
		}
		text = rest
	}
	d, err := time.ParseDuration(text)
	return time.Duration(days)*day + d, err == nil && d >= 0 && d < 1<<16*time.Hour
}

// clock reads a time of day such as 08:00, as the duration since midnight.
func (r *reader) clock(n *yaml.Node, what string) time.Duration {
	text := r.Word(n, what)
	if text == "24:00" {
		return day
	}
	at, err := time.Parse("15:04", text)
	if err != nil {
		if n != nil && n.Kind == yaml.ScalarNode {
			r.Complain(n.Line, "%s is %q; write a time of day such as 08:00", what, text)
		}
		return 0
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
}

// location reads a time zone, nil if the field is missing.
func (r *reader) location(n *yaml.Node, what string) *time.Location {
	name := r.Word(n, what)
	if name == "" {
		return nil
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		r.Complain(n.Line, "%s: there is no time zone %q; write a name such as Asia/Shanghai or UTC", what, name)
		return nil
	}
	return location
}

// language reads en or zh.
func (r *reader) language(n *yaml.Node) string {
	text := r.Word(n, "language")
	if text != "" && text != "en" && text != "zh" {
		r.Complain(n.Line, "the language %q is not known; write en or zh", text)
	}
	return text
}

// digest reads "1h", or a mapping with every and at.
func (r *reader) digest(n *yaml.Node, location *time.Location) *rule.Digest {
	if isNull(n) {
		return nil
	}
	d := &rule.Digest{Location: location}
	if n.Kind == yaml.MappingNode {
		f := r.Fields(n, "digest", "every", "at")
		if d.Every = day; f["every"] != nil {
			d.Every = r.duration(f["every"], "every")
		}
		if f["at"] != nil {
			d.At = r.clock(f["at"], "at")
		}
	} else {
		d.Every = r.duration(n, "digest")
	}
	if d.Every != 0 && (d.Every < time.Minute || d.Every > day) {
		r.Complain(n.Line, "a digest is sent every %s; it must be between 1m and 1d", d.Every)
	}
	return d
}

var weekdays = map[string][]time.Weekday{
	"sun": {0}, "mon": {1}, "tue": {2}, "wed": {3}, "thu": {4}, "fri": {5}, "sat": {6}, "weekdays": {1, 2, 3, 4, 5}, "weekend": {6, 0},
}

// quiet reads quiet hours.
func (r *reader) quiet(n *yaml.Node, location *time.Location) *rule.Quiet {
	if isNull(n) {
		return nil
	}
	f := r.Fields(n, "quiet-hours", "from", "to", "time-zone", "days")
	q := &rule.Quiet{From: r.clock(f["from"], "from"), To: r.clock(f["to"], "to"), Location: location}
	if zone := r.location(f["time-zone"], "time-zone"); zone != nil {
		q.Location = zone
	}
	if n.Kind == yaml.MappingNode && (f["from"] == nil || f["to"] == nil) {
		r.Complain(n.Line, "quiet-hours needs from and to, such as {from: 22:00, to: 08:00}")
	} else if q.From == q.To && f["to"] != nil {
		r.Complain(n.Line, "quiet-hours begin and end at the same time; for a whole day write {from: 00:00, to: 24:00}")
	}
	for _, item := range r.items(f["days"], "days") {
		word := strings.ToLower(item.Value)
		days := weekdays[word]
		if len(word) > 3 && days == nil { // full names such as monday
			if days = weekdays[word[:3]]; len(days) != 1 || word != strings.ToLower(days[0].String()) {
				days = nil
			}
		}
		if days == nil {
			r.Complain(item.Line, "there is no day %q; write mon to sun, weekdays or weekend", item.Value)
		}
		q.Days = append(q.Days, days...)
	}
	return q
}

// number reads a whole number.
func (r *reader) number(n *yaml.Node, what string) int {
	text := r.Word(n, what)
	if text == "" {
		return 0
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		r.Complain(n.Line, "%s is %q; it must be a whole number", what, text)
	}
	return i
}

// link reads the URL of a page for people.
func (r *reader) link(n *yaml.Node, what string) string {
	text := r.Word(n, what)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		r.Complain(n.Line, "%s must be a URL such as https://vedette.example.com, without a password and a query", what)
		return ""
	}
	return strings.TrimRight(text, "/")
}

// secret reads {env: NAME} or {file: PATH}. Its mistakes show nothing of the value,
// because the value may be the secret itself.
func (r *reader) secret(n *yaml.Node, what string) Secret {
	const instead = "write {env: NAME} or {file: PATH}"
	switch {
	case isNull(n) || n.Kind == yaml.AliasNode:
		return Secret{}
	case n.Kind == yaml.ScalarNode:
		r.Complain(n.Line, "%s is a secret, so it does not belong into this file: %s", what, instead)
		return Secret{}
	case n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode || n.Content[1].Value == "":
		r.Complain(n.Line, "%s must name one place of a secret: %s", what, instead)
		return Secret{}
	}
	var (
		secret Secret
		err    error
	)
	switch name := n.Content[1].Value; n.Content[0].Value {
	case "env":
		if !isVariable(name) {
			r.Complain(n.Line, "%s must name an environment variable in env, of letters, digits and _", what)
			return Secret{}
		}
		secret, err = r.vault.fromEnv(name)
	case "file":
		secret, err = r.vault.fromFile(name)
	default:
		r.Complain(n.Line, "%s must name one place of a secret: %s", what, instead)
	}
	if err != nil {
		r.Complain(n.Line, "%s: %v", what, err)
	}
	return secret
}

// isVariable reports whether a text is the name of an environment variable. A secret in
// its place rarely is.
func isVariable(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
}

// clean returns the text of a foreign error without the secrets of the file.
func (r *reader) clean(err error) string {
	return channel.Hide(fmt.Sprint(err), r.vault.secrets...)
}

// quotedLine returns a line of a text, counted from 1.
func quotedLine(text string, line int) string {
	lines := strings.Split(text, "\n")
	return fmt.Sprintf("%.100q", lines[min(max(line-1, 0), len(lines)-1)])
}
