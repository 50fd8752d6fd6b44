package apitest_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

// describe returns a short text for an event.
func describe(event watch.Event, open bool) string {
	if !open {
		return "end"
	}
	if status, isStatus := event.Object.(*metav1.Status); isStatus {
		return fmt.Sprintf("%s %d %s", event.Type, status.Code, status.Reason)
	}
	obj, ok := event.Object.(metav1.Object)
	if !ok {
		return fmt.Sprintf("%s %T", event.Type, event.Object)
	}
	if event.Type == watch.Bookmark {
		return fmt.Sprintf("BOOKMARK%s %s", obj.GetAnnotations()[metav1.InitialEventsAnnotationKey], obj.GetResourceVersion())
	}
	return fmt.Sprintf("%s %s %s", event.Type, obj.GetName(), obj.GetResourceVersion())
}

// expect reads events and compares them; "end" is the end of the stream. Outside a bubble the test's own timeout
// bounds the wait.
func expect(t *testing.T, stream watch.Interface, want ...string) {
	t.Helper()
	var got []string
	for range want {
		event, open := <-stream.ResultChan()
		got = append(got, describe(event, open))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
}

// expectNothing checks, in fake time, that a stream is open and sends nothing.
func expectNothing(t *testing.T, stream watch.Interface) {
	t.Helper()
	synctest.Wait()
	select {
	case event, open := <-stream.ResultChan():
		t.Errorf("got %s, want no event", describe(event, open))
	default:
	}
}

func watchPods(t *testing.T, cfg *rest.Config, options metav1.ListOptions) watch.Interface {
	t.Helper()
	stream, err := clientset(t, cfg).CoreV1().Pods("").Watch(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Stop)
	return stream
}

// streaming are the options of a streaming list.
func streaming(version string) metav1.ListOptions {
	yes := true
	return metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersion: version,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}
}

// setPhase changes the phase of a pod.
func setPhase(t *testing.T, srv *apitest.Server, name string, phase corev1.PodPhase) {
	t.Helper()
	_, err := apitest.Modify(srv, pod(name), func(p *corev1.Pod) { p.Status.Phase = phase })
	if err != nil {
		t.Fatal(err)
	}
}

func TestWatch_Starts(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		synctest.Test(t, func(t *testing.T) {
			srv := start(t, apitest.Config{Window: 2})
			create(t, srv, pod("b"), pod("a"), pod("c")) // versions 2 to 4; 3 and 4 in the window
			cfg := with(srv.RESTConfig())
			no := false
			begin := func(version string) watch.Interface {
				return watchPods(t, cfg, metav1.ListOptions{ResourceVersion: version})
			}
			expect(t, begin(""), "ADDED a 3", "ADDED b 2", "ADDED c 4")
			expect(t, begin("0"), "ADDED a 3", "ADDED b 2", "ADDED c 4")
			expect(t, begin("2"), "ADDED a 3", "ADDED c 4")
			expect(t, begin("3"), "ADDED c 4")
			expect(t, begin("1"), "ERROR 410 Expired", "end")
			expect(t, watchPods(t, cfg, streaming("")), "ADDED a 3", "ADDED b 2", "ADDED c 4", "BOOKMARKtrue 4")
			expect(t, watchPods(t, cfg, streaming("1")), "ADDED a 3", "ADDED b 2", "ADDED c 4", "BOOKMARKtrue 4")
			expect(t, watchPods(t, cfg, streaming("5")), "ERROR 504 Timeout", "end")
			fromNow := watchPods(t, cfg, metav1.ListOptions{
				SendInitialEvents: &no, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			})
			future := begin("5")
			create(t, srv, pod("d"), pod("e"))
			expect(t, fromNow, "ADDED d 5", "ADDED e 6")
			expect(t, future, "ADDED e 6")
		})
	})
}

func TestWatch_Refused(t *testing.T) {
	srv := start(t, apitest.Config{})
	old := start(t, apitest.Config{StreamingLists: apitest.StreamingRefused})
	yes := true
	pods := clientset(t, srv.RESTConfig()).CoreV1().Pods("")
	for _, options := range []metav1.ListOptions{
		{SendInitialEvents: &yes},
		{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
	} {
		if _, err := pods.Watch(t.Context(), options); !apierrors.IsInvalid(err) {
			t.Errorf("watch with %+v: got %v, want it invalid", options, err)
		}
	}
	if _, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "x"}); !apierrors.IsBadRequest(err) {
		t.Errorf("version x: got %v, want a bad request", err)
	}
	pods = clientset(t, old.RESTConfig()).CoreV1().Pods("")
	if _, err := pods.Watch(t.Context(), streaming("")); !apierrors.IsInvalid(err) {
		t.Errorf("old server: got %v, want it invalid", err)
	}
}

