package config

import (
	"time"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// Config is the content of a file. It never changes; a reload makes another one.
type Config struct {
	// Path is the file, and Hash identifies its text, without the files that it names.
	Path, Hash string
	// Portal is the URL of the portal without a trailing slash, or "" if there is no
	// portal.
	Portal string
	// Location is the default time zone of messages, digests and quiet hours.
	Location *time.Location
	// Language is the default language of messages, "en" or "zh".
	Language string
	// Digest is the default for digests, if neither the rule nor the channel configures
	// them.
	Digest rule.Digest
	// Retry configures the retries of failed messages.
	Retry Retry
	// Owner has the places where a job can name its owner, in order of precedence.
	Owner []OwnerSource
	// People is the table of people by name.
	People map[string]*Person
	// Channels are the channels by name.
	Channels map[string]*Channel
	// Rules are the rules in the order of the file.
	Rules *rule.Set
	// Warnings are problems that do not stop the program, such as a secret in a file that
	// everybody may read. They contain no secrets.
	Warnings []string

	names directory
	vault *vault // the contents of the files
}

// OwnerKind is a kind of place where a job can name its owner.
type OwnerKind int

const (
	// OwnerAnnotation is an annotation of the job.
	OwnerAnnotation OwnerKind = iota + 1
	// OwnerLabel is a label of the job.
	OwnerLabel
	// OwnerSubmitter is the submitter that the recorder found.
	OwnerSubmitter
)

// OwnerSource is a place where a job can name its owner.
type OwnerSource struct {
	Kind OwnerKind
	// Key is the key of the annotation or label.
	Key string
}
