package kube_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// firstError reads a watch to its end.
func firstError[T any](events iter.Seq2[kube.Event[T], error]) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

// story creates pods, one after the other.
type story struct {
	t   *testing.T
	srv *apitest.Server
}

func (s story) add(name string) {
	s.t.Helper()
	if _, err := s.srv.Create(pod("ml", name, "one")); err != nil {
		s.t.Error(err)
	}
}

// TestList checks that pages are requested when the loop reaches them, and show the state
// at the beginning of the list.
func TestList(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	s := story{t, srv}
	for i := range 5 {
		s.add(fmt.Sprint(i))
	}
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{PageSize: 2})
	lists := func() (n int) {
		for _, r := range srv.Requests() {
			if r.Verb == apitest.VerbList && r.Options.Limit == 2 {
				n++
			}
		}
		return n
	}
	var names []string
	for p, err := range pods.List(t.Context(), kube.Where{}) {
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, p.Name); len(names) == 1 {
			s.add("later")
		}
		if want := (len(names) + 1) / 2; lists() != want {
			t.Errorf("got %d lists for %d pods, want %d", lists(), len(names), want)
		}
	}
	if fmt.Sprint(names) != "[0 1 2 3 4]" {
		t.Errorf("got %v, want [0 1 2 3 4]", names)
	}
	for range pods.List(t.Context(), kube.Where{}) {
		break
	}
	if lists() != 4 {
		t.Errorf("got %d lists after the end of the loop", lists())
	}
}

// TestListExpires checks a list whose version expires before the second page.
func TestListExpires(t *testing.T) {
	for _, c := range []struct {
		expired kube.OnExpired
		want    string
	}{{kube.FailExpired, "[0 1]"}, {kube.ContinueInconsistent, "[0 1 2 4 later]"}} {
		srv, cluster := serve(t, apitest.Config{Window: 2})
		s := story{t, srv}
		for i := range 5 {
			s.add(fmt.Sprint(i))
		}
		pods := client[corev1.Pod](t, cluster, kube.ClientConfig{PageSize: 2, OnExpired: c.expired})
		var names []string
		var failed error
		for p, err := range pods.List(t.Context(), kube.Where{}) {
			if failed = err; err != nil {
				continue
			}
			if names = append(names, p.Name); p.Name != "0" {
				continue
			}
			if err := srv.Delete(pod("ml", "3", "")); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"1earlier", "later"} {
				s.add(name)
			}
		}
		if fmt.Sprint(names) != c.want {
			t.Errorf("got %v, want %s", names, c.want)
		}
		if c.expired == kube.FailExpired && (!apierrors.IsResourceExpired(failed) || !strings.Contains(failed.Error(), "ContinueInconsistent")) {
			t.Errorf("got %v, want that the list has expired, and a hint at ContinueInconsistent", failed)
		}
		if c.expired == kube.ContinueInconsistent && failed != nil {
			t.Errorf("got error %v, want none with ContinueInconsistent", failed)
		}
	}
}

// TestWatchNeedsOneInstant checks that the initial objects of a watch are from the
// version at which the watch continues, whatever OnExpired is.
func TestWatchNeedsOneInstant(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Window: 2})
	s := story{t, srv}
	for i := range 5 {
		s.add(fmt.Sprint(i))
	}
	var failed error
	seen := 0
	for ev, err := range client[corev1.Pod](t, cluster, kube.ClientConfig{PageSize: 2, OnExpired: kube.ContinueInconsistent}).Watch(t.Context(), kube.Where{}, 0) {
		if failed = err; err != nil {
			break
		}
		if seen++; ev.Object.Name == "0" {
			for _, name := range []string{"a", "b", "c"} {
				s.add(name)
			}
		}
		if seen > 2 {
			t.Fatalf("got event %+v after the version had expired", ev)
		}
	}
	if !apierrors.IsResourceExpired(failed) {
		t.Errorf("got %v, want that the list has expired", failed)
	}
}

// TestListDamaged checks that a truncated or undecodable page ends the list.
func TestListDamaged(t *testing.T) {
	for name, action := range map[string]apitest.Action{
		"cut": apitest.Cut(apitest.CutMidFrame), "garbage": apitest.Garbage(apitest.GarbageObject), "status": apitest.Respond(apitest.Failure(500, 0)),
	} {
		srv, cluster := serve(t, apitest.Config{})
		story{t, srv}.add("x")
		if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbList}, Action: action}); err != nil {
			t.Fatal(err)
		}
		pods, err := kube.Collect(client[corev1.Pod](t, cluster, kube.ClientConfig{}).List(t.Context(), kube.Where{}))
		if !errors.As(err, new(*kube.RequestError)) || len(pods) != 0 {
			t.Errorf("%s: got %v and error %v, want a RequestError and no Pods", name, pods, err)
		}
	}
}

