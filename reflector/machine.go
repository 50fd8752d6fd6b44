package reflector

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// state is where the protocol stands.
type state uint8

const (
	openStream state = iota // a streaming list has been asked for
	inStream                // its initial events are arriving
	openList                // a page has been asked for
	inList                  // its objects are arriving
	openWatch               // a watch from a version has been asked for
	inWatch                 // its events are arriving
	waiting                 // until the next try
)

// inputKind is what the driver has to tell.
type inputKind uint8

const (
	inOpened  inputKind = iota + 1 // the request was granted, its body can be read
	inFailed                       // the request failed: err
	inItem                         // a list: rec
	inPageEnd                      // a list: the page is whole, meta
	inEvent                        // a watch: event
	inInvalid                      // an unusable object or event, err
	inBroken                       // the body can not be read on: err, io.EOF at a clean end
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

// actionKind is what the driver is to do next.
type actionKind uint8

const (
	doWatch actionKind = iota + 1 // open a watch
	doList                        // open a page of a list
	doRead                        // read on, at most for wait
	doWait                        // close what is open, and wait
	doEnd                         // stop: Run returns err
)

type action struct {
	kind    actionKind
	version wire.Version  // doWatch: where to start
	initial bool          // doWatch: a streaming list
	token   string        // doList: which page
	limit   int64         // doList: objects on a page, 0 for all
	wait    time.Duration // doRead, doWait
	early   time.Duration // doWait: minimum wait if another request recovers; 0: no early end
	late    time.Duration // doRead: after which silence is a fault; 0: never
	err     error         // doEnd: what Run returns
}

// lostTokens is how many times a list may lose its continue token before it is
// asked for whole: then it is too large for the server's compaction interval.
const lostTokens = 2

// cutStreams is how many streaming lists in a row may be cut before this list
// is fetched in pages: some proxies end every long response, and a busy server
// ends the streams of those whose buffers are full.
const cutStreams = 2

// olderLists is how many lists in a row may be older than what is known before
// the last is believed: one may come from a stale replica, but a cluster that
// was restored from a backup really is older, and stays so.
const olderLists = 3

// unnamedLists is the number of consecutive lists with an object whose key cannot be
// read. The machine rejects all but the last, because a list without the object would
// look like its deletion, and accepts the last without the object.
const unnamedLists = 3

// shortWatch is the minimum duration of a watch without progress. A shorter watch
// counts as a fault, even if the server ended it normally. If a shorter watch was
// requested, it must last half of the requested time.
const shortWatch = 5 * time.Second

// briefWatches is how many consecutive watches with progress may be shorter than
// shortWatch before the reflector waits between them.
const briefWatches = 3

// errOlder is the fault of a list that is older than what is known.
var errOlder error = stalledError("the list is older than what has been seen already")

// errNoVersion is the fault of a list that no watch can continue.
var errNoVersion error = stalledError("the list has no resourceVersion: this type cannot be watched")

// machine is the list and watch protocol without clock, socket or goroutine.
type machine struct {
	cfg    *Config
	jitter func() float64 // in [0, 1)

	state   state
	next    state        // waiting: what to try then
	version wire.Version // where a watch resumes, 0 if a list is needed
	highest wire.Version // of all that was handed on
	token   string       // page to ask for
	tries   [2]int       // faults since the last progress: quick, slow
	early   int          // early retries since the last progress
	lost    int          // continue tokens lost in this list
	cut     int          // streaming lists cut in a row
	older   int          // lists in a row that were older than known
	brief   int          // consecutive short watches
	unnamed int          // consecutive lists with an unnamed object
	paged   bool         // the server takes no streaming lists
	worth   bool         // the data being read has brought progress
	barren  bool         // the data read last brought no progress: its fault stays until there is some
	watched bool         // a watch has advanced the version since the last list, or in an earlier run
	relists int          // lists after the first, since a watch has lasted
	ordered bool         // the source says that versions are ordered
	direct  bool         // no watch has ended since the last list
	top     wire.Version // largest version of an object in this list
	odd     error        // error of the last unusable event of this stream
	list    pages

	health Health
}

func newMachine(cfg *Config, jitter func() float64) *machine {
	return &machine{cfg: cfg, jitter: jitter}
}

// resume makes a version that was reached before the place to start from.
func (m *machine) resume(v wire.Version) {
	if v != 0 {
		m.version, m.highest, m.watched = v, v, true
		m.health.Version, m.health.Synced = v, true
	}
}

// start returns the first action.
func (m *machine) start() action { return m.begin() }

// step takes an input and returns what to do next, and the delta to hand on
// before; its Kind is zero where there is none.
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
		m.early++
	}
	return m.goTo(m.next), delta.Delta{}
}

