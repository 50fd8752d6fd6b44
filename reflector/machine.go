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
	openProbe               // a list was requested only for its version
	inProbe                 // its objects are arriving
	waiting                 // until the next attempt
)

// maxLostTokens is how often a list may lose its continue token before it is requested in
// one page: it is then too large for the server's compaction interval.
const maxLostTokens = 2

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
	olderLists    int           // consecutive lists older than the last version seen
	briefWatches  int           // consecutive short watches
	unnamedLists  int           // consecutive lists with an unnamed object
	streamed      time.Duration // how long the current streaming list has waited for the server
	productive    bool          // the current body has brought progress
	unproductive  bool          // the last body made no progress; its fault stays until there is progress
	watched       bool          // a watch has advanced the version since the last list, or in an earlier run
	relists       int           // relists since a watch has lasted
	ordered       bool          // the source reports that versions are ordered
	afterList     bool          // no watch has ended since the last list
	highestListed wire.Version  // largest version of an object in this list
	lastUnusable  error         // error of the last unusable event of this stream
	list          pages
	begun         bool // the sink has the Begin of a list that is not complete
	abandoned     bool // the machine has given up that list, and the sink does not know yet
	ladder        ladder
	took          time.Duration // how long the failed requests of this round took
	sent          int           // requests of this round
	idle          time.Duration // the current watch may be silent for so long

	health Health
}

func newMachine(cfg *Config, jitter func() float64) *machine {
	return &machine{cfg: cfg, random: jitter, ladder: ladder{streams: cfg.Streaming == PreferStreaming}}
}

// resume sets the version at which the first watch begins.
func (m *machine) resume(v wire.Version) {
	if v != 0 && !v.Opaque() {
		m.version, m.highest, m.watched = v, v, true
		m.health.Version, m.health.Synced = v, true
	}
}

// start returns the first action.
func (m *machine) start() action { return m.begin() }

// step takes an input. It returns the next action, and the delta to deliver before it. The
// Kind of the delta is zero if there is none.
func (m *machine) step(in *input) (action, delta.Delta) {
	next, d := m.react(in)
	if m.abandoned {
		m.abandoned, m.begun = false, false
		d = delta.Delta{Kind: delta.Abandon} // an abandoned list has nothing else to deliver
	}
	m.health.Means, m.health.Reason = m.ladder.position()
	return next, d
}

func (m *machine) react(in *input) (action, delta.Delta) {
	switch m.state {
	case openStream, openList, openWatch, openProbe:
		return m.stepOpen(in)
	case inStream:
		return m.stepStream(in)
	case inList:
		return m.stepList(in)
	case inWatch:
		return m.stepWatch(in)
	case inProbe:
		return m.stepProbe(in), delta.Delta{}
	}
	if in.early {
		m.earlyRetries++
	}
	return m.enter(m.afterRestart(m.next)), delta.Delta{}
}

// begin returns the first action of a run or of a round: a watch, or a list if no version
// is known.
func (m *machine) begin() action {
	if m.version != 0 {
		return m.enter(openWatch)
	}
	return m.beginList(m.ladder.firstForm())
}

// beginList begins a list in one of its forms.
func (m *machine) beginList(form Means) action {
	return m.enter(m.prepareList(form))
}

// prepareList prepares a list in one of its forms, and returns the state that requests it.
func (m *machine) prepareList(form Means) state {
	m.token, m.lostTokens = "", 0
	if m.ladder.begin(form); form == Stream {
		return openStream
	}
	return openList
}

// enter enters a state that sends a request.
func (m *machine) enter(s state) action {
	m.state, m.productive, m.lastUnusable = s, false, nil
	m.sent++
	m.ladder.checking = m.ladder.checking && s == openProbe
	switch s {
	case openStream:
		m.health.Phase = Listing
		return action{kind: doWatch, initial: true, wait: 2 * m.cfg.EndBookmarkTimeout, late: m.cfg.SlowAnswer}
	case openList:
		m.health.Phase = Listing
		m.list.open(m.token)
		if m.lostTokens >= maxLostTokens || m.ladder.form == OnePage {
			return action{kind: doList, token: m.token, wait: m.cfg.IdleTimeout, late: m.cfg.SlowAnswer}
		}
		return action{kind: doList, token: m.token, limit: m.cfg.PageSize, wait: m.pageSilence(), late: m.cfg.SlowAnswer}
	case openProbe:
		return action{kind: doList, limit: 1, wait: m.probeSilence(), late: m.cfg.SlowAnswer}
	default:
		m.drawSilence()
		if m.ladder.short > 1 { // a proxy holds back the answer to the end
			return action{kind: doWatch, version: m.version, short: true, wait: m.answerTimeout()}
		}
		return action{kind: doWatch, version: m.version, short: m.ladder.short > 0, wait: m.answerTimeout(), late: m.cfg.SlowAnswer}
	}
}

