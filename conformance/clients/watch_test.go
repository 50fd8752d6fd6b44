package clients_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestWatchResumes: a watch resumes after its API server is killed and restarted, and
// ends with an error if the history was compacted.
func TestWatchResumes(t *testing.T) {
	c, cluster := start(t)
	ctx := t.Context()
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	var where kube.Where
	var last wire.Version
	var err error
	for try := range 3 {
		story := fmt.Sprint("story-", try)
		where = kube.Where{Namespace: "default", LabelSelector: "story=" + story}
		if last, err = watchOverKill(t, c, maps, story, where); err == nil {
			break
		}
		t.Log(err) // the new server begins after the last event, if other clients wrote meanwhile
	}
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) { addTo(t, maps, where.LabelSelector[len("story="):], name) }
	add("later")
	for ev, err := range maps.Watch(ctx, where, last) {
		if err != nil || !strings.HasSuffix(ev.Object.Name, "-later") || ev.Type != wire.Added {
			t.Errorf("%+v, %v", ev, err)
		}
		break
	}
	forget(t, c)
	for _, err := range maps.Watch(ctx, where, last) {
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			t.Errorf("got %v", err)
		}
		break
	}
}

// watchOverKill watches four objects, and kills the server after the second. It returns
// the version of the last.
//
// Errors: the server no longer has the events after the second object.
func watchOverKill(t *testing.T, c *controlplane.Cluster, maps *kube.Client[corev1.ConfigMap], story string, where kube.Where) (last wire.Version, err error) {
	t.Helper()
	addTo(t, maps, story, "0")
	var seen []string
	for ev, err := range maps.Watch(t.Context(), where, 0) {
		if apierrors.IsResourceExpired(err) && len(seen) == 2 {
			return 0, err
		}
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, ev.Object.Name); ev.Version <= last {
			t.Errorf("got %d objects after %d were created", ev.Version, last)
		}
		last = ev.Version
		if len(seen) == 4 {
			break
		}
		if len(seen) == 2 {
			c.KillAPIServer()
			if err := c.StartAPIServer(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		addTo(t, maps, story, fmt.Sprint(len(seen)))
	}
	if want := fmt.Sprintf("[%[1]s-0 %[1]s-1 %[1]s-2 %[1]s-3]", story); fmt.Sprint(seen) != want {
		t.Errorf("got %s, want %s", seen, want)
	}
	return last, nil
}

// addTo creates an object of a story.
func addTo(t *testing.T, maps *kube.Client[corev1.ConfigMap], story, name string) {
	t.Helper()
	meta := named(story + "-" + name)
	meta.Labels = map[string]string{"story": story}
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta}))
}

// forget makes the server compact its history.
func forget(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	c.KillAPIServer()
	if err := c.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestListExpires: the history is compacted before the second page.
func TestListExpires(t *testing.T) {
	c, cluster := start(t)
	ctx := t.Context()
	for _, expired := range []kube.OnExpired{kube.FailExpired, kube.ContinueInconsistent} {
		maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{PageSize: 2, OnExpired: expired})
		if expired == kube.FailExpired {
			for i := range 5 {
				must[*corev1.ConfigMap](t)(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: named(fmt.Sprint("x-", i))}))
			}
		}
		var names []string
		var failed error
		for m, err := range maps.List(ctx, kube.Where{Namespace: "default"}) {
			if failed = err; err != nil {
				break
			}
			if names = append(names, m.Name); len(names) == 1 {
				must[*corev1.ConfigMap](t)(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: named(fmt.Sprint("y-", expired))}))
				forget(t, c)
			}
		}
		switch {
		case expired == kube.FailExpired && (len(names) != 2 || !apierrors.IsResourceExpired(failed)):
			t.Errorf("%v, %v", names, failed)
		case expired == kube.ContinueInconsistent && (fmt.Sprint(names) != "[x-0 x-1 x-2 x-3 x-4 y-0 y-1]" || failed != nil):
			t.Errorf("%v, %v", names, failed)
		}
	}
}