// begin decides how to start or start over.
func (m *machine) begin() action {
	if m.version != 0 {
		return m.goTo(openWatch)
	}
	m.token, m.lost = "", 0
	if m.paged || m.cut >= cutStreams {
		return m.goTo(openList)
	}
	return m.goTo(openStream)
}

// goTo enters a state that asks the server for something.
func (m *machine) goTo(s state) action {
	m.state, m.worth, m.odd = s, false, nil
	switch s {
	case openStream:
		m.health.Phase = Listing
		return action{kind: doWatch, initial: true}
	case openList:
		m.health.Phase = Listing
		m.list.open(m.token)
		limit := m.cfg.PageSize
		if m.lost >= lostTokens {
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
		return action{kind: doRead, wait: m.cfg.EndBookmarkTimeout, late: m.cfg.SlowAnswer}
	case inWatch:
		return action{kind: doRead, wait: m.cfg.IdleTimeout}
	}
	return action{kind: doRead, wait: m.cfg.IdleTimeout, late: m.cfg.SlowAnswer}
}

// stepOpen takes the answer to a request.
func (m *machine) stepOpen(in *input) (action, delta.Delta) {
	if in.kind != inOpened {
		return m.fail(in.err), delta.Delta{}
	}
	if !m.barren {
		m.well()
	}
	m.learn(in.order)
	switch m.state {
	case openStream:
		m.state = inStream
		m.health.Listed, m.health.Remaining, m.top = 0, 0, 0
		return m.read(), delta.Delta{Kind: delta.Begin}
	case openList:
		m.state = inList
		if m.token != "" {
			return m.read(), delta.Delta{}
		}
		m.health.Listed, m.health.Remaining, m.top = 0, 0, 0
		return m.read(), delta.Delta{Kind: delta.Begin}
	}
	m.state = inWatch
	if m.gapped() {
		return m.listAgain(), delta.Delta{}
	}
	m.health.Phase = Watching
	return m.read(), delta.Delta{}
}

// well clears the current fault.
func (m *machine) well() {
	m.barren = false
	m.health.Err, m.health.Fault = nil, NoFault
}

// progress records progress: the version has advanced, a list has come further than
// before, or a watch has lasted. Only progress ends a fault in the data and resets the
// backoff.
func (m *machine) progress() {
	m.worth, m.tries, m.early = true, [2]int{}, 0
	if m.brief >= briefWatches {
		m.tries[0] = 1
	}
	m.well()
}

// lasts records how long a watch has lasted so far, and reports whether that is long
// enough.
func (m *machine) lasts(d time.Duration) bool {
	if d < min(shortWatch, m.cfg.WatchTimeout/2) {
		return false
	}
	m.brief, m.relists = 0, 0
	m.progress()
	return true
}

// stepStream takes the initial events of a streaming list.
func (m *machine) stepStream(in *input) (action, delta.Delta) {
	if in.kind != inBroken && in.lasted > m.cfg.StreamTimeout {
		*in = input{kind: inBroken, err: errIdle}
	}
	if err := m.stray(in); err != nil {
		return m.skip(err)
	}
	read := action{kind: doRead, wait: m.cfg.EndBookmarkTimeout}
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

// streamFault takes the end of a streaming list that is not complete.
func (m *machine) streamFault(in *input) action {
	err := in.err
	if errors.Is(err, errIdle) {
		// The server took the request for an ordinary watch.
		m.paged = true
		err = fmt.Errorf("the streaming list did not end, falling back to pages: %w", err)
	} else if m.cut++; errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return m.fail(err)
}

// refuse turns down a list that can not be used as it is.
func (m *machine) refuse(v wire.Version) (action, bool) {
	if v == 0 {
		return m.fail(errNoVersion), true
	}
	if m.top > v && m.doubts() && m.health.Synced {
		return m.fail(errUnordered), true // the event was already compared by version
	}
	if v < m.highest && m.health.Order == delta.ByVersion {
		if m.older++; m.older < olderLists {
			return m.fail(fmt.Errorf("%w: version %s after %s", errOlder, v, m.highest)), true
		}
	}
	return action{}, false
}

// complete ends a list at version v and goes on watching: on the same stream,
// or on one that starts exactly there.
func (m *machine) complete(v wire.Version, next state) (action, delta.Delta) {
	m.version, m.highest, m.older, m.unnamed = v, v, 0, 0
	m.watched, m.direct, m.cut, m.lost = false, true, 0, 0
	m.list = pages{}
	m.progress()
	m.health.Synced, m.health.Version, m.health.Remaining = true, v, 0
	if m.health.LastGap.From != 0 && m.health.LastGap.To == 0 {
		m.health.LastGap.To = v
	}
	end := delta.Delta{Kind: delta.End, Version: v}
	if next == openWatch {
		return m.goTo(openWatch), end
	}
	m.state = inWatch
	m.health.Phase = Watching
	return m.read(), end
}

// stepList takes the objects of a page.
func (m *machine) stepList(in *input) (action, delta.Delta) {
	if err := m.stray(in); err != nil {
		return m.skip(err)
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
	if err == errPageAgain {
		m.token = ""
		m.lost++
	}
	if further {
		m.progress()
	}
	if err != nil {
		return m.fail(err)
	}
	return m.goTo(openList)
}

// stepWatch takes the events of a watch.
func (m *machine) stepWatch(in *input) (action, delta.Delta) {
	long := m.lasts(in.lasted)
	if err := m.stray(in); err != nil {
		return m.skip(err)
	}
	switch in.kind {
	case inEvent:
		if in.event.Type != wire.Error {
			return m.watchEvent(&in.event)
		}
		in.err = statusError(&in.event)
	case inInvalid:
		m.odd = in.err
		d := m.unusable(in.err)
		if d.Version > m.version { // a repeated version is no progress
			m.reach(d.Version)
		}
		return m.read(), d
	}
	m.health.Restarts++
	m.direct = false
	if !long {
		m.brief++
	}
	switch {
	case m.gapped() && long && (in.err == io.EOF || errors.Is(in.err, errIdle)):
		return m.listAgain(), delta.Delta{}
	case errors.Is(in.err, errIdle) && long:
		return m.begin(), delta.Delta{} // all is quiet, or all is lost: asking tells
	case in.err != io.EOF:
		return m.fail(in.err), delta.Delta{}
	case m.worth && m.brief <= briefWatches && !m.gapped():
		return m.begin(), delta.Delta{} // the server ended the watch normally
	}
	return m.fail(m.shortLived(in.lasted)), delta.Delta{}
}

// shortLived returns the fault for a watch that the server ended too soon.
func (m *machine) shortLived(lasted time.Duration) error {
	lasted = lasted.Round(time.Millisecond)
	if m.worth {
		return stalledError(fmt.Sprintf("the server ends every watch early, the last after %v", lasted))
	}
	err := error(stalledError(fmt.Sprintf("the server ended the watch after %v, and it brought nothing new", lasted)))
	if m.odd != nil {
		err = fmt.Errorf("%w; its last event could not be used: %w", err, m.odd)
	}
	return err
}

func (m *machine) watchEvent(ev *wire.Event) (action, delta.Delta) {
	v := ev.Record.Version
	switch {
	case v > m.version:
		m.reach(v)
	case ev.Type != wire.Bookmark:
		m.health.OutOfOrder++ // the store decides, object by object
		if m.doubts() && m.gapped() {
			return m.listAgain(), delta.Delta{}
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