func (m *machine) read() action {
	switch m.state {
	case inStream:
		return m.readStream(m.cfg.SlowAnswer)
	case inWatch:
		return action{kind: doRead, wait: m.silence()}
	}
	return action{kind: doRead, wait: m.pageSilence(), late: m.cfg.SlowAnswer}
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
		return m.fail(in), delta.Delta{}
	}
	if m.state == openProbe {
		m.state = inProbe
		return m.read(), delta.Delta{}
	}
	if m.state != openWatch && m.ladder.worksAgain() {
		return m.begin(), delta.Delta{}
	}
	if !m.unproductive {
		m.clearFault()
	}
	m.setOrder(in.order)
	switch m.state {
	case openStream:
		m.state, m.streamed = inStream, in.waited
		return m.beginDelta()
	case openList:
		m.state = inList
		if m.token != "" {
			return m.read(), delta.Delta{}
		}
		return m.beginDelta()
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
	m.productive, m.attempts, m.earlyRetries, m.took, m.sent = true, [2]int{}, 0, 0, 0
	if m.briefWatches >= maxBriefWatches {
		m.attempts[0] = 1
	}
	m.clearFault()
}

// beginDelta begins the replacement of the objects.
func (m *machine) beginDelta() (action, delta.Delta) {
	m.health.Listed, m.health.Remaining, m.highestListed, m.begun = 0, 0, 0, true
	m.drawSilence()
	return m.read(), delta.Delta{Kind: delta.Begin}
}

// stepStream handles the initial events of a streaming list.
func (m *machine) stepStream(in *input) (action, delta.Delta) {
	if in.kind != inBroken && in.waited > m.cfg.StreamTimeout {
		*in = input{kind: inBroken, err: errIdle}
	}
	m.streamed = in.waited
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
	switch {
	case errors.Is(in.err, errIdle): // the server took the request for an ordinary watch
		in.err = fmt.Errorf("the streaming list did not end: %w", in.err)
	case errors.Is(in.err, io.EOF):
		in.err = io.ErrUnexpectedEOF
	}
	return m.fail(in)
}

// refuse rejects a list that cannot be used.
func (m *machine) refuse(v wire.Version) (action, bool) {
	m.seen(v)
	if v == 0 {
		return m.failWith(errNoVersion), true
	}
	if m.highestListed > v && m.detectUnordered() && m.health.Synced {
		return m.failWith(errUnordered), true // the events of the list were already compared by version
	}
	if v < m.highest && m.health.Order == delta.ByVersion {
		err := fmt.Errorf("%w: version %s after %s", errOlder, v, m.highest)
		if m.olderLists++; m.olderLists < maxOlderLists {
			return m.failWith(err), true
		}
		if m.cfg.Lists == EndIfRestored {
			return m.endRestored(err), true
		}
	}
	return action{}, false
}

// complete ends a list at version v and begins the watch, on the same stream or on a new
// one that begins exactly at v.
func (m *machine) complete(v wire.Version, next state) (action, delta.Delta) {
	before := m.version
	m.version, m.highest, m.olderLists, m.unnamedLists = v, v, 0, 0
	m.watched, m.afterList, m.lostTokens, m.begun = false, true, 0, false
	m.list = pages{}
	m.progress()
	m.health.Synced, m.health.Version, m.health.Remaining = true, v, 0
	m.listCompleted(before)
	if m.health.LastGap.From != 0 && m.health.LastGap.To == 0 {
		m.health.LastGap.To = v
	}
	end := delta.Delta{Kind: delta.End, Version: v}
	if next == openWatch || m.ladder.short > 0 { // the watch that follows on a stream is a long one
		return m.afterListed(), end
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
	return m.fail(in), delta.Delta{}
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
		m.ladder.listFaults = 0
		m.progress()
	}
	if err != nil {
		return m.failWith(err)
	}
	return m.enter(openList)
}

// noteDuration records how long a watch has lasted so far, and reports whether that is long
// enough. A watch that breaks without having brought anything proves nothing.
func (m *machine) noteDuration(in *input) bool {
	if in.lasted < min(shortWatch, m.cfg.WatchTimeout/2) {
		return false
	}
	if in.kind != inBroken || in.err == io.EOF || m.ladder.heard {
		m.briefWatches, m.relists = 0, 0
		m.progress()
	}
	return true
}

// stepWatch handles the events of a watch.
func (m *machine) stepWatch(in *input) (action, delta.Delta) {
	long := m.noteDuration(in)
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
	ended := in.err == io.EOF
	switch {
	case m.mayHaveMissed() && long && (ended || errors.Is(in.err, errIdle)):
		return m.relist(), delta.Delta{}
	case errors.Is(in.err, errIdle) && long:
		return m.silent(in), delta.Delta{}
	case ended && m.ladder.silentToo():
		in.err = errDeaf
		return m.fail(in), delta.Delta{}
	case !ended:
		return m.fail(in), delta.Delta{}
	case m.productive && m.briefWatches <= maxBriefWatches && !m.mayHaveMissed():
		m.ladder.ended(long)
		return m.begin(), delta.Delta{} // the server ended the watch normally
	}
	in.err = m.shortLived(in.lasted)
	return m.fail(in), delta.Delta{}
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
	m.seen(v)
	m.ladder.bookmarks = m.ladder.bookmarks || ev.Type == wire.Bookmark
	switch {
	case v > m.version:
		m.reach(v)
	case ev.Type == wire.Bookmark && v == m.version:
		m.ladder.follows(false) // the watch is alive
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
