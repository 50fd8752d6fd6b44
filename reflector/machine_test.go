package reflector

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

var resource = schema.GroupResource{Resource: "pods"}

func TestClassify(t *testing.T) {
	status := func(code int32, reason metav1.StatusReason, cause metav1.CauseType) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: code, Reason: reason,
			Details: &metav1.StatusDetails{RetryAfterSeconds: 3, Causes: []metav1.StatusCause{{Type: cause}}},
		}}
	}
	for _, c := range []struct {
		err   error
		fault Fault
		wait  time.Duration
	}{
		{io.ErrUnexpectedEOF, Unreachable, 0},
		{status(500, metav1.StatusReasonInternalError, ""), Unreachable, 3 * time.Second},
		{status(503, metav1.StatusReasonServiceUnavailable, ""), Unreachable, 3 * time.Second},
		{status(429, metav1.StatusReasonTooManyRequests, ""), Throttled, 3 * time.Second},
		{status(401, metav1.StatusReasonUnauthorized, ""), Denied, 3 * time.Second},
		{status(403, metav1.StatusReasonForbidden, ""), Denied, 3 * time.Second},
		{status(404, metav1.StatusReasonNotFound, ""), Absent, 3 * time.Second},
		{status(410, metav1.StatusReasonGone, ""), Expired, 3 * time.Second},
		{status(410, metav1.StatusReasonExpired, ""), Expired, 3 * time.Second},
		{status(400, metav1.StatusReasonBadRequest, ""), Unsupported, 3 * time.Second},
		{status(422, metav1.StatusReasonInvalid, ""), Unsupported, 3 * time.Second},
		{status(504, metav1.StatusReasonTimeout, ""), Unreachable, 3 * time.Second},
		{status(504, metav1.StatusReasonTimeout, metav1.CauseTypeResourceVersionTooLarge), Ahead, 3 * time.Second},
		{fmt.Errorf("watch pods: %w", status(410, metav1.StatusReasonExpired, "")), Expired, 3 * time.Second},
	} {
		if fault, wait := classify(c.err); fault != c.fault || wait != c.wait {
			t.Errorf("classify(%v): got %v, %v; want %v, %v", c.err, fault, wait, c.fault, c.wait)
		}
	}
}

func TestBackoffDoublesToItsBound(t *testing.T) {
	cfg, err := Config{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(&cfg, func() float64 { return 0.5 })
	last := time.Duration(0)
	for range 100 {
		d := m.backoff(Unreachable)
		if d < last || d > cfg.MaxBackoff*3/2 {
			t.Fatalf("attempt %v: got wait %v after %v, want at most %v", m.attempts, d, last, cfg.MaxBackoff)
		}
		last = d
		m.attempts[0]++
	}
	if want := cfg.MaxBackoff * 5 / 4; last != want {
		t.Errorf("got last wait %v, want the bound with its random part, %v", last, want)
	}
}

// TestMachineNeverSkips feeds random but possible answers of a server to the machine. The
// machine must send only requests that are allowed in its state, resume a watch exactly
// at the last version that it delivered, and never end a list that it did not begin.
func TestMachineNeverSkips(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		cfg, err := Config{}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(&cfg, func() float64 { return rapid.Float64Range(0, 0.99).Draw(t, "jitter") })
		next := m.start()
		server, begun, listed := wire.Version(10), false, wire.Version(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if next.kind == doWatch && !next.initial && next.version != listed {
				t.Fatalf("got a watch from %v, want the last version %v", next.version, listed)
			}
			in := randomInput(t, m, next, &server)
			var d delta.Delta
			next, d = m.step(in)
			switch d.Kind {
			case delta.Begin:
				begun = true
			case delta.Abandon:
				if !begun {
					t.Fatal("got Abandon without Begin")
				}
				begun = false
			case delta.End:
				if !begun {
					t.Fatal("got End without Begin")
				}
				begun, listed = false, d.Version
			case delta.Upsert, delta.Delete, delta.Bookmark, delta.Keep:
				if !begun {
					listed = max(listed, d.Version)
				}
			}
			if next.kind == doWait && next.wait > cfg.MaxBackoff*3 {
				t.Fatalf("got a wait of %v", next.wait)
			}
		}
		checkSourceEnds(t, m, next)
	})
}

// checkSourceEnds ends the source in the current state of the machine.
func checkSourceEnds(t *rapid.T, m *machine, next action) {
	if next.kind == doWait {
		next, _ = m.step(&input{kind: inElapsed})
	}
	in := &input{kind: inFailed, err: scriptError("ended", nil)}
	if next.kind == doRead {
		in.kind, in.lasted = inBroken, rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "lasted")
	}
	end, d := m.step(in)
	if end.kind != doEnd || end.err == nil || !errors.Is(end.err, ErrSourceEnded) || d.Kind != 0 {
		t.Fatalf("got %+v and %v after the end of the source in state %v", end, d.Kind, m.state)
	}
	if m.health.Phase != Stopped || m.health.Err != end.err || m.health.Fault != NoFault {
		t.Fatalf("got health %+v after the end of the source", m.health)
	}
}

func randomInput(t *rapid.T, m *machine, a action, server *wire.Version) *input {
	if a.kind == doWait {
		return &input{kind: inElapsed}
	}
	words := []string{"500", "410", "429", "403", "404", "422", "ahead", "reset"}
	fault := scriptError(rapid.SampledFrom(words).Draw(t, "fault"), nil)
	if rapid.IntRange(0, 9).Draw(t, "luck") == 0 {
		if a.kind == doRead {
			return &input{kind: inBroken, err: rapid.SampledFrom([]error{io.EOF, io.ErrUnexpectedEOF, errIdle}).Draw(t, "broken")}
		}
		return &input{kind: inFailed, err: fault}
	}
	if a.kind != doRead {
		return &input{kind: inOpened}
	}
	*server++
	rec := wire.Record{Key: wire.Key{Name: "x"}, Version: *server}
	if rapid.IntRange(0, 5).Draw(t, "usable") == 0 {
		e := &wire.InvalidError{Key: rec.Key, Version: rapid.SampledFrom([]wire.Version{0, 5, *server}).Draw(t, "version")}
		e.Event = rapid.SampledFrom([]wire.EventType{0, wire.Added, wire.Deleted, wire.Bookmark, wire.Error}).Draw(t, "unusable")
		return &input{kind: inInvalid, err: e}
	}
	if m.state == inList {
		if rapid.Bool().Draw(t, "more") {
			return &input{kind: inItem, rec: rec}
		}
		token := rapid.SampledFrom([]string{"", "next"}).Draw(t, "token")
		return &input{kind: inPageEnd, meta: wire.ListMeta{Version: *server, Continue: token}}
	}
	kind := rapid.SampledFrom([]wire.EventType{wire.Added, wire.Modified, wire.Deleted, wire.Bookmark}).Draw(t, "event")
	return &input{kind: inEvent, event: wire.Event{Type: kind, Record: rec, InitialEventsEnd: kind == wire.Bookmark}}
}