func TestWatch_Selectors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{})
		running := watchPods(t, srv.RESTConfig(), metav1.ListOptions{FieldSelector: "status.phase=Running"})
		labelled := watchPods(t, srv.RESTConfig(), metav1.ListOptions{LabelSelector: "app=a", ResourceVersion: "1"})
		synctest.Wait()
		create(t, srv, pod("a"))
		setPhase(t, srv, "a", corev1.PodRunning)
		_, err := apitest.Modify(srv, pod("a"), func(p *corev1.Pod) { p.Labels["app"] = "b" })
		if err != nil {
			t.Fatal(err)
		}
		event := func(e watch.Event) string { return describe(e, true) + " " + e.Object.(*corev1.Pod).Labels["app"] }
		expect(t, labelled, "ADDED a 2", "MODIFIED a 3")
		// If an object no longer matches, the watch gets its last matching state.
		if got := event(<-labelled.ResultChan()); got != "DELETED a 4 a" {
			t.Errorf("got %q, want %q", got, "DELETED a 4 a")
		}
		setPhase(t, srv, "a", corev1.PodFailed)
		setPhase(t, srv, "a", corev1.PodRunning)
		if err := srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		expect(t, running, "ADDED a 3", "MODIFIED a 4", "DELETED a 5", "ADDED a 6", "DELETED a 7")
		expectNothing(t, labelled)
	})
}

func TestWatch_BookmarksAndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{})
		seconds := int64(150)
		begun := time.Now()
		options := metav1.ListOptions{ResourceVersion: "1", AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
		stream := watchPods(t, srv.RESTConfig(), options)
		synctest.Wait()
		create(t, srv, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}) // the version grows without pods
		for _, want := range []struct {
			event string
			after time.Duration
		}{
			{"BOOKMARK 2", time.Minute},
			{"BOOKMARK 2", 2 * time.Minute},
			{"BOOKMARK 2", 148 * time.Second},
			{"end", 150 * time.Second},
		} {
			expect(t, stream, want.event)
			if passed := time.Since(begun); passed != want.after {
				t.Errorf("%s after %s, want %s", want.event, passed, want.after)
			}
		}
		silent := watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "1"})
		begun = time.Now()
		expect(t, silent, "end")
		if passed := time.Since(begun); passed != apitest.DefaultWatchTimeout {
			t.Errorf("a watch without a timeout took %s", passed)
		}
	})
}

func TestWatch_SlowOneFallsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{Window: 200})
		stream := watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "1"})
		create(t, srv, pod("a"))
		synctest.Wait() // the client takes one event and no more
		for i := range 1000 {
			setPhase(t, srv, "a", corev1.PodPhase(fmt.Sprint(i))) // never waits for the client
		}
		expect(t, stream, "ADDED a 2")
		var last string
		events := 0
		for event := range stream.ResultChan() {
			last = describe(event, true)
			events++
		}
		if last != "ERROR 410 Expired" || events > 200 {
			t.Errorf("got %d events, then %s; want at most 200, then ERROR 410 Expired", events, last)
		}
	})
}

func TestWatch_ManyWatchersManyWriters(t *testing.T) {
	const watchers, writers, writes = 20, 4, 50
	srv := start(t, apitest.Config{})
	client := clientset(t, protobuf(srv.RESTConfig())).CoreV1().Pods("")
	var all sync.WaitGroup
	for range watchers {
		stream, err := client.Watch(t.Context(), streaming(""))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer stream.Stop()
			seen := map[string]bool{}
			synced, last := false, uint64(0)
			for len(seen) < writers*writes {
				event := <-stream.ResultChan()
				p, ok := event.Object.(*corev1.Pod)
				if !ok {
					t.Errorf("got %v, want a Pod", event)
					return
				}
				version, err := strconv.ParseUint(p.ResourceVersion, 10, 64)
				switch {
				case err != nil || synced && version <= last || event.Type != watch.Bookmark && seen[p.Name]:
					t.Errorf("%s after version %d, %v", describe(event, true), last, err)
				case event.Type == watch.Bookmark:
					synced, last = true, version
				default:
					seen[p.Name], last = true, version
				}
			}
		})
	}
	for w := range writers {
		all.Go(func() {
			for i := range writes {
				if _, err := srv.Create(pod(fmt.Sprint(w, "-", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestWatch_Compact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{})
		live := watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "1"})
		create(t, srv, pod("a"))
		synctest.Wait()
		srv.Compact()
		create(t, srv, pod("b"))
		expect(t, live, "ADDED a 2", "ADDED b 3") // it has sent everything
		expect(t, watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "1"}), "ERROR 410 Expired", "end")
		expect(t, watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "2"}), "ADDED b 3")
	})
}
