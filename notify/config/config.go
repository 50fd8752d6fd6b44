package config

import (
	"time"

	"github.com/vedette-io/vedette/notify/rule"
)

// Config is the content of a file. It never changes; a reload makes another one.
type Config struct {
	// Path is the file.
	Path string
	// Portal is the URL of the portal without a slash at the end, "" if there is none.
	Portal string
	// Location is the time zone of messages, and of digests and quiet hours without one.
	Location *time.Location
	// Language is that of messages, "en" or "zh".
	Language string
	// Digest is for messages that wait for a digest, and whose rule and channel have none.
	Digest rule.Digest
	// Retry says when failed messages are tried again.
	Retry Retry
	// Owner says where a job names its owner, in the order of precedence.
	Owner []OwnerSource
	// People is the table of people by name.
	People map[string]*Person
	// Channels are the channels by name.
	Channels map[string]*Channel
	// Rules are the rules in the order of the file.
	Rules *rule.Set
	// Warnings are what works and should be changed, such as a file with a secret that
	// everybody may read. They contain no secrets.
	Warnings []string

	names directory
	vault *vault // what the files contained
}

// OwnerKind says where a job names its owner.
type OwnerKind int

const (
	// OwnerAnnotation is an annotation of the job.
	OwnerAnnotation OwnerKind = iota + 1
	// OwnerLabel is a label of the job.
	OwnerLabel
	// OwnerSubmitter is the submitter that the recorder found.
	OwnerSubmitter
)

// OwnerSource is a place where a job names its owner.
type OwnerSource struct {
	Kind OwnerKind
	// Key is the key of the annotation or label.
	Key string
}
