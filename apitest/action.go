package apitest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action is what a fault does. The functions of this file make them; the zero value is none.
type Action struct {
	kind    actionKind
	cut     CutKind
	garbage GarbageKind
	delay   time.Duration
	by      uint64
	status  metav1.Status
}

type actionKind int

const (
	actNothing actionKind = iota
	actRespond
	actHang
	actNoEndBookmark
	actCut
	actStall
	actDelay
	actGarbage
	actInStreamError
	actBackwards
)

// CutKind is the way a connection ends.
type CutKind int

const (
	// CutClean ends the answer in order, between two frames of a watch or two items of a list: the client sees the end
	// of a watch as at its timeout, and of a list a body that is too short.
	CutClean CutKind = iota
	// CutReset resets the connection between two frames or items. Over TCP, what the client has not read yet may be lost.
	CutReset
	// CutMidFrame closes the connection in the middle of a frame or an item.
	CutMidFrame
)

// GarbageKind is what is wrong with what is sent.
type GarbageKind int

const (
	// GarbageObject is an event, or an item of a list, in order but for its object, which cannot be decoded.
	GarbageObject GarbageKind = iota
	// GarbageOtherKind is an event with a sound object of another type, at the current version; a list is of another
	// type altogether.
	GarbageOtherKind
	// GarbageEventType is an event of an unknown type with a sound object. On a list it is GarbageObject.
	GarbageEventType
	// GarbageFraming is bytes that are no frame, or no list, at all.
	GarbageFraming
)

// Respond answers a request of any verb with a Status, such as Failure(429, time.Second), and does nothing else.
// The seconds to wait are sent as the header Retry-After too.
func Respond(status metav1.Status) Action { return Action{kind: actRespond, status: status} }

// Hang takes a request of any verb and never answers, not even with headers, until Release, Close or the client ends
// it; after Release it is answered.
func Hang() Action { return Action{kind: actHang} }

// NoEndBookmark leaves out the bookmark that ends a streaming list; the watch goes on without it.
func NoEndBookmark() Action { return Action{kind: actNoEndBookmark} }

// Cut ends a watch or a list early. For the other verbs the request is carried out, and the connection ends, in the
// way of CutReset or otherwise closed, instead of the answer.
func Cut(how CutKind) Action { return Action{kind: actCut, cut: how} }

// Stall keeps a watch or a list silent, bookmarks included, until Release, Close or the client ends it. What happened
// meanwhile is sent after Release, if the window still has it. The other verbs hang.
func Stall() Action { return Action{kind: actStall} }

// Delay keeps a watch or a list silent for a while; the other verbs are carried out that much later.
func Delay(d time.Duration) Action { return Action{kind: actDelay, delay: d} }

// Garbage sends something unreadable: in addition to the events of a watch, or instead of an item of a list. It does
// nothing to other verbs.
func Garbage(what GarbageKind) Action { return Action{kind: actGarbage, garbage: what} }

// InStreamError ends a watch with an ERROR event that carries a Status, such as Failure(410, 0). A list is answered
// with the Status. It does nothing to other verbs.
func InStreamError(status metav1.Status) Action {
	return Action{kind: actInStreamError, status: status}
}

// Backwards sends an event whose version is lower, by as much, than that of the object sent last; a list claims to be
// that much older than it is. 0 means 1. It does nothing to other verbs.
func Backwards(by uint64) Action { return Action{kind: actBackwards, by: max(by, 1)} }

// atRequest reports whether the action concerns a request before it is answered.
func (a Action) atRequest(verb Verb) bool {
	switch a.kind {
	case actRespond, actHang:
		return true
	case actInStreamError:
		return verb == VerbList
	case actStall, actDelay, actCut:
		return verb != VerbList && verb != VerbWatch
	}
	return false
}

// inStream reports whether the action concerns a running watch.
func (a Action) inStream() bool {
	switch a.kind {
	case actCut, actStall, actDelay, actGarbage, actInStreamError, actBackwards:
		return true
	}
	return false
}

// inList reports whether the action concerns the body of a list.
func (a Action) inList() bool {
	switch a.kind {
	case actCut, actStall, actDelay, actGarbage, actBackwards:
		return true
	}
	return false
}
