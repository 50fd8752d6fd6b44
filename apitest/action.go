package apitest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action is the effect of a fault. The functions of this file create actions; the zero value is not an action.
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

// CutKind is how a connection ends.
type CutKind int

const (
	// CutClean ends the response regularly, between two frames of a watch or two items of a list. The client sees the
	// end of a watch as at its timeout, and an incomplete body of a list.
	CutClean CutKind = iota
	// CutReset resets the connection between two frames or items. Over TCP, what the client has not read yet may be lost.
	CutReset
	// CutMidFrame closes the connection in the middle of a frame or an item.
	CutMidFrame
)

// GarbageKind is the defect of a garbage frame or item.
type GarbageKind int

const (
	// GarbageObject is a regular event, or item of a list, whose object cannot be decoded.
	GarbageObject GarbageKind = iota
	// GarbageOtherKind is an event with a valid object of another type, at the current version; a list is a list of
	// another type.
	GarbageOtherKind
	// GarbageEventType is an event of an unknown type with a valid object. For a list it is the same as GarbageObject.
	GarbageEventType
	// GarbageFraming is a sequence of bytes that is not a frame, or not a list.
	GarbageFraming
)

// Respond answers a request of any verb with a Status, such as Failure(429, time.Second), without executing the
// request. The time to wait is also sent in the header Retry-After.
func Respond(status metav1.Status) Action { return Action{kind: actRespond, status: status} }

// Hang accepts a request of any verb and sends nothing, not even headers, until Release, Close or the client ends it.
// After Release the request is executed.
func Hang() Action { return Action{kind: actHang} }

// NoEndBookmark leaves out the bookmark that ends a streaming list; the watch continues without it.
func NoEndBookmark() Action { return Action{kind: actNoEndBookmark} }

// Cut ends a watch or a list early. For other verbs the request is executed, but instead of the response the client
// sees its connection reset (CutReset) or closed.
func Cut(how CutKind) Action { return Action{kind: actCut, cut: how} }

// Stall sends nothing on a watch or a list, not even bookmarks, until Release, Close or the client ends it. After
// Release the events of the meantime are sent, if the window still has them. Requests of other verbs hang.
func Stall() Action { return Action{kind: actStall} }

// Delay sends nothing on a watch or a list for a time; requests of other verbs are executed after that time.
func Delay(d time.Duration) Action { return Action{kind: actDelay, delay: d} }

// Garbage sends invalid data: in addition to the events of a watch, or instead of an item of a list. It does nothing to
// other verbs.
func Garbage(what GarbageKind) Action { return Action{kind: actGarbage, garbage: what} }

// InStreamError ends a watch with an ERROR event that carries a Status, such as Failure(410, 0). A list is answered
// with the Status. It does nothing to other verbs.
func InStreamError(status metav1.Status) Action {
	return Action{kind: actInStreamError, status: status}
}

// Backwards sends an event whose version is lower than the version of the last object by a number; the version of a
// list is lower by the same number. 0 means 1. It does nothing to other verbs, and nothing before the first object of a
// streaming list, because a client could not tell the invented object from one of the list.
func Backwards(by uint64) Action { return Action{kind: actBackwards, by: max(by, 1)} }

// atRequest reports whether the action applies to a request before it is answered.
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

// inStream reports whether the action applies to a running watch.
func (a Action) inStream() bool {
	switch a.kind {
	case actCut, actStall, actDelay, actGarbage, actInStreamError, actBackwards:
		return true
	}
	return false
}

// inList reports whether the action applies to the body of a list.
func (a Action) inList() bool {
	switch a.kind {
	case actCut, actStall, actDelay, actGarbage, actBackwards:
		return true
	}
	return false
}
