package reflector

import (
	"time"
)

// Means is a way to learn the state of a scope. The first three are those of a watch, the
// others those of a list. A reflector climbs from one to the next when a fault lasts, and
// returns when the better means works again; docs/protocol.md has the table.
type Means uint8

const (
	// Watch is a watch of Config.WatchTimeout.
	Watch Means = iota
	// ShortWatch is a watch of half a minute. A proxy that passes on an answer only when it
	// is complete passes it on in time.
	ShortWatch
	// Polling is lists, because no watch brings the changes.
	Polling
	// Stream is a streaming list (KEP-3157).
	Stream
	// Pages is a list in pages of Config.PageSize objects.
	Pages
	// OnePage is a list in one page.
	OnePage
)

// String returns the name of the means in lowercase.
func (m Means) String() string {
	names := [...]string{"watch", "short watch", "polling", "stream", "pages", "one page"}
	if int(m) < len(names) {
		return names[m]
	}
	return "unknown"
}

const (
	// answerTimeout bounds the wait for the answer to a watch. A server answers before it has
	// an event. probeTimeout is the same for a list of one object.
	answerTimeout, probeTimeout = time.Minute, 20 * time.Second
	// checkTimeout is the same for the probe after a restart of the server, which delays the
	// watch.
	checkTimeout = 5 * time.Second
	// pageTimeout bounds the wait for the answer to a page, and for each object of it. A
	// kube-apiserver gives up after 60 seconds.
	pageTimeout = 70 * time.Second
	// shortWatchTimeout is the requested duration of a short watch, and shortWatchGrace the
	// time after which such a watch counts as deaf.
	shortWatchTimeout = 30 * time.Second
	shortWatchGrace   = 15 * time.Second
	// muteTime is how long a watch must have been open, or its request unanswered, to count
	// as mute if it ends with a fault and without an event.
	muteTime = 15 * time.Second
	// minShortWatches is the number of short watches before the next long one. It doubles
	// up to maxShortWatches as long as the long watch is mute.
	minShortWatches, maxShortWatches = 20, 160
	// quickRounds is the number of rounds in which each means is tried at once. A fault that
	// lasts longer is probably an outage: then a round tries fewer means.
	quickRounds = 3
	// maxListFaults is the number of faults after which a throttled list, or one without
	// progress, is tried in another form. maxPageFaults is the same for a later page.
	maxListFaults, maxPageFaults = 3, 6
	// watchEvery is how often a poll is followed by an attempt to watch.
	watchEvery = 5
	// maxFormPause is the maximum number of lists between two attempts at a better form.
	maxFormPause = 63
)

// errDeaf is the fault of a watch that is open, but brings nothing and does not end.
var errDeaf error = &timeoutError{"the watch brought nothing, and did not end when it was due"}

// errMute is the reason for short watches after a watch that was silent.
var errMute error = &timeoutError{"long watches bring nothing"}

// ladder is the position of a machine on the ladder of means. A round is one attempt with
// one or several means, followed by a wait.
type ladder struct {
	rounds int // consecutive rounds without progress

	// Lists.
	streams    bool  // streaming lists are wanted
	form       Means // of the current list
	lists      int   // consecutive rounds in which no list was complete
	listFaults int   // consecutive faults of the current form or page
	tried      uint8 // the forms in which the current list has failed, a set of bits
	usual      Means // the form that worked then
	pause      int   // lists in the usual form before a better one is tried
	nextPause  int   // pause after the better forms have failed again

	// Watches.
	proven    bool // a list has answered since the last watch failed
	unproven  int  // probes that failed since a watch has brought something
	refused   bool // the last watch was refused at once
	outage    bool // the last list or probe was refused too
	retried   bool // a granted list was given up for the watch since watches or lists last worked
	restarted bool // no server has answered since the last watch
	checking  bool // the current probe asks a server that was not there before
	relisting bool // the current list replaces a watch that cannot be resumed
	polls     int  // such lists since a watch has brought something
	heard     bool // the current watch has brought something
	short     int  // short watches before the next long one
	nextShort int  // short after the next long watch that is mute
	mutes     int  // consecutive long watches that were mute
	silences  int  // consecutive watches that were silent
	deaf      bool // watches do not end when they are due, so only lists tell whether there is something to send
	bookmarks bool // the server sends bookmarks
	ever      bool // a watch has brought something
	behind    bool // the server had a newer version when a watch was silent
	fault     Fault
	err       error // why watches are short, or replaced by lists
}

