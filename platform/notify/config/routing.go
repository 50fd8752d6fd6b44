package config

import (
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// OwnerRole is the role of a receiver that the job itself names.
const OwnerRole = "owner"

// maxOwners is the maximum number of people and channels that a job can name.
const maxOwners = 10

// Receiver is a channel with an address on it.
type Receiver struct {
	// Channel is the name of the channel.
	Channel string
	// Address is the receiver on the channel, or "" if the channel itself is the receiver.
	Address string
	// Person is the name in the table of people, or "".
	Person string
	// Role is the reason why the receiver gets the message: OwnerRole, or the name of a
	// person or a channel in the rule.
	Role string
	// Language is "en" or "zh".
	Language string
	// Location is the time zone of the receiver.
	Location *time.Location
	// Private is set if logs may be sent to the receiver.
	Private bool
}

// Receivers returns the receivers of targets in their order, without repeats of a channel
// and address. named are the people and channels that the job names; if all of them are
// unknown, fallback replaces the target "owner". unknown has the owners that are not in
// the file, that no channel reaches, or that are a channel which the job may not name.
func (c *Config) Receivers(targets, fallback []rule.Target, named Named) (all []Receiver, unknown []string) {
	add := func(r Receiver, ok bool) {
		if ok && !slices.ContainsFunc(all, func(other Receiver) bool { return other.Channel == r.Channel && other.Address == r.Address }) {
			all = append(all, r)
		}
	}
	for _, t := range targets {
		if t.Kind != rule.Owner {
			add(c.receiver(t))
			continue
		}
		known := false
		for _, name := range named.Owners {
			r, ok := c.owner(&named, name)
			if !ok {
				unknown = append(unknown, name)
			}
			known = known || ok
			add(r, ok)
		}
		for _, t := range fallback {
			if !known {
				add(c.receiver(t))
			}
		}
	}
	return all, unknown
}

// receiver returns the receiver of a target that the file names.
func (c *Config) receiver(t rule.Target) (Receiver, bool) {
	person := c.People[t.Person]
	if t.Kind == rule.Person && person != nil && t.Channel == "" {
		return c.reach(person, person.Name)
	}
	channel := c.Channels[t.Channel]
	switch {
	case channel == nil:
		return Receiver{}, false
	case person != nil:
		return c.on(channel, person, person.On(channel), person.Name)
	}
	r, ok := c.on(channel, nil, t.Address, t.Channel)
	return r, ok
}

// owner returns the receiver for a name in a job: a person, a channel that the job may name,
// or both as "channel:person". A job cannot name addresses, because they would not be
// verified.
func (c *Config) owner(by *Named, name string) (Receiver, bool) {
	if p := c.names.find(name); p != nil {
		return c.reach(p, OwnerRole)
	}
	name, who, both := strings.Cut(name, ":")
	channel := c.Channels[name]
	if channel == nil || !channel.NamedByJobs.Allows(by.Cluster, by.Namespace) {
		return Receiver{}, false
	}
	if !both {
		return c.on(channel, nil, "", OwnerRole)
	}
	if p := c.names.find(who); p != nil && p.On(channel) != "" {
		return c.on(channel, p, p.On(channel), OwnerRole)
	}
	return Receiver{}, false
}

// reach returns the receiver for a person on the person's preferred channel.
func (c *Config) reach(p *Person, role string) (Receiver, bool) {
	channel := c.Channels[p.channel]
	if channel == nil {
		return Receiver{}, false
	}
	return c.on(channel, p, p.address, role)
}

// on returns the receiver for an address on a channel.
func (c *Config) on(channel *Channel, p *Person, address, role string) (Receiver, bool) {
	r := Receiver{
		Channel: channel.Name, Address: address, Role: role, Language: channel.Language, Location: channel.Location,
		Private: channel.Private || channel.direct && address != "",
	}
	if p != nil {
		r.Person = p.Name
		if p.Language != "" {
			r.Language = p.Language
		}
		if p.Location != nil {
			r.Location = p.Location
		}
	}
	if r.Language == "" {
		r.Language = c.Language
	}
	if r.Location == nil {
		r.Location = c.Location
	}
	return r, true
}

// Owners returns the names of people and channels that a job gives as its owner, from the
// first source with a value, at most ten. Commas separate names. annotations is called
// only if a source needs it.
func (c *Config) Owners(labels map[string]string, annotations func() map[string]string, submitter string) []string {
	for _, s := range c.Owner {
		value := submitter
		switch s.Kind {
		case OwnerAnnotation:
			value = annotations()[s.Key]
		case OwnerLabel:
			value = labels[s.Key]
		}
		if names := split(value); len(names) > 0 {
			return names
		}
	}
	return nil
}

// PersonOf finds the person who signed in with a name: a name, e-mail address or further name of
// the file, in the same case, because "ALICE" and "alice" are two users of a cluster. It returns the
// name of the person, or "" for an unknown name.
func (c *Config) PersonOf(name string) string {
	if p := c.names.find(name); p != nil && p.has(name) {
		return p.Name
	}
	return ""
}

func split(value string) (names []string) {
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) && len(names) < maxOwners {
			names = append(names, name)
		}
	}
	return names
}

// NeedsAnnotations reports whether an annotation may name the owner.
func (c *Config) NeedsAnnotations() bool {
	return slices.ContainsFunc(c.Owner, func(s OwnerSource) bool { return s.Kind == OwnerAnnotation })
}

// Mention returns the first address of some owners on a channel, to mention them in a
// message to the channel itself. It returns "" if none of them has an address there.
func (c *Config) Mention(channel string, owners []string) string {
	on := c.Channels[channel]
	if on == nil {
		return ""
	}
	for _, name := range owners {
		if p := c.names.find(name); p != nil && p.On(on) != "" {
			return p.On(on)
		}
	}
	return ""
}
