package job

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is a state that means the same for every type. The zero value means that no state
// fits the type, or that the state is unknown.
type State string

// The common states, in the order in which a job usually goes through them.
const (
	// Submitted: it exists, and no controller has started it yet.
	Submitted State = "Submitted"
	// Queued: it waits for quota or for a place to run.
	Queued State = "Queued"
	// Suspended: a user has put it on hold.
	Suspended State = "Suspended"
	// Starting: it has nodes or quota, and its pods are starting.
	Starting State = "Starting"
	// Running: it does its work.
	Running State = "Running"
	// Restarting: it failed, and is retried.
	Restarting State = "Restarting"
	// Succeeded: it ended successfully.
	Succeeded State = "Succeeded"
	// Failed: it ended with a failure.
	Failed State = "Failed"
	// Aborted: it was stopped before its end.
	Aborted State = "Aborted"
	// Deleted: the object was deleted.
	Deleted State = "Deleted"
)

// States returns all states, in the order of a job's life.
func States() []State {
	return []State{Submitted, Queued, Suspended, Starting, Running, Restarting, Succeeded, Failed, Aborted, Deleted}
}

// ParseState returns the state that a word names. The word may have any case, and spaces around it.
//
// Errors: no state has the name. The error lists the states.
func ParseState(word string) (State, error) {
	all := States()
	i := slices.IndexFunc(all, func(s State) bool { return strings.EqualFold(string(s), strings.TrimSpace(word)) })
	if i < 0 {
		return "", fmt.Errorf("unknown state %q; the states are %s", word, JoinStates(all, ", "))
	}
	return all[i], nil
}

// JoinStates returns states as a text with a separator.
func JoinStates(states []State, separator string) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return strings.Join(words, separator)
}

// ParseStates returns the states that words name, each once. No words are nil, which selects all
// states in every filter.
//
// Errors: those of ParseState.
func ParseStates(words []string) (states []State, err error) {
	for _, word := range words {
		s, err := ParseState(word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	return states, nil
}

// OpenStates returns the states of jobs that have not ended, in the same order.
func OpenStates() []State { return slices.DeleteFunc(States(), State.Final) }

// WaitingStates returns the states of jobs that wait for quota or for a place to run.
func WaitingStates() []State {
	return slices.DeleteFunc(States(), func(s State) bool { return !s.Waits() })
}

// BeforeStart reports whether a job in this state has no pods: it waits, or is on hold.
func (s State) BeforeStart() bool { return s.Waits() || s == Suspended }

// Final reports whether no other state than Deleted can follow.
func (s State) Final() bool { return s == Succeeded || s == Failed || s == Aborted || s == Deleted }

// Waits reports whether a job in this state waits for quota or for a place to run.
func (s State) Waits() bool { return s == Submitted || s == Queued }

// Status is what an object is doing.
type Status struct {
	// State is the common state, "" if none fits.
	State State
	// Raw is the type's own word: a phase, or the name of a condition.
	Raw string
	// Reason is the API's word for the cause; may be empty.
	Reason string
	// Message explains the cause to a person; may be empty.
	Message string
	// At is when the object entered this state, as the object records it: in UTC, mostly in
	// whole seconds, by the writer's clock. Zero if the object does not record it.
	At time.Time
}

// String returns the common state, else the type's own word, else "".
func (s Status) String() string {
	if s.State != "" {
		return string(s.State)
	}
	return s.Raw
}
