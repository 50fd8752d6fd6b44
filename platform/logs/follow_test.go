package logs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs"
)

// followed is a reader that runs during the test.
type followed struct {
	t     *testing.T
	lines chan string
	err   error
}

// follow starts to follow the job of a stage.
func (s *stage) follow(o logs.Options) *followed {
	o.Follow = true
	f := &followed{t: s.t, lines: make(chan string, 10_000)}
	go func() {
		defer close(f.lines)
		for l, err := range logs.Read(s.t.Context(), o) {
			if err != nil {
				f.err = err
				return
			}
			f.lines <- format(l)
		}
	}()
	return f
}

// next returns the lines that arrive until none has arrived for a time.
func (f *followed) next(quiet time.Duration) (all []string) {
	f.t.Helper()
	for {
		timer := time.NewTimer(quiet)
		select {
		case l, open := <-f.lines:
			timer.Stop()
			if !open {
				return all
			}
			all = append(all, l)
		case <-timer.C:
			return all
		}
	}
}

// rest returns the lines until the end.
func (f *followed) rest() (all []string) {
	f.t.Helper()
	for l := range f.lines {
		all = append(all, l)
	}
	if f.err != nil {
		f.t.Errorf("the follower failed: %v", f.err)
	}
	return all
}

// bubble runs a test in fake time, with a stage.
func bubble(t *testing.T, test func(t *testing.T, s *stage)) {
	synctest.Test(t, func(t *testing.T) { test(t, newStage(t, apitest.Config{})) })
}

func TestFollow(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		f := s.follow(s.options())
		same(t, f.next(time.Second), "! job/train-7 has no pods yet: it is Submitted")
		s.pod("a")
		s.say(10, "a", "one")
		same(t, f.next(5*time.Second), "a#1 one")
		s.pod("b", func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
		})
		same(t, f.next(time.Second))
		s.modify("b", func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		})
		s.say(30, "b", "three")
		s.say(20, "a", "two")
		same(t, f.next(5*time.Second), "a#1 two", "b#1 three")
		s.modify("a", over(1))
		s.pod("c")
		s.say(40, "c", "again")
		same(t, f.next(5*time.Second), "c#2 again")
		s.modify("c", restarted)
		s.say(50, "c", "and again")
		same(t, f.next(20*time.Second), "c#3 and again")
		s.say(60, "b", "last of b")
		s.modify("b", over(0))
		s.say(70, "c", "last of c")
		s.modify("c", over(0))
		s.finish()
		same(t, f.rest(), "b#1 last of b", "c#3 last of c")
	})
}

func TestFollowBeginsWithThePast(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a", over(1))
		s.say(20, "a", "first")
		s.pod("b")
		s.say(10, "b", "second", "third")
		f := s.follow(s.options())
		same(t, f.next(5*time.Second), "a#1 first", "b#2 second", "b#2 third")
		s.say(30, "b", "fourth")
		same(t, f.next(5*time.Second), "b#2 fourth")
		s.finish()
		same(t, f.rest(), "! container main of pod b still runs after the end of the job; its log is no longer followed")
	})
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "old")
		o := s.options()
		o.Tail = new(0)
		f := s.follow(o)
		same(t, f.next(5*time.Second))
		s.say(20, "a", "new")
		same(t, f.next(5*time.Second), "a#1 new")
		s.modify("a", over(0))
		s.finish()
		same(t, f.rest())
	})
}

func TestCutsLoseAndRepeatNothing(t *testing.T) {
	for _, how := range []apitest.CutKind{apitest.CutClean, apitest.CutReset} {
		bubble(t, func(t *testing.T, s *stage) {
			s.pod("a")
			f := s.follow(s.options())
			var want, got []string
			for i := range 200 {
				// Several lines in one instant, and several with the same text.
				s.say(i*70, "a", "same", fmt.Sprint("line ", i))
				want = append(want, "a#1 same", fmt.Sprint("a#1 line ", i))
				if i%7 == 0 {
					got = append(got, f.next(300*time.Millisecond)...)
				}
				if i%10 == 3 {
					s.server.CutLogs(how)
				}
			}
			s.modify("a", over(0))
			s.finish()
			same(t, append(got, f.rest()...), want...)
		})
	}
}

