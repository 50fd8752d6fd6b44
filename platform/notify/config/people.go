package config

import (
	"slices"
	"strings"
	"time"
)

// Person is an entry of the table of people. It never changes.
type Person struct {
	// Name is the key in the table.
	Name string
	// Language is "en" or "zh", or "" for the language of the file.
	Language string
	// Location is the time zone, or nil for the zone of the file.
	Location *time.Location
	// Prefers is the name or the kind of the channel for messages to the person.
	Prefers string
	// Also has further names of the person, such as the names of submitters.
	Also []string

	addresses []address
	// channel and address are the default destination; channel is "" if no channel reaches
	// the person.
	channel, address string
}

// address is an address of a person on a channel or a kind of channels.
type address struct {
	on   string // name or kind of the channels
	text string
}

// On returns the address of the person on a channel, or "". An address for the channel
// takes precedence over an address for its kind.
func (p *Person) On(c *Channel) string {
	var found string
	for _, a := range p.addresses {
		switch a.on {
		case c.Name:
			return a.text
		case c.Kind:
			found = a.text
		}
	}
	return found
}

// names returns all names of the person.
func (p *Person) names() []string {
	names := append([]string{p.Name}, p.Also...)
	for _, a := range p.addresses {
		if strings.Contains(a.text, "@") { // submitters are often e-mail addresses
			names = append(names, a.text)
		}
	}
	return names
}

// has reports whether the person has a name in the same case.
func (p *Person) has(name string) bool { return slices.Contains(p.names(), name) }

// directory finds people by any of their names, in any case: submitters of jobs are typed by hand.
type directory map[string]*Person

// add adds the names of a person. If another person already has one of them, it returns
// the name and that person.
func (d directory) add(p *Person) (string, *Person) {
	for _, name := range p.names() {
		key := strings.ToLower(name)
		if other := d[key]; other != nil && other != p {
			return name, other
		}
		d[key] = p
	}
	return "", nil
}

// find returns the person with a name, or nil.
func (d directory) find(name string) *Person { return d[strings.ToLower(name)] }
