package controller

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// TestActivityIsBounded: a controller remembers a bounded number of reconciles and failing keys,
// and a success forgets the failure of its key.
func TestActivityIsBounded(t *testing.T) {
	var l activityLog
	at := time.Now()
	key := func(i int) wire.Key { return wire.Key{Namespace: "ml", Name: fmt.Sprint(i)} }
	for i := range 10 * MaxFailing {
		l.record(&reconcile{key: key(i), attempt: 1, start: at.Add(time.Duration(i))}, Failed, errors.New(strings.Repeat("x", 1<<20)))
	}
	a := l.activity()
	if len(a.Ended) != MaxEnded || len(a.Failing) != MaxFailing || a.Others != 9*MaxFailing {
		t.Fatalf("got %d reconciles, %d failing keys and %d others", len(a.Ended), len(a.Failing), a.Others)
	}
	if a.Ended[0].Key != key(10*MaxFailing-1) || len(a.Ended[0].Err) > 2*maxErrText {
		t.Errorf("the newest is %v, with an error of %d bytes", a.Ended[0].Key, len(a.Ended[0].Err))
	}
	last := a.Failing[0].Key
	l.record(&reconcile{key: last, start: at}, Done, nil)
	if a = l.activity(); len(a.Failing) != MaxFailing-1 || a.Ended[0].Outcome != Done {
		t.Errorf("after a success: got %d failing keys and %v", len(a.Failing), a.Ended[0])
	}
}

// TestActivityAllocatesNothing: a reconcile that succeeds costs no memory.
func TestActivityAllocatesNothing(t *testing.T) {
	l, r := new(activityLog), &reconcile{key: wire.Key{Namespace: "ml", Name: "a"}, start: time.Now(), reasons: []Reason{{Cause: Updated}}}
	if n := testing.AllocsPerRun(1000, func() { l.record(r, Done, nil) }); n != 0 {
		t.Errorf("got %v allocations for each reconcile, want none", n)
	}
}

// panicking is an error whose method panics.
type panicking struct{}

// Error implements error.
func (*panicking) Error() string { panic("no text") }

// TestErrTextOfPanic: an error whose method panics becomes text.
func TestErrTextOfPanic(t *testing.T) {
	if got := errText(new(panicking)); !strings.Contains(got, "no text") {
		t.Errorf("got %q", got)
	}
}
