package events_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a Publisher that runs in fake time.
type world struct {
	*testing.T
	srv     *apitest.Server
	cluster *kube.Cluster
	pub     *events.Publisher
	log     *strings.Builder
	stop    func() // ends the Publisher
}

func inWorld(t *testing.T, script func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, srv: apitest.Start(t), log: &strings.Builder{}}
		var err error
		if w.cluster, err = kube.Connect(kube.Config{REST: w.srv.RESTConfig()}); err != nil {
			t.Fatal(err)
		}
		defer w.cluster.Close()
		w.pub, err = events.New(events.Config{Cluster: w.cluster, Controller: "example.com/trainjobs", Instance: "one", Logger: slog.New(slog.NewTextHandler(w.log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if err := w.pub.Run(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		w.stop = func() {
			cancel()
			work.Wait()
		}
		defer w.stop()
		script(w)
	})
}

// pass lets time pass.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// shown returns the Events on the server, as lines.
func (w *world) shown() (lines []string) {
	w.Helper()
	client, err := kube.For[eventsv1.Event](w.cluster, kube.ClientConfig{})
	if err != nil {
		w.Fatal(err)
	}
	for e, err := range client.List(w.Context(), kube.Where{}) {
		if err != nil {
			w.Fatal(err)
		}
		n := int32(1)
		if e.Series != nil {
			n = e.Series.Count
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s/%s %d: %s", e.Namespace, e.Type, e.Reason, e.Regarding.Kind, e.Regarding.Name, n, e.Note))
	}
	slices.Sort(lines)
	return lines
}

func (w *world) want(what string, lines ...string) {
	w.Helper()
	if got := w.shown(); !slices.Equal(got, lines) {
		w.Errorf("%s: got %q, want %q", what, got, lines)
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, UID: "u-1", ResourceVersion: "7"}}
}

// TestSeries: equal Events are one Event with a count; a series that is idle for 6 minutes
// is over.
func TestSeries(t *testing.T) {
	inWorld(t, func(w *world) {
		start := func(p *corev1.Pod) { w.pub.Normal(p, "Started", "Start", "with %d GPUs", 8) }
		start(pod("a"))
		w.pub.Warning(pod("a"), "Failed", "Start", "100 % full")
		pass(time.Second)
		w.want("two Events", "ml Normal Started Pod/a 1: with 8 GPUs", "ml Warning Failed Pod/a 1: 100 % full")
		later := pod("a")
		later.ResourceVersion = "8"
		start(later)
		pass(time.Second)
		w.want("the second occurrence", "ml Normal Started Pod/a 2: with 8 GPUs", "ml Warning Failed Pod/a 1: 100 % full")
		for range 10 {
			start(pod("a"))
		}
		pass(10 * time.Second)
		w.want("within a minute", "ml Normal Started Pod/a 2: with 8 GPUs", "ml Warning Failed Pod/a 1: 100 % full")
		pass(time.Minute)
		w.want("after a minute", "ml Normal Started Pod/a 12: with 8 GPUs", "ml Warning Failed Pod/a 1: 100 % full")
		pass(6 * time.Minute)
		start(pod("a"))
		pass(time.Second)
		w.want("after the end of the series", "ml Normal Started Pod/a 12: with 8 GPUs", "ml Normal Started Pod/a 1: with 8 GPUs", "ml Warning Failed Pod/a 1: 100 % full")
		if s := w.pub.Stats(); s.Created != 3 || s.Patched != 2 || s.Dropped+s.Failed != 0 || s.Waiting != 0 {
			t.Errorf("got %+v, want 3 Events and 2 patches", s)
		}
	})
}

// TestClusterScoped: Events about objects without a namespace are in "default", and have a
// valid name whatever the name of the object is.
func TestClusterScoped(t *testing.T) {
	inWorld(t, func(w *world) {
		w.pub.Normal(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "system:node_A"}}, "Checked", "Check", "ok")
		pass(time.Second)
		w.want("a role", "default Normal Checked ClusterRole/system:node_A 1: ok")
	})
}

// TestNames: the server accepts the names of Events about objects with any legal name
// (kubernetes/kubernetes#127594).
func TestNames(t *testing.T) {
	inWorld(t, func(w *world) {
		names := []string{
			"fd00:10:233::103", "::1", "fe80::", "system:node", "system:.hidden", "a..b", ".a", "Ünï", "a_b", "x-", "A", "a.-b", "-.-", "admin@example.com", "a:b:.c",
			strings.Repeat("a.", 120) + "-b",
		}
		for _, name := range names {
			w.pub.Normal(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}, "Checked", "Check", "ok")
		}
		pass(time.Second)
		if shown := w.shown(); len(shown) != len(names) {
			t.Errorf("got %d Events of %d: %q\n%s", len(shown), len(names), shown, w.log)
		}
	})
}

