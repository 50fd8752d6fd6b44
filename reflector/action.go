package reflector

import (
	"time"

	"github.com/vedette-io/vedette/wire"
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
	lasted time.Duration // how long the body has been open, or how long the request took that failed
	waited time.Duration // the part of lasted in which the reflector waited for the server
	early  bool          // inElapsed: the wait ended early
	order  ordering      // inOpened: the order according to the source
}

// heard reports whether the server has sent a record, an event or the end of a page.
func (in *input) heard() bool {
	switch in.kind {
	case inItem, inPageEnd, inEvent, inInvalid:
		return true
	}
	return false
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
	short   bool          // doWatch: for shortWatchTimeout only
	token   string        // doList: continue token of the page
	limit   int64         // doList: objects on a page, 0 for all
	wait    time.Duration // all but doEnd: the time for the answer, for the next record, or between two attempts
	early   time.Duration // doWait: minimum wait if another request recovers; 0: no early end
	late    time.Duration // after which silence is a fault; 0: never
	err     error         // doEnd: what Run returns
}

// ordering is the known order of versions.
type ordering uint8

const (
	orderUnknown ordering = iota
	orderSure             // versions are ordered
	orderNone             // versions are not ordered
)
