package config

import (
	"time"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// Channel is an entry of the table of channels. It never changes.
type Channel struct {
	// Name is the key in the table. It is part of the keys of messages.
	Name string
	// Kind is the type of the channel, such as "feishu".
	Kind string
	// At is the position in the file, such as "notify.yaml:12".
	At string
	// Private is set if logs may be sent to the channel.
	Private bool
	// Language is "en" or "zh", or "" for the language of the file.
	Language string
	// Location is the time zone, or nil for the zone of the file.
	Location *time.Location
	// Digest configures digests for the channel; nil means that the kinds of messages and
	// the traits of the channel decide.
	Digest *rule.Digest
	// NamedByJobs selects the jobs whose annotations and labels may name the channel.
	NamedByJobs Naming

	domains     []glob.Pattern // of addresses to which anybody may have a code sent; empty means the default
	direct      bool           // only the receiver sees a message to an address
	addresses   addressing
	fingerprint [32]byte
	open        func() (channel.Channel, error)
}

// addressing is whether a type of channel has receivers of its own.
type addressing int

const (
	// noAddress: the channel is the receiver.
	noAddress addressing = iota
	// mayAddress: an address identifies a person, who is mentioned or gets a direct
	// message.
	mayAddress
	// mustAddress: every message needs an address.
	mustAddress
)

// Open returns a new channel, ready to send. The caller closes it.
//
// Errors: the settings cannot work. The error shows no secret.
func (c *Channel) Open() (channel.Channel, error) { return c.open() }

// Direct reports whether only the receiver sees a message to an address on the channel.
// Only then can a code verify an address.
func (c *Channel) Direct() bool { return c.direct }

// HasAddresses reports whether the channel has receivers of its own, such as people in a
// chat. The only receiver of any other channel is the channel itself.
func (c *Channel) HasAddresses() bool { return c.addresses != noAddress }

// Same reports whether two channels have the same settings and secrets. A reload keeps
// such a channel open.
func (c *Channel) Same(other *Channel) bool {
	return other != nil && c.Name == other.Name && c.Kind == other.Kind && c.fingerprint == other.fingerprint
}