// TestWatch checks that a watch returns the initial objects and then every change once
// and in order, whatever happens to the connection, and however often, if events arrive
// between the faults.
func TestWatch(t *testing.T) {
	const news = 14
	cut := func(how apitest.Action) apitest.Fault { return apitest.Fault{Action: how, After: 1, Times: 12} }
	refused := func(how apitest.Action) apitest.Fault { return apitest.Fault{Action: how, Times: 3} }
	faults := map[string]apitest.Fault{
		"nothing": {}, "ended": cut(apitest.Cut(apitest.CutClean)), "cut": cut(apitest.Cut(apitest.CutMidFrame)),
		"reset": cut(apitest.Cut(apitest.CutReset)), "error": cut(apitest.InStreamError(apitest.Failure(500, 0))),
		"refused": refused(apitest.Respond(apitest.Failure(503, 0))), "busy": refused(apitest.Respond(apitest.Failure(429, 3*time.Second))),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, cluster := serve(t, apitest.Config{})
				s := story{t, srv}
				s.add("a")
				s.add("b")
				want := []string{"ADDED a", "ADDED b"}
				fault.Match.Verb = apitest.VerbWatch
				if name != "nothing" {
					struck := must[*apitest.Injection](t)(srv.Inject(fault))
					defer func() {
						if struck.Hits() != fault.Times {
							t.Errorf("got the fault %d times", struck.Hits())
						}
					}()
				}
				var seen []string
				last := wire.Version(0)
				for ev, err := range client[corev1.Pod](t, cluster, kube.ClientConfig{PageSize: 1}).Watch(t.Context(), kube.Where{Namespace: "ml"}, 0) {
					if err != nil {
						t.Fatal(err)
					}
					if seen = append(seen, fmt.Sprint(ev.Type, " ", ev.Object.Name)); ev.Object.Kind != "Pod" || ev.Version <= last {
						t.Errorf("got %+v after %d", ev, last)
					}
					if last = ev.Version; ev.Type == wire.Deleted {
						break
					}
					if n := len(seen); n >= 2 && n < 2+news {
						s.add(fmt.Sprint("new-", n))
						want = append(want, fmt.Sprint("ADDED new-", n))
					} else if n == 2+news {
						must[any](t)(nil, srv.Delete(pod("ml", "a", "")))
					}
				}
				if diff := cmp.Diff(append(want, "DELETED a"), seen); diff != "" {
					t.Errorf("got a difference (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestWatchBeginsWithAll checks that an interrupted watch loses none of the initial
// objects, although they are in the order of names and not of versions.
func TestWatchBeginsWithAll(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	s := story{t, srv}
	for _, name := range []string{"c", "b", "a"} {
		s.add(name)
	}
	must[*apitest.Injection](t)(srv.Inject(apitest.Fault{
		Match: apitest.Match{Verb: apitest.VerbWatch}, After: 1, Action: apitest.Cut(apitest.CutClean),
	}))
	var seen []string
	for ev, err := range client[corev1.Pod](t, cluster, kube.ClientConfig{}).Watch(t.Context(), kube.Where{}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, ev.Object.Name); len(seen) == 5 {
			break
		}
		if len(seen) >= 3 {
			s.add(fmt.Sprint("new-", len(seen)))
		}
	}
	if fmt.Sprint(seen) != "[a b c new-3 new-4]" {
		t.Errorf("got %v, want [a b c new-3 new-4]", seen)
	}
}

// TestWatchHeedsBookmarks checks that a watch without events uses bookmarks to stay
// within the history of the server.
func TestWatchHeedsBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{Window: 2, BookmarkInterval: time.Minute})
		for i := range 5 {
			time.AfterFunc(time.Duration(i+1)*time.Second, func() {
				must[apitest.Object](t)(srv.Create(pod("ml", fmt.Sprint(i), "other")))
			})
		}
		time.AfterFunc(2*time.Minute, func() {
			must[*apitest.Injection](t)(srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Cut(apitest.CutClean)}))
		})
		time.AfterFunc(3*time.Minute, func() { story{t, srv}.add("mine") })
		for ev, err := range client[corev1.Pod](t, cluster, kube.ClientConfig{}).Watch(t.Context(), kube.Where{LabelSelector: "app=one"}, 1) {
			if err != nil || ev.Object.Name != "mine" {
				t.Errorf("got %+v and error %v, want the Pod mine", ev, err)
			}
			break
		}
	})
}

