package model

import (
	"fmt"
	"slices"
)

// Presence tells whether an object exists. The database stores its number, and JSON has its
// word.
type Presence int16

const (
	// Present objects were seen, and are not known to be deleted.
	Present Presence = iota
	// Deleted objects no longer exist.
	Deleted
	// Unknown objects cannot be seen now: the recorder lacks the rights, the server does
	// not serve the type, or the cluster was replaced.
	Unknown
	// Unselected objects exist, but the selectors of their target no longer select them.
	Unselected
)

var presences = []string{"present", "deleted", "unknown", "unselected"}

// String returns "present", "deleted", "unknown" or "unselected".
func (p Presence) String() string {
	if p < 0 || int(p) >= len(presences) {
		return presences[Unknown]
	}
	return presences[p]
}

// Seen reports whether the state of an object is known now. Otherwise its last recorded state lasts
// until an unknown instant, or the object is deleted.
func (p Presence) Seen() bool { return p == Present }

// MarshalText returns the word of the presence.
func (p Presence) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is the inverse of MarshalText.
//
// Errors: another word.
func (p *Presence) UnmarshalText(text []byte) error {
	i := slices.Index(presences, string(text))
	if i < 0 {
		return fmt.Errorf("unknown presence %q: use present, deleted, unknown or unselected", text)
	}
	*p = Presence(i)
	return nil
}
