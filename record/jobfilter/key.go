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
	Since     Key = "since"  // when the job entered its state
	Window    Key = "window" // jobs that existed within a time before now
	Mine      Key = "mine"
)

// AnyTime is the window that leaves out no job: a URL has it where lists have another window by
// default. It makes no term.
const AnyTime = "all"

// wordsParameter is the parameter of bare words.
const wordsParameter = "q"

// kind says which values a key takes.
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

// keys are all keys in the order in which they are suggested.
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

// Keys returns all keys, the most useful ones first.
func Keys() (all []Key) {
	for _, k := range keys {
		all = append(all, k.key)
	}
	return all
}

// kindOf returns the kind of a key, and false for a word that is no key.
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
