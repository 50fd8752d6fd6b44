package config

import (
	"fmt"
	"maps"
	"net/mail"
	"slices"
	"strings"
	"unicode"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// kinds are all types of channels by name.
var kinds = func() map[string]kind {
	all := map[string]kind{}
	for _, group := range []map[string]kind{chatKinds, mailKinds, alertKinds, furtherKinds, localKinds} {
		maps.Copy(all, group)
	}
	return all
}()

// maxAddress is the maximum number of bytes of an address.
const maxAddress = 254

// tables reads the tables of channels and people.
type tables struct {
	*reader
	config  *Config
	options *Options
	network *network
	order   []*Channel // in the order of the file
}

// addressKinds returns the types in which people have addresses, sorted.
func addressKinds() (names []string) {
	for name, k := range kinds {
		if k.addresses != noAddress {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (t *tables) channels(all []entry) {
	lines := map[string]int{}
	for _, e := range all {
		t.name(e, "a channel")
		if line := lines[strings.ToLower(e.name)]; line > 0 {
			t.Complain(e.key.Line, "line %d has a channel %s already", line, e.name)
			continue
		}
		lines[strings.ToLower(e.name)] = e.key.Line
		c := t.channel(e)
		t.config.Channels[e.name] = c
		t.order = append(t.order, c)
	}
}

// channel reads one channel, and opens it once to find its mistakes.
func (t *tables) channel(e entry) *Channel {
	c := &Channel{Name: e.name, At: t.At(e.key)}
	for _, field := range t.entries(e.value, "channel "+e.name) {
		if field.name == "type" {
			c.Kind = t.Word(field.value, "type")
		}
	}
	k, known := kinds[c.Kind]
	switch _, named := kinds[e.name]; {
	case c.Kind == "" && !isNull(e.value):
		t.Complain(e.key.Line, "channel %s needs a type: one of %s", e.name, list(slices.Sorted(maps.Keys(kinds))))
		return c
	case isNull(e.value):
		t.Complain(e.key.Line, "channel %s is empty; it needs a type: one of %s", e.name, list(slices.Sorted(maps.Keys(kinds))))
		return c
	case !known:
		t.Complain(e.key.Line, "channel %s: there is no type %q; the types are %s", e.name, c.Kind, list(slices.Sorted(maps.Keys(kinds))))
		return c
	case named && e.name != c.Kind:
		t.Complain(e.key.Line, "channel %s has the name of another type than its own, %s: choose another name", e.name, c.Kind)
	}
	f := t.Fields(e.value, "channel "+e.name, append(slices.Clone(commonFields), k.fields...)...)
	c.Private, c.Language, c.Location = t.Truth(f["private"], "private"), t.language(f["language"]), t.location(f["time-zone"], "time-zone")
	c.Digest, c.direct, c.addresses = t.digest(f["digest"], t.config.Location), k.direct, k.addresses
	c.NamedByJobs = t.naming(f["named-by-jobs"])
	s := &settings{reader: t.reader, name: e.name, line: e.key.Line, fields: f, network: t.network, options: t.options, zone: t.config.Location, channel: c}
	mistakes := t.Count()
	c.open = s.open(k.read(s))
	c.fingerprint = s.fingerprint()
	if t.Count() > mistakes {
		return c // opening it would report the same mistakes again
	}
	if t.options.WithoutSecrets {
		c.open = func() (channel.Channel, error) {
			return nil, fmt.Errorf("channel %s was read without its secrets, so it cannot send", e.name)
		}
		return c
	}
	opened, err := c.open()
	if err != nil {
		t.Complain(e.key.Line, "%s", t.clean(err))
		return c
	}
	if err := opened.Close(); err != nil {
		t.Complain(e.key.Line, "channel %s cannot be closed: %s", e.name, t.clean(err))
	}
	return c
}

func (t *tables) people(all []entry) {
	for _, e := range all {
		t.name(e, "a person")
		switch {
		case t.config.People[e.name] != nil:
			t.Complain(e.key.Line, "there are two people with the name %s", e.name)
			continue
		case t.config.Channels[e.name] != nil:
			t.Complain(e.key.Line, "%s is a person and a channel: choose another name for one of them", e.name)
		}
		p := t.person(e)
		t.config.People[e.name] = p
		if name, other := t.config.names.add(p); other != nil {
			t.Complain(e.key.Line, "%s is a name of %s and of %s", name, p.Name, other.Name)
		}
		t.reach(p, e.key.Line)
	}
}

func (t *tables) person(e entry) *Person {
	p := &Person{Name: e.name}
	seen := map[string]bool{}
	for _, field := range t.entries(e.value, "person "+e.name) {
		if seen[field.name] {
			t.Complain(field.key.Line, "person %s has %q twice", e.name, field.name)
			continue
		}
		seen[field.name] = true
		switch field.name {
		case "language":
			p.Language = t.language(field.value)
		case "time-zone":
			p.Location = t.location(field.value, "time-zone")
		case "prefers":
			p.Prefers = t.Word(field.value, "prefers")
		case "also":
			for _, item := range t.items(field.value, "also") {
				p.Also = append(p.Also, item.Value)
			}
		default:
			t.address(p, field)
		}
	}
	return p
}

// address reads an address of a person.
func (t *tables) address(p *Person, field entry) {
	kindName := field.name
	if c := t.config.Channels[field.name]; c != nil {
		kindName = c.Kind
	}
	k, known := kinds[kindName]
	if !known || k.addresses == noAddress {
		t.Complain(field.key.Line, "person %s has no field %q; it has language, time-zone, prefers, also, and addresses: %s, or the name of such a channel", p.Name, field.name, list(addressKinds()))
		return
	}
	text := t.Word(field.value, field.name)
	if text == "" {
		return
	}
	if why := checkAddress(kindName, text); why != "" {
		t.Complain(field.value.Line, "%s of %s %s", field.name, p.Name, why)
		return
	}
	p.addresses = append(p.addresses, address{field.name, text})
}

// checkAddress returns the mistake of an address, or "".
func checkAddress(kindName, text string) string {
	if len(text) > maxAddress || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) || unicode.IsSpace(c) }) {
		return "must be one word that can be printed, of at most 254 bytes"
	}
	if kindName == "email" {
		if parsed, err := mail.ParseAddress(text); err != nil || parsed.Address != text {
			return "must be an address such as liwei@example.com"
		}
		return ""
	}
	if err := channel.CheckMention(text); err != nil {
		return "is refused: " + err.Error()
	}
	return ""
}

// reach sets the default channel of a person: the preferred one, else the first address
// with a channel.
func (t *tables) reach(p *Person, line int) {
	if p.Prefers != "" {
		t.prefer(p, line)
		return
	}
	for _, a := range p.addresses {
		found := t.named(a.on)
		if len(found) == 0 {
			continue
		}
		if len(found) > 1 {
			t.Complain(line, "%s has an address for several channels of type %s (%s): add prefers with one of them", p.Name, a.on, list(found))
		}
		p.channel, p.address = found[0], a.text
		return
	}
}

func (t *tables) prefer(p *Person, line int) {
	found := t.named(p.Prefers)
	switch len(found) {
	case 0:
		t.Complain(line, "%s prefers %q, which is neither a channel nor the type of one", p.Name, p.Prefers)
		return
	case 1:
	default:
		t.Complain(line, "%s prefers %s, and there are several channels of that type (%s): name one of them", p.Name, p.Prefers, list(found))
	}
	c := t.config.Channels[found[0]]
	p.channel, p.address = c.Name, p.On(c)
	if kinds[c.Kind].addresses != noAddress && p.address == "" {
		t.Complain(line, "%s prefers %s, and has no address there: add %s", p.Name, p.Prefers, c.Kind)
	}
}

// named returns the channel with a name, or the channels of a type, in the order of the
// file.
func (t *tables) named(name string) (found []string) {
	if t.config.Channels[name] != nil {
		return []string{name}
	}
	for _, c := range t.order {
		if c.Kind == name {
			found = append(found, c.Name)
		}
	}
	return found
}
