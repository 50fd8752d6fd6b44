package retention

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Forever is an age that no revision reaches.
const Forever = time.Duration(math.MaxInt64)

// weekly is the default of KeepFeed and CursorIdle.
const weekly = 7 * 24 * time.Hour

// Policy configures how long history is kept. The zero value keeps all history, and a week
// of the feed.
type Policy struct {
	// Keep is how long revisions and transitions stay after they were seen. Default:
	// Forever. A deleted object is removed together with the revision of its deletion.
	Keep time.Duration
	// Rules replace Keep for the objects that they select. The first rule that selects an object
	// counts.
	Rules []Rule
	// KeepBodies is how long the bodies of revisions stay. Default: as long as the
	// revisions. The body of the last revision of an object stays.
	KeepBodies time.Duration
	// KeepLast is the number of revisions of each present object that stay with their
	// bodies, regardless of age. Default: 1.
	KeepLast int
	// MaxBytes is the maximum size of the history without kept logs. Default: unlimited. A
	// larger database loses its oldest revisions, in any state, but no revision of the last
	// hour.
	MaxBytes int64
	// KeepLogs is how long kept logs stay after their last text was added. Default:
	// Forever. They are removed earlier together with their pods, owners or jobs.
	KeepLogs time.Duration
	// MaxLogBytes is the maximum size of kept logs. Default: unlimited. Beyond it, the
	// oldest kept logs lose their text, and their rows record the loss. joblog.Limits has
	// the same limit for recorders.
	MaxLogBytes int64
	// KeepFeed is the age up to which the feed can be read from a position. Default: 7
	// days. Positions that a live cursor has not read stay longer.
	KeepFeed time.Duration
	// CursorIdle is the idle time after which a cursor of the feed expires. Default: 7
	// days. Its unread transitions are then removed like all others.
	CursorIdle time.Duration
	// Every is the interval at which Run prunes. Default: one hour. With MaxBytes, Run
	// checks the size every five minutes.
	Every time.Duration
}

// Unlimited reports whether a policy keeps the whole history and all logs. It may still
// shorten the feed.
func (p Policy) Unlimited() bool {
	return p.Keep == 0 && len(p.Rules) == 0 && p.KeepBodies == 0 && p.MaxBytes == 0 && p.KeepLogs == 0 && p.MaxLogBytes == 0
}

// withDefaults returns a policy with defaults for unset fields.
//
// Errors: an invalid field.
func (p Policy) withDefaults() (Policy, error) {
	p.Keep, p.KeepBodies = cmp.Or(p.Keep, Forever), cmp.Or(p.KeepBodies, Forever)
	p.KeepLogs = cmp.Or(p.KeepLogs, Forever)
	p.KeepLast, p.Every = max(p.KeepLast, 1), cmp.Or(p.Every, time.Hour)
	p.KeepFeed, p.CursorIdle = cmp.Or(p.KeepFeed, weekly), cmp.Or(p.CursorIdle, weekly)
	switch {
	case p.KeepFeed < 0 || p.CursorIdle < 0:
		return p, errors.New("retention: KeepFeed or CursorIdle is negative")
	case p.Keep < 0 || p.KeepBodies < 0 || p.Every < 0:
		return p, errors.New("retention: Keep, KeepBodies or Every is negative")
	case p.KeepLogs < 0:
		return p, errors.New("retention: KeepLogs is negative")
	case p.MaxBytes < 0 || p.MaxLogBytes < 0:
		return p, errors.New("retention: MaxBytes or MaxLogBytes is negative")
	}
	for i := range p.Rules {
		if err := p.Rules[i].check(); err != nil {
			return p, fmt.Errorf("retention: Rules[%d]: %w", i, err)
		}
	}
	return p, nil
}

// age returns how long revisions of an object stay.
func (p *Policy) age(of *object) time.Duration {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.selects(of) {
			return r.Keep
		}
	}
	return p.Keep
}

// smallestAge returns the smallest age of any object. Younger revisions are never deleted.
func (p *Policy) smallestAge() time.Duration {
	smallest := p.Keep
	for i := range p.Rules {
		smallest = min(smallest, p.Rules[i].Keep)
	}
	return smallest
}

// readsLabels reports whether a rule selects by labels.
func (p *Policy) readsLabels() bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Labels != nil })
}
