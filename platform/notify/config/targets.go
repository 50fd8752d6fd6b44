package config

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// targets reads a list of receivers.
func (r *reader) targets(n *yaml.Node, what string, c *Config) (all []rule.Target) {
	seen := map[string]bool{}
	for _, item := range r.items(n, what) {
		if seen[item.Value] {
			r.Complain(item.Line, "%s has %q twice", what, item.Value)
			continue
		}
		seen[item.Value] = true
		target, why := c.target(item.Value)
		if why != "" {
			r.Complain(item.Line, "%s: %s", what, why)
		}
		all = append(all, target)
	}
	return all
}

// target parses a receiver as rules write it: owner, a person, a channel, or
// "channel:receiver" with a person or an address. why is the mistake, or "".
func (c *Config) target(text string) (t rule.Target, why string) {
	if text == "owner" {
		return rule.Target{Kind: rule.Owner}, c.ownerProblem()
	}
	name, address, both := strings.Cut(text, ":")
	channel := c.Channels[name]
	if person := c.People[text]; person != nil {
		t = rule.Target{Kind: rule.Person, Person: text}
		if person.channel == "" {
			return t, "no channel reaches " + text + ": add an address for a channel to the person"
		}
		return t, ""
	}
	t = rule.Target{Kind: rule.Channel, Channel: name, Address: address}
	switch {
	case channel == nil && both:
		return t, "there is no channel " + short(name) + suggest(name, slices.Collect(maps.Keys(c.Channels)))
	case channel == nil:
		return t, "there is no person or channel " + short(name) + suggest(name, slices.Concat(slices.Collect(maps.Keys(c.Channels)), slices.Collect(maps.Keys(c.People)), []string{"owner"}))
	case !both && channel.addresses == mustAddress:
		return t, "channel " + name + " needs a receiver: write " + name + ":ADDRESS or " + name + ":PERSON"
	case !both:
		return t, ""
	case channel.addresses == noAddress:
		return t, "channel " + name + " has one receiver: remove the text after " + name
	}
	if person := c.People[address]; person != nil {
		t.Person, t.Address = address, ""
		if person.On(channel) == "" {
			return t, address + " has no address on channel " + name
		}
		return t, ""
	}
	if bad := checkAddress(channel.Kind, address); bad != "" {
		return t, "the receiver " + short(address) + " of channel " + name + " " + bad + ", or be a person of the table"
	}
	return t, ""
}

// ownerProblem returns the reason why owners cannot be reached, or "".
func (c *Config) ownerProblem() string {
	for _, p := range c.People {
		if p.channel != "" {
			return ""
		}
	}
	for _, channel := range c.Channels {
		if channel.NamedByJobs.Any() {
			return ""
		}
	}
	return "owner is a person that a job names, and no person has an address on a channel: add people"
}

func short(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80]) + "…"
	}
	return quotedLine(text, 1)
}

// suggest returns a question with the most similar name, or "" if no name is similar.
func suggest(word string, names []string) string {
	slices.Sort(names)
	best, distance := "", len(word)/2
	for _, name := range names {
		if d := edits(strings.ToLower(word), strings.ToLower(name)); d <= distance && d < 4 {
			best, distance = name, d-1
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// edits returns the number of character edits between two words.
func edits(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// words reads the templates of a rule. defaults are the templates of the file.
func (r *reader) words(n *yaml.Node, defaults map[message.Kind]message.Source) *message.Templates {
	if isNull(n) && len(defaults) == 0 {
		return nil
	}
	sources := map[message.Kind]message.Source{}
	maps.Copy(sources, defaults)
	maps.Copy(sources, r.sources(n))
	templates, err := message.ParseTemplates(sources)
	if err != nil {
		return nil // the mistake in the source was already reported
	}
	return templates
}

// sources reads templates by the kind of messages.
func (r *reader) sources(n *yaml.Node) map[message.Kind]message.Source {
	sources := map[message.Kind]message.Source{}
	for _, e := range r.entries(n, "templates") {
		kind := message.Kind(e.name)
		if e.name == "all" {
			kind = ""
		} else if !slices.Contains(message.Kinds(), kind) {
			r.Complain(e.key.Line, "templates: there is no kind of message %q; the kinds are all, %s", e.name, list(kindNames()))
			continue
		}
		if _, twice := sources[kind]; twice {
			r.Complain(e.key.Line, "templates has %s twice", e.name)
		}
		f := r.Fields(e.value, "the template "+e.name, "title", "sentence")
		source := message.Source{Title: r.Word(f["title"], "title"), Sentence: r.Word(f["sentence"], "sentence")}
		if _, err := message.ParseTemplates(map[message.Kind]message.Source{kind: source}); err != nil {
			r.Complain(e.key.Line, "the template %s: %s", e.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		sources[kind] = source
	}
	return sources
}

func kindNames() (names []string) {
	for _, k := range message.Kinds() {
		names = append(names, string(k))
	}
	return names
}
