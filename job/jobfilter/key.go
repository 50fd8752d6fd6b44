package jobfilter

import "slices"

// Key is a key of a filter. It is the name of its parameter in URLs.
type Key string

// The keys of filters.
const (
	State     Key = "state"
	Cluster   Key = "cluster"
	Namespace Key = "namespace"
	Queue     Key = "queue"
	Owner     Key = "owner" // the submitter
	Kind      Key = "kind"
	Type      Key = "type"
	Name      Key = "name"
	Label     Key = "label"
	Reason    Key = "reason"
	Priority  Key = "priority"
	GPUs      Key = "gpus"
	Pods      Key = "pods"
	Waited    Key = "waited"
	Ran       Key = "ran"
	Tries     Key = "tries"
	Submitted Key = "submitted"
	Ended     Key = "ended"
	Since     Key = "since"  // time when the job entered its state
	Window    Key = "window" // jobs that existed within a duration before now
	Mine      Key = "mine"
)

// AnyTime is the window that excludes no job. It is needed in URLs of lists that have
// another window by default. It yields no term.
const AnyTime = "all"

// wordsParameter is the parameter for words.
const wordsParameter = "q"

// kind is the kind of the values of a key.
type kind int

const (
	textKind     kind = iota // a text with wildcards
	stateKind                // a text that is a state
	labelKind                // the name of a label, or name=value
	numberKind               // a number, which can be compared
	durationKind             // a duration, which can be compared
	timeKind                 // a time, which can be compared
	windowKind               // a duration, or AnyTime
	flagKind                 // true or false
)

// ordered reports whether values of a kind can be compared with < and >.
func (k kind) ordered() bool { return k == numberKind || k == durationKind || k == timeKind }

// keys are all keys in the order of suggestions.
var keys = []struct {
	key  Key
	kind kind
}{
	{State, stateKind},
	{Namespace, textKind},
	{Queue, textKind},
	{Owner, textKind},
	{Label, labelKind},
	{Name, textKind},
	{Kind, textKind},
	{Type, textKind},
	{Cluster, textKind},
	{Reason, textKind},
	{Priority, textKind},
	{GPUs, numberKind},
	{Pods, numberKind},
	{Tries, numberKind},
	{Waited, durationKind},
	{Ran, durationKind},
	{Submitted, timeKind},
	{Ended, timeKind},
	{Since, timeKind},
	{Window, windowKind},
	{Mine, flagKind},
}

// Keys returns all keys, most useful first.
func Keys() (all []Key) {
	for _, k := range keys {
		all = append(all, k.key)
	}
	return all
}

// kindOf returns the kind of a key. It returns false for an unknown key.
func kindOf(key Key) (kind, bool) {
	i := slices.IndexFunc(keys, func(k struct {
		key  Key
		kind kind
	},
	) bool {
		return k.key == key
	})
	if i < 0 {
		return 0, false
	}
	return keys[i].kind, true
}
