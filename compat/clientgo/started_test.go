package clientgo_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// TestStarted: each informer reports once what does its work, and no informer does before
// it runs.
func TestStarted(t *testing.T) {
	w := newWorld(t)
	defer w.server.Close()
	plain, err := kubernetes.NewForConfig(w.server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		client kubernetes.Interface
		stock  bool
		want   string
	}{
		{"engine", w.client, false, ""},
		{"stock", w.client, true, "Options.Stock is set"},
		{"not reached", plain, false, "the list or watch function uses a client that was not made from a wrapped rest.Config, or ignores its context"},
	} {
		var told []string
		inf := clientgo.Adopt(coreinformers.NewPodInformer(c.client, metav1.NamespaceAll, 0, cache.Indexers{}),
			clientgo.Options{Stock: c.stock, Started: func(reason string) { told = append(told, reason) }})
		before := len(told)
		run(t, inf)()
		if before != 0 || !slices.Equal(told, []string{c.want}) {
			t.Errorf("%s: told %q, and %d times before it ran; want %q", c.name, told, before, c.want)
		}
		if inf != clientgo.Adopt(inf, clientgo.Options{}) {
			t.Errorf("%s: an adopted informer was adopted again", c.name)
		}
	}
}