// TestWatchResumes checks a watch that continues at the version of an earlier one, and
// the error if the server no longer has that version.
func TestWatchResumes(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Window: 2})
	s := story{t, srv}
	s.add("a")
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	from := wire.Version(0)
	for ev, err := range pods.Watch(t.Context(), kube.Where{}, 0) {
		if from = ev.Version; err != nil {
			t.Fatal(err)
		}
		break
	}
	s.add("b")
	for ev, err := range pods.Watch(t.Context(), kube.Where{}, from) {
		if err != nil || ev.Object.Name != "b" {
			t.Errorf("got %+v and error %v, want the Pod b", ev, err)
		}
		break
	}
	for i := range 4 {
		s.add(fmt.Sprint(i))
	}
	if err := firstError(pods.Watch(t.Context(), kube.Where{}, from)); !apierrors.IsResourceExpired(err) || !strings.Contains(err.Error(), "watch again from 0") {
		t.Errorf("got %v, want an expired version, and a hint to watch again from 0", err)
	}
}

// TestWatchEnds checks that a watch ends with its context, if the server refuses, and if
// the server remains unreachable, but not because it has no events.
func TestWatchEnds(t *testing.T) {
	because := errors.New("because")
	for _, c := range []struct {
		name   string
		fault  apitest.Fault
		within time.Duration // of fake time
		is     func(error) bool
	}{
		{"context", apitest.Fault{Action: apitest.Stall()}, time.Hour, func(err error) bool { return errors.Is(err, because) }},
		{"context during a wait", apitest.Fault{Action: apitest.Respond(apitest.Failure(429, 50*time.Second)), Times: apitest.Always}, 70 * time.Second, func(err error) bool { return errors.Is(err, because) }},
		{"silence", apitest.Fault{Action: apitest.Cut(apitest.CutClean), Times: 9}, time.Hour, func(err error) bool { return errors.Is(err, because) }},
		{"rights", apitest.Fault{Action: apitest.Respond(apitest.Failure(403, 0))}, time.Second, apierrors.IsForbidden},
		{"away", apitest.Fault{Action: apitest.Respond(apitest.Failure(503, 0)), Times: apitest.Always}, time.Minute, apierrors.IsServiceUnavailable},
		{"unreadable", apitest.Fault{Action: apitest.InStreamError(apitest.Failure(422, 0))}, time.Second, apierrors.IsInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, cluster := serve(t, apitest.Config{})
				c.fault.Match.Verb = apitest.VerbWatch
				if _, err := srv.Inject(c.fault); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				stop := time.AfterFunc(c.within, func() { cancel(because) })
				defer stop.Stop()
				began := time.Now()
				err := firstError(client[corev1.Pod](t, cluster, kube.ClientConfig{}).Watch(ctx, kube.Where{}, 1))
				if !c.is(err) || !strings.HasPrefix(fmt.Sprint(err), "watch pods at apitest") || time.Since(began) > c.within {
					t.Errorf("after %v: got %v", time.Since(began), err)
				}
			})
		})
	}
}

// TestWatchEndsBriefly: a server, or a proxy that hides a 410, ends every watch at once. Watch
// returns an error after the tenth.
func TestWatchEndsBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := must[*apitest.Server](t)(apitest.New(apitest.Config{}))
		defer srv.Close()
		must[*apitest.Injection](t)(srv.Inject(apitest.Fault{Times: apitest.Always, Action: apitest.Cut(apitest.CutClean), Match: apitest.Match{Verb: apitest.VerbWatch}}))
		cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: srv.RESTConfig()}))
		defer cluster.Close()
		c := must[*kube.Client[corev1.ConfigMap]](t)(kube.For[corev1.ConfigMap](cluster, kube.ClientConfig{}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var last error
		for _, err := range c.Watch(ctx, kube.Where{}, 1) {
			last = err
		}
		n := 0
		for _, r := range srv.Requests() {
			if r.Verb == apitest.VerbWatch {
				n++
			}
		}
		if last == nil || ctx.Err() != nil || n != 10 || !strings.Contains(last.Error(), "ended each of ten watches at once") {
			t.Errorf("got %v after %d watches, want an error after 10", last, n)
		}
	})
}
