package logkeeper

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/kube"
)

// lineageOf returns a lineage that reads by a function, for a test in fake time.
func lineageOf(t *testing.T, get func(namespace string, o owner) (metav1.Object, error)) *lineage {
	t.Helper()
	f := newFaults(&Config{Logger: slog.New(slog.DiscardHandler)})
	return newLineage(func(_ context.Context, namespace string, o owner) (metav1.Object, error) { return get(namespace, o) },
		func(f func(context.Context)) { go f(t.Context()) }, f.denied, f.owners)
}

// TestOwnerElsewhere: a pod that names an object of another namespace as its owner does not get
// the owners of that object, although they are known.
func TestOwnerElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yes := true
		l := lineageOf(t, func(namespace string, _ owner) (metav1.Object, error) {
			m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID("uid-of-" + namespace)}}
			m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "kubeflow.org/v1", Kind: "PyTorchJob", Name: "train", UID: "train", Controller: &yes}}
			return m, nil
		})
		nearest := owner{"batch/v1", "Job", "part", "uid-of-ml"}
		mine, others := l.wait(t.Context(), "ml", nearest), l.wait(t.Context(), "other", nearest)
		if len(mine) != 2 || mine[1].name != "train" || len(others) != 1 {
			t.Errorf("got the owners %v in the namespace of the owner and %v in another one, want two and one", mine, others)
		}
	})
}

// TestInventedOwners: owners of types that the server does not serve cost a bounded number of
// requests, each of which is a discovery, and types that it serves are asked for meanwhile.
func TestInventedOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := lineageOf(t, func(_ string, o owner) (metav1.Object, error) {
			if o.kind == "Job" {
				return &metav1.PartialObjectMetadata{}, nil
			}
			asked++
			return nil, &kube.UnknownResourceError{Name: o.resource()}
		})
		ask := func(o owner) {
			l.wait(t.Context(), "ml", o)
			synctest.Wait()
		}
		ask(owner{"batch/v1", "Job", "a", "job-0"})
		for i := range 50 {
			ask(owner{"example.com/v1", "Thing", "a", fmt.Sprint("thing-", i)})
		}
		if asked != 1 {
			t.Errorf("50 owners of one type that is not served: got %d requests, want 1", asked)
		}
		for i := range 1000 {
			ask(owner{"example.com/v1", fmt.Sprint("Thing", i), "a", fmt.Sprint("other-", i)})
		}
		if asked > maxUnserved {
			t.Errorf("1,000 types that are not served: got %d requests, want at most %d", asked, maxUnserved)
		}
		if _, ok := l.types.ask("Job.v1.batch", time.Now()); !ok {
			t.Error("a served type is not asked for because of others")
		}
		<-time.After(unservedFor + time.Second)
		before := asked
		ask(owner{"example.com/v1", "Thing", "a", "late"})
		if asked != before+1 {
			t.Errorf("after %v: got %d requests for a type that may be served now, want 1", unservedFor, asked-before)
		}
	})
}
