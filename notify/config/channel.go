package config

import (
	"time"

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

	direct bool // messages to an address reach nobody else
}
