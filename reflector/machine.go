package reflector

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// state is a state of the protocol.
type state uint8

const (
	openStream state = iota // a streaming list was requested
	inStream                // its initial events are arriving
	openList                // a page was requested
	inList                  // its objects are arriving
	openWatch               // a watch was requested
	inWatch                 // its events are arriving
	waiting                 // until the next attempt
)

// inputKind is the kind of an input from the driver.
type inputKind uint8

const (
	inOpened  inputKind = iota + 1 // the request was granted, its body can be read
	inFailed                       // the request failed: err
	inItem                         // a list: rec
	inPageEnd                      // a list: the page is complete, meta
	inEvent                        // a watch: event
	inInvalid                      // an unusable object or event, err
	inBroken                       // reading the body failed: err, io.EOF at a clean end
	inElapsed                      // the wait is over
)

type input struct {
	kind   inputKind
	rec    wire.Record
	event  wire.Event
	meta   wire.ListMeta
	err    error
	lasted time.Duration // how long the body has been open
	early  bool          // inElapsed: the wait ended early
	order  ordering      // inOpened: the order according to the source
}

// actionKind is the kind of an action of the driver.
type actionKind uint8

const (
	doWatch actionKind = iota + 1 // open a watch
	doList                        // open a page of a list
	doRead                        // continue reading, at most for wait
	doWait                        // close the body, and wait
	doEnd                         // stop: Run returns err
)

type action struct {
	kind    actionKind
	version wire.Version  // doWatch: where to begin
	initial bool          // doWatch: a streaming list
	token   string        // doList: continue token of the page
	limit   int64         // doList: objects on a page, 0 for all
	wait    time.Duration // doRead, doWait
	early   time.Duration // doWait: minimum wait if another request recovers; 0: no early end
	late    time.Duration // doRead: after which silence is a fault; 0: never
	err     error         // doEnd: what Run returns
}

// maxLostTokens is how often a list may lose its continue token before it is requested in
// one page: it is then too large for the server's compaction interval.
const maxLostTokens = 2

// maxCutStreams is the number of consecutive streaming lists that may be cut before the list
// is requested in pages. Some proxies interrupt every long response, and a busy server interrupts
// streams whose buffers are full.
const maxCutStreams = 2

// maxOlderLists is the number of consecutive lists that are older than the last version
// seen. The machine accepts the last of them. A stale replica may return one such list,
// but a cluster that was restored from a backup returns nothing else.
const maxOlderLists = 3

// maxUnnamedLists is the number of consecutive lists with an object whose key cannot be
// read. The machine rejects all but the last, because a list without the object would
// look like its deletion, and accepts the last without the object.
const maxUnnamedLists = 3

// shortWatch is the minimum duration of a watch without progress. A shorter watch
// counts as a fault, even if the server ended it normally. If a shorter watch was
// requested, it must last half of the requested time.
const shortWatch = 5 * time.Second

// maxBriefWatches is the number of consecutive watches with progress that may be shorter
// than shortWatch before the reflector waits between them.
const maxBriefWatches = 3

// errOlder is the fault of a list that is older than the last version seen.
var errOlder error = stalledError("the list is older than the last version seen")

// errNoVersion is the fault of a list that no watch can continue.
var errNoVersion error = stalledError("the list has no resourceVersion: this type cannot be watched")

// machine is the list and watch protocol. It has no clock, socket or goroutine.
type machine struct {
	cfg    *Config
	random func() float64 // in [0, 1)

	state         state
	next          state         // waiting: the state after the wait
	version       wire.Version  // where a watch resumes, 0 if a list is needed
	highest       wire.Version  // largest version that was delivered
	token         string        // continue token of the next page
	attempts      [2]int        // faults since the last progress: quick, slow
	earlyRetries  int           // early retries since the last progress
	lostTokens    int           // continue tokens lost in this list
	cutStreams    int           // consecutive streaming lists that were cut
	olderLists    int           // consecutive lists older than the last version seen
	briefWatches  int           // consecutive short watches
	unnamedLists  int           // consecutive lists with an unnamed object
	streamed      time.Duration // how long the current streaming list has been open
	paged         bool          // the server does not support streaming lists
	productive    bool          // the current body has brought progress
	unproductive  bool          // the last body made no progress; its fault stays until there is progress
	watched       bool          // a watch has advanced the version since the last list, or in an earlier run
	relists       int           // relists since a watch has lasted
	ordered       bool          // the source reports that versions are ordered
	afterList     bool          // no watch has ended since the last list
	highestListed wire.Version  // largest version of an object in this list
	lastUnusable  error         // error of the last unusable event of this stream
	list          pages

	health Health
}

