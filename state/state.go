package state

import "time"

// State is a state that means the same for every type. The zero value means
// that the type has none, or none that is known.
type State string

// The common states, in the order in which a job usually goes through them.
const (
	// Submitted: it exists, and nothing has taken it up yet.
	Submitted State = "Submitted"
	// Queued: it waits for quota or for a place to run.
	Queued State = "Queued"
	// Suspended: somebody has put it on hold.
	Suspended State = "Suspended"
	// Starting: it has a place, and is being set up.
	Starting State = "Starting"
	// Running: it does its work.
	Running State = "Running"
	// Restarting: it failed, and is tried again.
	Restarting State = "Restarting"
	// Succeeded: it ended as it should.
	Succeeded State = "Succeeded"
	// Failed: it ended, and not as it should.
	Failed State = "Failed"
	// Aborted: it was told to end before its end.
	Aborted State = "Aborted"
	// Deleted: it is gone.
	Deleted State = "Deleted"
)

// Final reports whether no other state than Deleted can follow.
func (s State) Final() bool { return s == Succeeded || s == Failed || s == Aborted || s == Deleted }

// Status is what an object is doing.
type Status struct {
	// State is the common state, "" if none fits.
	State State
	// Raw is the type's own word: a phase, or the name of a condition.
	Raw string
	// Reason is a word that says why, as the API has it; may be empty.
	Reason string
	// Message says why to a person; may be empty.
	Message string
	// At is when it came to this state, as the object itself says: in UTC, mostly in
	// whole seconds, by the clock of whoever wrote it. Zero if the object does not say.
	At time.Time
}

// String returns the common state, else the type's own word, else "".
func (s Status) String() string {
	if s.State != "" {
		return string(s.State)
	}
	return s.Raw
}
