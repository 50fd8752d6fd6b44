package config

import (
	"time"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/rule"
)

// Channel is an entry of the table of channels. It never changes.
type Channel struct {
	// Name is the key in the table. It is part of the keys of messages.
	Name string
	// Kind is the type of the channel, such as "feishu".
	Kind string
	// At is the place in the file, such as "notify.yaml:12".
	At string
	// Private says that logs may be sent there.
	Private bool
	// Language is "en" or "zh", or "" for that of the file.
	Language string
	// Location is the time zone, nil for that of the file.
	Location *time.Location
	// Digest collects the messages of the channel; nil means that the kinds of messages and
	// the traits of the channel decide.
	Digest *rule.Digest
	// NamedByJobs says that an annotation or a label of a job may name the channel.
	NamedByJobs bool

	direct      bool // messages to an address reach nobody else
	addresses   addressing
	fingerprint [32]byte
	open        func() (channel.Channel, error)
}

// addressing says whether a type of channels has receivers of its own.
type addressing int

const (
	// noAddress: the channel is the receiver.
	noAddress addressing = iota
	// mayAddress: an address names a person, who is mentioned or gets the message alone.
	mayAddress
	// mustAddress: without an address nobody gets the message.
	mustAddress
)

// Open returns the channel, ready to send. The caller closes it. Every call returns
// another one.
//
// Errors: the settings cannot work. The error shows no secret.
func (c *Channel) Open() (channel.Channel, error) { return c.open() }

// Direct reports whether a message to an address on the channel reaches nobody else. Only
// there can a code verify an address.
func (c *Channel) Direct() bool { return c.direct }

// HasAddresses reports whether the channel has receivers of its own, such as people in a
// chat. The receiver of any other channel is the channel alone.
func (c *Channel) HasAddresses() bool { return c.addresses != noAddress }

// Same reports whether two channels have the same settings and secrets. A reload leaves
// such a channel open.
func (c *Channel) Same(other *Channel) bool {
	return other != nil && c.Name == other.Name && c.Kind == other.Kind && c.fingerprint == other.fingerprint
}