func TestOutage(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "before")
		f := s.follow(s.options())
		same(t, f.next(time.Second), "a#1 before")
		s.server.Unavailable()
		got := f.next(30 * time.Second)
		if len(got) != 1 || got[0][:60] != "! the log of container main of pod a cannot be read now and " {
			t.Errorf("got %q, want one note that the log cannot be read now", got)
		}
		s.say(20, "a", "meanwhile")
		if err := s.server.Available(); err != nil {
			t.Fatal(err)
		}
		same(t, f.next(30*time.Second), "a#1 meanwhile")
		s.modify("a", over(0))
		s.finish()
		same(t, f.rest())
	})
}

func TestRotatedWhileCut(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "one")
		f := s.follow(s.options())
		same(t, f.next(time.Second), "a#1 one")
		s.server.CutLogs(apitest.CutClean)
		s.say(20, "a", "lost")
		if err := s.server.RotateLog("ml", "a", "main"); err != nil {
			t.Fatal(err)
		}
		s.say(30, "a", "three")
		got := f.next(30 * time.Second)
		if len(got) != 2 || got[0] != "! lines of container main of pod a after "+at(10).Local().Format("15:04:05")+" may be missing: its node no longer has the lines before" || got[1] != "a#1 three" {
			t.Errorf("got %q, want a note that lines may be missing, and line three", got)
		}
		s.modify("a", over(0))
		s.finish()
		same(t, f.rest())
	})
}

func TestStreamsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		for i := range 5 {
			s.pod(fmt.Sprint("p", i))
			s.say(10*i, fmt.Sprint("p", i), "text")
		}
		o := s.options()
		o.Streams = 2
		f := s.follow(o)
		got := f.next(5 * time.Second)
		want := []string{
			"! attempt 1 has 5 logs, which are read 2 at a time: only lines that are read together are in the order of time",
			"p0#1 text", "p1#1 text", "p2#1 text", "p3#1 text", "p4#1 text",
			"! 3 logs wait: 2 are followed at once, the others follow as these end",
		}
		same(t, got, want...)
		s.say(100, "p4", "late")
		same(t, f.next(5*time.Second))
		s.modify("p0", over(0))
		s.modify("p1", over(0))
		s.modify("p2", over(0))
		same(t, f.next(5*time.Second), "p4#1 late")
		open := 0
		for _, r := range s.server.Requests() {
			if r.Subresource == "log" {
				open++
			}
		}
		if open > 30 {
			t.Errorf("got %d requests at once, want at most 30", open)
		}
		s.modify("p3", over(0))
		s.modify("p4", over(0))
		s.finish()
		same(t, f.rest())
	})
}

func TestPodIsDeletedWhileItIsFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "one")
		f := s.follow(s.options())
		same(t, f.next(time.Second), "a#1 one")
		s.say(20, "a", "two")
		s.remove("a")
		s.pod("a")
		s.say(30, "a", "of the next")
		same(t, f.next(5*time.Second), "a#1 two", "a#2 of the next")
		s.modify("a", over(0))
		s.finish()
		same(t, f.rest())
	})
}

func TestFollowIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T, s *stage) {
		s.pod("a")
		s.say(10, "a", "one")
		o := s.options()
		o.Follow = true
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		for l, err := range logs.Read(ctx, o) {
			if err != nil {
				got = append(got, err.Error())
				break
			}
			got = append(got, format(l))
			time.AfterFunc(time.Second, cancel)
		}
		if !slices.Equal(got, []string{"a#1 one", "context canceled"}) {
			t.Errorf("got %v, want %v", got, []string{"a#1 one", "context canceled"})
		}
	})
}
