package faultlog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// at is one check of a thing, with the expected line.
type at struct {
	second float64
	state  State
	want   string // "" for no line
}

func bad(kind, text string) State { return State{Kind: kind, Err: errors.New(text)} }

func TestHistory(t *testing.T) {
	refused := State{Kind: "unreachable", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	for name, script := range map[string][]at{
		"a thing that is well": {{0, State{}, ""}, {9, State{}, ""}},
		"one fault": {
			{0, refused, "connection refused"},
			{1, refused, ""},
			{60, refused, ""},
			{75.5, State{}, "again at 1m16.5s"},
			{76.5, State{}, "over after 1m15.5s"},
			{77, State{}, ""},
		},
		"a fault that becomes another one": {
			{0, refused, "connection refused"},
			{2, bad("denied", "no rights"), "no rights"},
			{3, bad("absent", "no rights"), "no rights"},
			{4, State{}, "again at 5s"},
			{5, State{}, "over after 4s"},
		},
		"two faults, the second for less long": {
			{0, refused, "connection refused"},
			{5, State{}, "again at 6s"},
			{6, State{}, "over after 5s"},
			{7, refused, "connection refused"},
			{8, State{}, "again at 9s"},
			{9.5, State{}, "over after 1s"},
		},
		"well between two tries, but not for long": {
			{0, refused, "connection refused"},
			{1, State{}, "again at 2s"},
			{1.1, refused, ""},
			{3, State{}, "again at 4s"},
			{3.1, refused, ""},
			{8, State{}, "again at 9s"},
			{9, State{}, "over after 8s, 4 unsaid"},
		},
		"errors that differ in numbers": {
			{0, bad("unreachable", "read 10.0.0.1:31872: reset"), "reset"}, {1, bad("unreachable", "read 10.0.0.1:9: reset"), ""},
		},
		"ways to say that nothing is answered": {
			{0, bad("unreachable", "a reset"), "a reset"},
			{1, State{Kind: "unreachable", Err: fmt.Errorf("list: %w", context.DeadlineExceeded)}, "deadline"},
			{2, State{Kind: "unreachable", Err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}}, ""},
			{3, State{Kind: "unreachable", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, "no such host"},
		},
		"too many, and then a state that stays": {
			{0, bad("x", "a"), "a"},
			{1, bad("x", "b"), "b"},
			{2, bad("x", "a"), "a"},
			{3, bad("x", "b"), "b"},
			{4, bad("x", "a"), "a"},
			{5, bad("x", "b"), "b"},
			{6, bad("x", "a"), "again at 1m0s"},
			{7, State{}, "again at 8s"},
			{8, bad("x", "c"), "again at 1m0s"},
			{60, bad("x", "c"), "c, 2 unsaid"},
			{62, State{}, "again at 1m3s"},
			{63, State{}, "over after 1m2s"},
		},
		"too many, and then all is well": {
			{0, bad("x", "a"), "a"},
			{1, bad("x", "b"), "b"},
			{2, bad("x", "a"), "a"},
			{3, bad("x", "b"), "b"},
			{4, bad("x", "a"), "a"},
			{5, State{}, "again at 6s"},
			{6, State{}, "over after 5s"},
			{7, bad("x", "a"), "again at 1m0s"},
			{8, State{}, "again at 9s"},
			{9, State{}, ""},
			{70, bad("x", "a"), "a, 2 unsaid"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var h History
			zero := time.Unix(1_000_000, 0)
			for _, a := range script {
				now := zero.Add(time.Duration(a.second * float64(time.Second)))
				if got := said(h.See(now, a.state)); (got == "") != (a.want == "") || !strings.Contains(got, a.want) {
					t.Errorf("after %vs: %q, want %q", a.second, got, a.want)
				}
			}
		})
	}
}

func said(line Line, due bool, again time.Time) string {
	text := ""
	switch {
	case !again.IsZero():
		return fmt.Sprint("again at ", again.Sub(time.Unix(1_000_000, 0)))
	case !due:
		return ""
	case line.State.Err != nil:
		text = line.State.Err.Error()
	default:
		text = fmt.Sprint("over after ", line.Lasted)
	}
	if line.Suppressed > 0 {
		text += fmt.Sprintf(", %d unsaid", line.Suppressed)
	}
	return text
}