func newMachine(cfg *Config, jitter func() float64) *machine {
	return &machine{cfg: cfg, random: jitter}
}

// resume sets the version at which the first watch begins.
func (m *machine) resume(v wire.Version) {
	if v != 0 {
		m.version, m.highest, m.watched = v, v, true
		m.health.Version, m.health.Synced = v, true
	}
}

// start returns the first action.
func (m *machine) start() action { return m.begin() }

// step takes an input. It returns the next action, and the delta to deliver before it. The
// Kind of the delta is zero if there is none.
func (m *machine) step(in *input) (action, delta.Delta) {
	switch m.state {
	case openStream, openList, openWatch:
		return m.stepOpen(in)
	case inStream:
		return m.stepStream(in)
	case inList:
		return m.stepList(in)
	case inWatch:
		return m.stepWatch(in)
	}
	if in.early {
		m.earlyRetries++
	}
	return m.enter(m.next), delta.Delta{}
}

// begin returns the first action of a run, or of a relist.
func (m *machine) begin() action {
	if m.version != 0 {
		return m.enter(openWatch)
	}
	m.token, m.lostTokens = "", 0
	if m.paged || m.cutStreams >= maxCutStreams {
		return m.enter(openList)
	}
	return m.enter(openStream)
}

// enter enters a state that sends a request.
func (m *machine) enter(s state) action {
	m.state, m.productive, m.lastUnusable = s, false, nil
	switch s {
	case openStream:
		m.health.Phase = Listing
		return action{kind: doWatch, initial: true}
	case openList:
		m.health.Phase = Listing
		m.list.open(m.token)
		limit := m.cfg.PageSize
		if m.lostTokens >= maxLostTokens {
			limit = 0
		}
		return action{kind: doList, token: m.token, limit: limit}
	default:
		return action{kind: doWatch, version: m.version}
	}
}

func (m *machine) read() action {
	switch m.state {
	case inStream:
		return m.readStream(m.cfg.SlowAnswer)
	case inWatch:
		return action{kind: doRead, wait: m.cfg.IdleTimeout}
	}
	return action{kind: doRead, wait: m.cfg.IdleTimeout, late: m.cfg.SlowAnswer}
}

// readStream reads the next event of a streaming list. StreamTimeout bounds the wait too,
// so bytes that trickle in do not extend the list beyond it.
func (m *machine) readStream(late time.Duration) action {
	left := max(m.cfg.StreamTimeout-m.streamed, 1)
	return action{kind: doRead, wait: min(m.cfg.EndBookmarkTimeout, left), late: late}
}

// stepOpen handles the answer to a request.
func (m *machine) stepOpen(in *input) (action, delta.Delta) {
	if in.kind != inOpened {
		return m.fail(in.err), delta.Delta{}
	}
	if !m.unproductive {
		m.clearFault()
	}
	m.setOrder(in.order)
	switch m.state {
	case openStream:
		m.state, m.streamed = inStream, in.lasted
		m.health.Listed, m.health.Remaining, m.highestListed = 0, 0, 0
		return m.read(), delta.Delta{Kind: delta.Begin}
	case openList:
		m.state = inList
		if m.token != "" {
			return m.read(), delta.Delta{}
		}
		m.health.Listed, m.health.Remaining, m.highestListed = 0, 0, 0
		return m.read(), delta.Delta{Kind: delta.Begin}
	}
	m.state = inWatch
	if m.mayHaveMissed() {
		return m.relist(), delta.Delta{}
	}
	m.health.Phase = Watching
	return m.read(), delta.Delta{}
}

