package model

import (
	"fmt"
	"slices"
)

// Presence says whether an object exists. The database stores its number, and JSON its word.
type Presence int16

const (
	// Present objects were seen, and their deletion was not.
	Present Presence = iota
	// Deleted objects do not exist any more.
	Deleted
	// Unknown objects cannot be seen now: the rights are gone, the type is gone, or the
	// cluster was replaced.
	Unknown
	// Unselected objects exist, but the selectors of their target do not select them any
	// more.
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

// MarshalText returns the word of the presence.
func (p Presence) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is the inverse of MarshalText.
//
// Errors: another word.
func (p *Presence) UnmarshalText(text []byte) error {
	i := slices.Index(presences, string(text))
	if i < 0 {
		return fmt.Errorf("unknown presence %q; the presences are present, deleted, unknown and unselected", text)
	}
	*p = Presence(i)
	return nil
}