// TestLimits: an object may have 25 different Events at once; a long note is cut at a
// character; invalid Events are dropped.
func TestLimits(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 40 {
			w.pub.Normal(pod("a"), fmt.Sprint("Reason", i), "Act", "n")
		}
		w.pub.Normal(pod("b"), "Long", "Act", strings.Repeat("ü", 2000))
		w.pub.Normal(pod("b"), "", "Act", "no reason")
		w.pub.Normal(nil, "Reason", "Act", "no object")
		pass(time.Minute)
		got := w.shown()
		if len(got) != 26 {
			t.Errorf("got %d Events, want 25 of one object and 1 of another", len(got))
		}
		if last := got[0]; !strings.HasSuffix(last, ": "+strings.Repeat("ü", 500)) {
			t.Errorf("got the note %.100q, want 1,000 bytes", last)
		}
		if s := w.pub.Stats(); s.Dropped != 17 {
			t.Errorf("got %+v, want 17 dropped", s)
		}
		pass(5 * time.Minute)
		w.pub.Normal(pod("a"), "Later", "Act", "n")
		pass(time.Second)
		if n := len(w.shown()); n != 27 {
			t.Errorf("got %d Events after 5 minutes, want one more", n)
		}
	})
}

// TestFaults: an Event is sent again after a failure; a refusal is logged once with a
// remedy; an Event that the server has forgotten is created again.
func TestFaults(t *testing.T) {
	inWorld(t, func(w *world) {
		busy, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate, Resource: "events"}, Times: 2, Action: apitest.Respond(apitest.Failure(http.StatusInternalServerError, 0))})
		if err != nil {
			t.Fatal(err)
		}
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		pass(20 * time.Second)
		w.want("after two failures", "ml Normal Started Pod/a 1: n")
		if busy.Hits() != 2 {
			t.Errorf("got %d failures, want 2", busy.Hits())
		}
		client, err := kube.For[eventsv1.Event](w.cluster, kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.DeleteAll(w.Context(), kube.Where{Namespace: "ml"}, kube.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		pass(time.Second)
		w.want("after the server has forgotten it", "ml Normal Started Pod/a 2: n")
		if _, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate, Resource: "events"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(http.StatusForbidden, 0))}); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			w.pub.Normal(pod("b"), fmt.Sprint("Reason", i), "Act", "n")
		}
		pass(5 * time.Minute)
		if text := w.log.String(); strings.Count(text, "grant the verbs create and patch") != 1 {
			t.Errorf("got the log %s, want one line with the remedy", text)
		}
		if s := w.pub.Stats(); s.Dropped != 5 || s.Waiting != 0 {
			t.Errorf("got %+v, want 5 dropped", s)
		}
	})
}

// TestEnd: when its context ends, a Publisher sends what is left.
func TestEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		pass(time.Second)
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		pass(time.Second)
		w.pub.Normal(pod("b"), "Stopped", "Stop", "n")
		w.stop()
		w.want("after the end", "ml Normal Started Pod/a 3: n", "ml Normal Stopped Pod/b 1: n")
	})
}

// TestConfig: invalid configurations are errors.
// TestEndDuringRequest: an Event whose request is running when the context ends is sent.
func TestEndDuringRequest(t *testing.T) {
	inWorld(t, func(w *world) {
		slow := apitest.Fault{Match: apitest.Match{Resource: "events"}, Action: apitest.Delay(time.Second)}
		if _, err := w.srv.Inject(slow); err != nil {
			w.Fatal(err)
		}
		w.pub.Normal(pod("a"), "Started", "Start", "n")
		pass(500 * time.Millisecond)
		w.stop()
		w.want("after the end", "ml Normal Started Pod/a 1: n")
	})
}

func TestConfig(t *testing.T) {
	srv := apitest.Start(t)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	for want, cfg := range map[string]events.Config{
		"Config.Cluster":    {Controller: "example.com/x"},
		"Config.Controller": {Cluster: cluster, Controller: "a b"},
	} {
		if _, err := events.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %s", err, want)
		}
	}
}