// clearFault clears the current fault.
func (m *machine) clearFault() {
	m.unproductive = false
	m.health.Err, m.health.Fault = nil, NoFault
}

// progress records progress: the version has advanced, a list has come further than
// before, or a watch has lasted. Only progress ends a fault in the data and resets the
// backoff.
func (m *machine) progress() {
	m.productive, m.attempts, m.earlyRetries = true, [2]int{}, 0
	if m.briefWatches >= maxBriefWatches {
		m.attempts[0] = 1
	}
	m.clearFault()
}

// noteDuration records how long a watch has lasted so far, and reports whether that is long
// enough.
func (m *machine) noteDuration(d time.Duration) bool {
	if d < min(shortWatch, m.cfg.WatchTimeout/2) {
		return false
	}
	m.briefWatches, m.relists = 0, 0
	m.progress()
	return true
}

// stepStream handles the initial events of a streaming list.
func (m *machine) stepStream(in *input) (action, delta.Delta) {
	if in.kind != inBroken && in.lasted > m.cfg.StreamTimeout {
		*in = input{kind: inBroken, err: errIdle}
	}
	m.streamed = in.lasted
	if err := m.stray(in); err != nil {
		return m.skipStray(err)
	}
	read := m.readStream(0)
	switch in.kind {
	case inEvent:
	case inInvalid:
		return m.listUnusable(in.err, read)
	default:
		return m.streamFault(in), delta.Delta{}
	}
	switch ev := &in.event; ev.Type {
	case wire.Added, wire.Modified:
		m.health.Listed++
		m.listed(ev.Record.Version)
		return m.read(), delta.Delta{Kind: delta.Upsert, Version: ev.Record.Version, Record: ev.Record}
	case wire.Deleted:
		return m.read(), delta.Delta{Kind: delta.Delete, Version: ev.Record.Version, Record: ev.Record}
	case wire.Bookmark:
		if !ev.InitialEventsEnd {
			return m.read(), delta.Delta{}
		}
		if a, refused := m.refuse(ev.Record.Version); refused {
			return a, delta.Delta{}
		}
		return m.complete(ev.Record.Version, inWatch)
	default:
		in.err = statusError(ev)
		return m.streamFault(in), delta.Delta{}
	}
}

// streamFault handles the end of an incomplete streaming list.
func (m *machine) streamFault(in *input) action {
	err := in.err
	if errors.Is(err, errIdle) {
		// The server took the request for an ordinary watch.
		m.paged = true
		err = fmt.Errorf("the streaming list did not end, falling back to pages: %w", err)
	} else if m.cutStreams++; errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return m.fail(err)
}

// refuse rejects a list that cannot be used.
func (m *machine) refuse(v wire.Version) (action, bool) {
	if v == 0 {
		return m.fail(errNoVersion), true
	}
	if m.highestListed > v && m.detectUnordered() && m.health.Synced {
		return m.fail(errUnordered), true // the events of the list were already compared by version
	}
	if v < m.highest && m.health.Order == delta.ByVersion {
		if m.olderLists++; m.olderLists < maxOlderLists {
			return m.fail(fmt.Errorf("%w: version %s after %s", errOlder, v, m.highest)), true
		}
	}
	return action{}, false
}

// complete ends a list at version v and begins the watch, on the same stream or on a new
// one that begins exactly at v.
func (m *machine) complete(v wire.Version, next state) (action, delta.Delta) {
	m.version, m.highest, m.olderLists, m.unnamedLists = v, v, 0, 0
	m.watched, m.afterList, m.cutStreams, m.lostTokens = false, true, 0, 0
	m.list = pages{}
	m.progress()
	m.health.Synced, m.health.Version, m.health.Remaining = true, v, 0
	if m.health.LastGap.From != 0 && m.health.LastGap.To == 0 {
		m.health.LastGap.To = v
	}
	end := delta.Delta{Kind: delta.End, Version: v}
	if next == openWatch {
		return m.enter(openWatch), end
	}
	m.state = inWatch
	m.health.Phase = Watching
	return m.read(), end
}

