package bridge_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"

	"github.com/vedette-io/vedette/conformance/suites/bridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestInformer: an informer on the bridge gets the objects of the source, and every
// change, in both encodings, and with a list or a streaming list.
func TestInformer(t *testing.T) {
	for _, c := range []struct {
		name string
		opts bridge.Options
	}{
		{"protobuf, streaming list", bridge.Options{}},
		{"JSON, streaming list", bridge.Options{JSON: true}},
		{"protobuf, list", bridge.Options{Lists: true}},
		{"JSON, list", bridge.Options{JSON: true, Lists: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { informer(t, c.opts) })
		})
	}
}

func informer(t *testing.T, opts bridge.Options) {
	source := fcache.NewFakeControllerSource()
	defer source.Shutdown()
	pod := func(name, value string) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "a", Labels: map[string]string{"l": value}}}
	}
	source.Add(pod("one", "1"))
	lw, err := bridge.ListerWatcher(source, &v1.Pod{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	informer := cache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, nil)
	var got []string
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { got = append(got, "add "+o.(*v1.Pod).Name) },
		UpdateFunc: func(o, n any) { got = append(got, "update "+o.(*v1.Pod).Labels["l"]+" to "+n.(*v1.Pod).Labels["l"]) },
		DeleteFunc: func(o any) { got = append(got, "delete "+o.(*v1.Pod).ResourceVersion) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); informer.RunWithContext(ctx) }()
	synctest.Wait()
	source.Add(pod("two", "1"))
	source.Modify(pod("one", "2"))
	source.Delete(pod("two", "1"))
	synctest.Wait()
	cancel()
	<-done
	if want := []string{"add one", "add two", "update 1 to 2", "delete 4"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	kept, exists, err := informer.GetStore().GetByKey("a/one")
	want := pod("one", "2")
	want.ResourceVersion = "3"
	if diff := cmp.Diff(any(want), kept); err != nil || !exists || diff != "" {
		t.Errorf("in the store: %v, %v: %s", exists, err, diff)
	}
}