// position returns how changes are learned, and why not by a watch of usual duration.
func (l *ladder) position() (Means, error) {
	switch {
	case l.polls > 0:
		return Polling, l.err
	case l.short > 1:
		return ShortWatch, l.err
	}
	return Watch, nil
}

// lasts reports whether a fault has lasted longer than the quick rounds.
func (l *ladder) lasts() bool { return l.rounds > quickRounds || l.lists >= quickRounds }

// firstForm returns the form in which a list is requested first.
func (l *ladder) firstForm() Means {
	lasting := l.lists >= quickRounds
	switch {
	case !lasting && l.pause > 0:
		return l.usual
	case !lasting || l.lists%2 == 0:
		return l.bestForm()
	}
	return Pages
}

// bestForm returns the form in which lists are requested as long as nothing fails.
func (l *ladder) bestForm() Means {
	if l.streams {
		return Stream
	}
	return Pages
}

// nextForm returns the form that is tried after the current one failed, in the same round.
// silent says that the server did not answer.
func (l *ladder) nextForm(fault Fault, silent bool) (Means, bool) {
	lasting := l.lists >= quickRounds
	l.tried |= 1 << l.form
	if l.pause > 0 { // the usual form fails now
		l.pause, l.nextPause = 0, 0
	}
	if lasting { // a whole list is expensive, and must not answer an outage
		return OnePage, l.lists%4 == 1 && l.form == Pages
	}
	for form := l.bestForm(); form < OnePage; form++ {
		if l.tried&(1<<form) == 0 {
			return form, true
		}
	}
	return OnePage, l.form != OnePage && (l.lists == quickRounds-1 || fault == Unsupported || silent && l.lists+l.unproven > 0)
}

// begin begins a list in a form.
func (l *ladder) begin(form Means) { l.form, l.listFaults = form, 0 }

// listed records that a list is complete.
func (l *ladder) listed() {
	switch {
	case l.form == l.bestForm():
		l.pause, l.nextPause = 0, 0
	case l.tried != 0 && l.pause == 0:
		l.nextPause = min(2*l.nextPause+1, maxFormPause)
		l.pause, l.usual = l.nextPause, l.form
	case l.pause > 0:
		l.pause, l.usual = l.pause-1, l.form
	}
	l.tried, l.lists, l.listFaults, l.retried = 0, 0, 0, false
}

// follows records that a watch has brought something. It is proof that watches work if the
// version has advanced.
func (l *ladder) follows(advanced bool) {
	l.silences, l.deaf, l.behind, l.ever = 0, false, false, true
	switch {
	case l.short == 0:
		l.mutes, l.nextShort = 0, 0
	case l.short == 1 && !l.heard && l.mutes == 0: // the first watch after a silent one
		l.mute(errMute, true)
	}
	if l.heard = true; advanced {
		l.works()
	}
}

// worksAgain records that a list was granted. It reports whether the granted list replaces a
// refused watch, although an earlier request for a list failed too. The fault of the watch may
// then be over as well, so the watch is tried first: a list loses the changes since its version.
func (l *ladder) worksAgain() bool {
	again := l.relisting && l.refused && l.outage && !l.retried && l.polls == 0
	if again {
		l.relisting, l.retried, l.proven = false, true, true
		l.rounds-- // the second attempt belongs to the same round
	}
	return again
}

// works records that watches work.
func (l *ladder) works() {
	l.rounds, l.polls, l.unproven, l.proven, l.retried = 0, 0, 0, false, false
}

// silentToo reports whether a short watch that ended in the regular way is as silent as the
// one before it, although the server has a newer version. This is a fault if the server
// usually sends bookmarks, or if no watch has ever brought anything.
func (l *ladder) silentToo() bool {
	return l.short > 0 && l.silences > 0 && !l.heard && l.behind && (l.bookmarks || !l.ever)
}

// ended records that the server ended a watch in the regular way.
func (l *ladder) ended(long bool) {
	if l.short > 0 {
		l.short--
	}
	if long {
		l.works()
		l.deaf = false
	}
}

// mute records that a watch brought nothing, although it was requested or open for long.
// certain says that the server or a proxy held back an answer, and that the watch did not
// only break.
func (l *ladder) mute(err error, certain bool) {
	l.mutes++
	if l.err = err; !certain && l.mutes == 1 {
		l.short = 1
		return
	}
	l.nextShort = min(max(2*l.nextShort, minShortWatches), maxShortWatches)
	l.short = l.nextShort
}