// stepList handles the objects of a page.
func (m *machine) stepList(in *input) (action, delta.Delta) {
	if err := m.stray(in); err != nil {
		return m.skipStray(err)
	}
	switch in.kind {
	case inItem:
		m.health.Listed++
		m.listed(in.rec.Version)
		m.list.item(in.rec.Key)
		return m.read(), delta.Delta{Kind: delta.Upsert, Version: in.rec.Version, Record: in.rec}
	case inInvalid:
		return m.listUnusable(in.err, m.read())
	case inPageEnd:
		m.health.Remaining = in.meta.Remaining
		if in.meta.Continue != "" {
			return m.nextPage(in.meta.Continue), delta.Delta{}
		}
		if a, refused := m.refuse(in.meta.Version); refused {
			return a, delta.Delta{}
		}
		return m.complete(in.meta.Version, openWatch)
	}
	return m.fail(in.err), delta.Delta{}
}

// nextPage continues after a complete page.
func (m *machine) nextPage(token string) action {
	further, err := m.list.close(token)
	m.token = token
	if err == errRepeatedPage {
		m.token = ""
		m.lostTokens++
	}
	if further {
		m.progress()
	}
	if err != nil {
		return m.fail(err)
	}
	return m.enter(openList)
}

// stepWatch handles the events of a watch.
func (m *machine) stepWatch(in *input) (action, delta.Delta) {
	long := m.noteDuration(in.lasted)
	if err := m.stray(in); err != nil {
		return m.skipStray(err)
	}
	switch in.kind {
	case inEvent:
		if in.event.Type != wire.Error {
			return m.watchEvent(&in.event)
		}
		in.err = statusError(&in.event)
	case inInvalid:
		m.lastUnusable = in.err
		d := m.unusable(in.err)
		if d.Version > m.version { // a repeated version is not progress
			m.reach(d.Version)
		}
		return m.read(), d
	}
	m.health.Restarts++
	m.afterList = false
	if !long {
		m.briefWatches++
	}
	switch {
	case m.mayHaveMissed() && long && (in.err == io.EOF || errors.Is(in.err, errIdle)):
		return m.relist(), delta.Delta{}
	case errors.Is(in.err, errIdle) && long:
		return m.begin(), delta.Delta{} // a new request shows whether the server is unreachable or only has no events
	case in.err != io.EOF:
		return m.fail(in.err), delta.Delta{}
	case m.productive && m.briefWatches <= maxBriefWatches && !m.mayHaveMissed():
		return m.begin(), delta.Delta{} // the server ended the watch normally
	}
	return m.fail(m.shortLived(in.lasted)), delta.Delta{}
}

// shortLived returns the fault for a watch that the server ended too soon.
func (m *machine) shortLived(lasted time.Duration) error {
	lasted = lasted.Round(time.Millisecond)
	if m.productive {
		return stalledError(fmt.Sprintf("the server ends every watch early, the last after %v", lasted))
	}
	err := error(stalledError(fmt.Sprintf("the server ended the watch after %v, and it brought nothing new", lasted)))
	if m.lastUnusable != nil {
		err = fmt.Errorf("%w; its last event could not be used: %w", err, m.lastUnusable)
	}
	return err
}

func (m *machine) watchEvent(ev *wire.Event) (action, delta.Delta) {
	v := ev.Record.Version
	switch {
	case v > m.version:
		m.reach(v)
	case ev.Type != wire.Bookmark:
		m.health.OutOfOrder++ // the store decides for each object
		if m.detectUnordered() && m.mayHaveMissed() {
			return m.relist(), delta.Delta{}
		}
		if m.health.Order == delta.ByArrival {
			m.progress()
		}
	}
	switch ev.Type {
	case wire.Deleted:
		return m.read(), delta.Delta{Kind: delta.Delete, Version: v, Record: ev.Record}
	case wire.Bookmark:
		return m.read(), delta.Delta{Kind: delta.Bookmark, Version: m.version}
	}
	return m.read(), delta.Delta{Kind: delta.Upsert, Version: v, Record: ev.Record}
}
