package reflector

import (
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Streaming selects the form of lists.
type Streaming uint8

const (
	// PreferStreaming requests streaming lists (KEP-3157), and pages if the server does
	// not support them.
	PreferStreaming Streaming = iota
	// PagesOnly requests pages from the start.
	PagesOnly
)

// ListPolicy permits or forbids lists.
type ListPolicy uint8

const (
	// ListWhenNeeded lists first, unless Config.Resume is set, and whenever a watch
	// cannot continue.
	ListWhenNeeded ListPolicy = iota
	// NeverList makes Run return ErrListNeeded instead of listing, so that a caller with
	// several versions can try each of them.
	NeverList
	// EndIfRestored makes Run return ErrRestored instead of listing if the server has lost
	// versions, so that a caller that orders revisions by version can distinguish the new
	// ones.
	EndIfRestored
)

// Config is the configuration of a Reflector. The zero value works.
type Config struct {
	// Streaming is PreferStreaming by default. PagesOnly saves the attempt if it is known
	// to fail.
	Streaming Streaming
	// PageSize is the number of objects on a page of a list. Default 500, as in kubectl.
	// Larger pages cost the server memory; smaller pages cost time.
	PageSize int64
	// IdleTimeout bounds the wait for each event of a watch, plus up to a third at random,
	// and for each object of a list in one page. When it expires on a watch, the server is
	// asked for its version, and the watch is opened again at its last version. Receiving a
	// few bytes now and then does not extend it. Shorter bounds hold for the answers to
	// requests and for pages; docs/protocol.md has them. Default 3 minutes: servers send
	// bookmarks about every minute.
	IdleTimeout time.Duration
	// SlowAnswer is how long an answer, or the next part of a list, may take before
	// Health reports the wait as Unreachable. The reflector keeps waiting, and the
	// fault ends when the answer comes. An open watch may be silent. Default 8 seconds.
	SlowAnswer time.Duration
	// EndBookmarkTimeout bounds the wait for each object of a streaming list, and for
	// its end bookmark; twice as long, the wait for the answer. When it expires, the
	// reflector lists in pages. Default 15 seconds.
	EndBookmarkTimeout time.Duration
	// StreamTimeout bounds a streaming list as a whole, without the time that the sink
	// takes. Default 5 minutes.
	StreamTimeout time.Duration
	// WatchTimeout is the requested duration of a watch, in whole seconds. Each watch
	// requests a random duration between it and twice its value, so that watches do not
	// all end at the same time. Default 5 minutes.
	WatchTimeout time.Duration
	// MinBackoff and MaxBackoff bound the wait before a retry after a fault; the wait
	// doubles with each consecutive fault. MaxBackoff also bounds the wait that a
	// server requests (Retry-After); Health.Err then contains the requested wait. Up to
	// half of the wait is added at random. Default 800 milliseconds and 30 seconds.
	MinBackoff, MaxBackoff time.Duration
	// SlowRetry replaces MaxBackoff for faults that may need an administrator: missing
	// rights, or a type that does not exist. Default 30 seconds.
	SlowRetry time.Duration
	// Scope is set on every delta, and its cluster on every record. Default: all objects
	// of the type.
	Scope delta.Scope
	// Resume is the version at which to begin a watch without a list. The consumer of the
	// sink must hold all changes up to it. Default: list first.
	Resume wire.Version
	// Lists permits or forbids lists. NeverList needs Resume. Default:
	// ListWhenNeeded.
	Lists ListPolicy
	// Wire holds the options of the readers. The reflector sets APIVersion and Kind from
	// the stream.
	Wire wire.Options
}

// withDefaults sets the defaults. It returns an error that names a field with an illegal
// value.
func (c Config) withDefaults() (Config, error) {
	if c.Lists == NeverList && c.Resume == 0 {
		return c, errors.New("reflector: Lists is NeverList without Resume, so no watch can begin")
	}
	if c.PageSize < 0 {
		return c, fmt.Errorf("reflector: PageSize is %d, want 0 (for the default) or more", c.PageSize)
	}
	if c.PageSize == 0 {
		c.PageSize = 500
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		def   time.Duration
	}{
		{"IdleTimeout", &c.IdleTimeout, 3 * time.Minute},
		{"SlowAnswer", &c.SlowAnswer, 8 * time.Second},
		{"EndBookmarkTimeout", &c.EndBookmarkTimeout, 15 * time.Second},
		{"StreamTimeout", &c.StreamTimeout, 5 * time.Minute},
		{"WatchTimeout", &c.WatchTimeout, 5 * time.Minute},
		{"MinBackoff", &c.MinBackoff, 800 * time.Millisecond},
		{"MaxBackoff", &c.MaxBackoff, 30 * time.Second},
		{"SlowRetry", &c.SlowRetry, 30 * time.Second},
	} {
		if *d.value < 0 {
			return c, fmt.Errorf("reflector: %s is %v, want 0 (for the default) or more", d.name, *d.value)
		}
		if *d.value == 0 {
			*d.value = d.def
		}
	}
	if c.MaxBackoff < c.MinBackoff {
		return c, fmt.Errorf("reflector: MaxBackoff %v is below MinBackoff %v", c.MaxBackoff, c.MinBackoff)
	}
	return c, nil
}
