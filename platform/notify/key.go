package notify

import (
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/wire"
)

// subject is the first part of a key: the object state that a message is about.
type subject struct {
	Cluster, UID string
	Version      wire.Version // at which the object entered the state
	What         string       // the state, or the kind of a timer
}

// key returns "gpu-west/UID/48377/Failed/my-failures". The key of a deletion has version 0: an
// object is deleted once, but its deletion has another version if a recorder learns of it from a
// later list, such as after a restore of the database.
func (s subject) key(ruleID string) string {
	if s.What == string(job.Deleted) {
		s.Version = 0
	}
	return strings.Join([]string{s.Cluster, s.UID, strconv.FormatUint(uint64(s.Version), 10), s.What, ruleID}, "/")
}

// receiverKey returns "ops-hook" or "mail:ann@example.com".
func receiverKey(r *config.Receiver) string {
	if r.Address == "" {
		return r.Channel
	}
	return r.Channel + ":" + r.Address
}

// window is the time in which a digest collects messages.
type window struct{ from, to time.Time }

// next returns the following window, with the same length.
func (w window) next() window { return window{w.to, w.to.Add(w.to.Sub(w.from))} }

// digestKey returns "digest/2026-11-22T02:00:00Z/1h0m0s/mail:ann@example.com".
func digestKey(w window, r *config.Receiver) string {
	return strings.Join([]string{"digest", w.from.UTC().Format(time.RFC3339), w.to.Sub(w.from).String(), receiverKey(r)}, "/")
}

// escalationKey returns the key of the message that escalates a delivery.
func escalationKey(escalated string, r *config.Receiver) string {
	return "escalation/" + escalated + "/" + receiverKey(r)
}
