package message

import "github.com/vedette-io/vedette/job"

// words are the words of a language.
type words struct {
	titles    map[Kind]pattern
	sentences map[Kind]pattern
	// entered are the sentences of StateChanged, by the new state.
	entered map[job.State]pattern
	states  map[job.State]string
	causes  map[Reason]pattern
	// reasons are the words of a title, and brief those of a digest, where they differ
	// from the API's own words.
	reasons, brief map[Reason]pattern
	subject        pattern // the pod of a cause
	on             pattern // " on NODE"
	late           pattern // sentence of a late notice
	lateTimer      pattern // sentence of a timer that fired late
	silence        pattern // sentence of the summary of a silence
	replay         pattern // sentence of a message that is sent again
	broken         pattern // sentence of a template that failed
	otherCauses    pattern // section of failures without a common cause
	labels         map[label]string
	facts          map[label]pattern
	notes          map[label]pattern
	buttons        map[button]pattern
	groups         map[group]groupWords
	footer         footerWords

	// These combine a number with its noun.
	gaps, gpus, nodes, retries, retriesWere, attempts, changes, changesWere, jobs, messages func(n int) string
	// number formats a number alone, nth a place in line.
	number, nth func(n int) string
	// inState counts jobs in a state.
	inState func(n int, word string) string
	// list joins the items of a list.
	list         func(items []string) string
	comma        string  // between the parts of a value
	space        string  // between two sentences
	log, attempt pattern // above a log; on a strip
	// signal describes the missing signal of a timer.
	signal func(signal string) string
	// owner is the word for the role; byOwner is the actor if the actor is the owner.
	owner, byOwner string
}

// label is the kind of a fact.
type label int

const (
	causeFact label = iota
	memoryFact
	timeFact
	attemptsFact
	waitedRanFact
	waitedFact
	ranFact
	gpusFact
	nodesFact
	queueFact
	ownerFact
	quotaFact
	placeFact
	beforeFact
	likeFact
	jobLabel
	logLabel
)

// button is the kind of a button.
type button int

const (
	openJob button = iota
	logsButton
	allLogs
	stopButton
	retryButton
	whyWaits
	cloneFewer
	openChanges
	openFailed
	openAll
	acknowledge
	openSettings
)

// group is a part of a digest, in the order of display.
type group int

const (
	failedGroup group = iota
	noProgressGroup
	nearDeadlineGroup
	waitsGroup
	runningLongGroup
	deletedGroup
	restartedGroup
	abortedGroup
	changedGroup
	startedGroup
	succeededGroup
	groupCount
)

// groupWords are the words of a part of a digest.
type groupWords struct {
	count func(n int) string // in the title
	title pattern            // of the section
	row   pattern
}

// footerWords are the words of the footer.
type footerWords struct {
	why                       pattern
	mute, today, change, zone string
	placeEnd                  string  // between Place and Why
	gap                       pattern // note about a gap
	more                      pattern // rows that were left out
}
