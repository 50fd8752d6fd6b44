package config

import (
	"strings"
	"time"
)

// Person is an entry of the table of people. It never changes.
type Person struct {
	// Name is the key in the table.
	Name string
	// Language is "en" or "zh", or "" for that of the file.
	Language string
	// Location is the time zone, nil for that of the file.
	Location *time.Location
	// Prefers is the name or the kind of the channel that messages to the person use.
	Prefers string
	// Also are further names of the person, such as those that submitters have.
	Also []string

	addresses []address
	// channel and address are how the person is reached; channel is "" if no channel can.
	channel, address string
}

// address is where a person is found on channels.
type address struct {
	on   string // the name or the kind of the channels
	text string
}

// On returns the address of the person on a channel, "" if there is none. An address for
// the channel goes before one for its kind.
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

// directory finds people by all names that they have.
type directory map[string]*Person

// add notes the names of a person. It returns a name that another person has already, and
// that person.
func (d directory) add(p *Person) (string, *Person) {
	names := append([]string{p.Name}, p.Also...)
	for _, a := range p.addresses {
		if strings.Contains(a.text, "@") { // submitters are often e-mail addresses
			names = append(names, a.text)
		}
	}
	for _, name := range names {
		key := strings.ToLower(name)
		if other := d[key]; other != nil && other != p {
			return name, other
		}
		d[key] = p
	}
	return "", nil
}

// find returns the person with a name, nil if there is none.
func (d directory) find(name string) *Person { return d[strings.ToLower(name)] }
