package clientgo_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// errNoStreams is the answer of a server without streaming lists.
var errNoStreams = apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)

// TestNotBypassed: functions that filter or merge what their client returns do so in our
// informers too. A list function that filters alone needs Options.Stock.
func TestNotBypassed(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one", "a/two", "b/three")
		pods := func(namespace string) *cache.ListWatch {
			return &cache.ListWatch{
				ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
					return w.client.CoreV1().Pods(namespace).List(ctx, o)
				},
				WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
					return w.client.CoreV1().Pods(namespace).Watch(ctx, o)
				},
			}
		}
		kept := func(obj runtime.Object) bool {
			pod, ok := obj.(*corev1.Pod)
			return !ok || !strings.HasSuffix(pod.Name, "two")
		}
		filteredList := pods("")
		all := filteredList.ListWithContextFunc
		filteredList.ListWithContextFunc = func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := all(ctx, o)
			if err == nil {
				l := list.(*corev1.PodList)
				l.Items = slices.DeleteFunc(l.Items, func(p corev1.Pod) bool { return !kept(&p) })
			}
			return list, err
		}
		filtered := *filteredList
		events := filtered.WatchFuncWithContext
		filtered.WatchFuncWithContext = func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			inner, err := events(ctx, o)
			if err != nil {
				return nil, err
			}
			return keepOnly(inner, kept), nil
		}
		for name, c := range map[string]struct {
			lw          *cache.ListWatch
			opts        clientgo.Options
			accelerated bool
			reason      string
			want        []string
		}{
			"as they are":          {lw: pods("a"), accelerated: true, want: []string{"a/one", "a/two"}},
			"filtered":             {lw: &filtered, reason: "wraps", want: []string{"a/one", "b/three"}},
			"filtered list":        {lw: filteredList, accelerated: true, want: []string{"a/one", "a/two", "b/three"}},
			"filtered list, Stock": {lw: filteredListOnly(filteredList), opts: clientgo.Options{Stock: true}, reason: "Options.Stock", want: []string{"a/one", "b/three"}},
			"merged":               {lw: merged(pods("a"), pods("b")), reason: "several", want: []string{"a/one", "a/two", "b/three"}},
		} {
			inf := clientgo.NewSharedIndexInformer(c.lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{}, c.opts)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				inf.RunWithContext(ctx)
			}()
			<-time.After(10 * time.Second) // an input: fake time: the caller is a bubble
			if !inf.HasSynced() {
				t.Errorf("%s: it is not synced", name)
			}
			if h, _ := clientgo.HealthOf(inf); h.Accelerated != c.accelerated || !strings.Contains(h.Reason, c.reason) {
				t.Errorf("%s: accelerated is %v, because %q", name, h.Accelerated, h.Reason)
			}
			keys := inf.GetStore().ListKeys()
			if slices.Sort(keys); !slices.Equal(keys, c.want) {
				t.Errorf("%s: the store has %q, want %q", name, keys, c.want)
			}
			cancel()
			<-done
		}
	})
}

// sieve is a watch with some of the events of another. Unlike that of watch.Filter, its
// goroutine ends with Stop.
type sieve struct {
	watch.Interface
	events  chan watch.Event
	stopped chan struct{}
	stop    sync.Once
}

func keepOnly(inner watch.Interface, kept func(runtime.Object) bool) *sieve {
	s := &sieve{Interface: inner, events: make(chan watch.Event), stopped: make(chan struct{})}
	go func() {
		defer close(s.events)
		for e := range inner.ResultChan() {
			if !kept(e.Object) {
				continue
			}
			select {
			case s.events <- e:
			case <-s.stopped:
				return
			}
		}
	}()
	return s
}

func (s *sieve) ResultChan() <-chan watch.Event { return s.events }

func (s *sieve) Stop() {
	s.stop.Do(func() { close(s.stopped) })
	s.Interface.Stop()
}

// filteredListOnly makes client-go's informer use the list: it has no streaming lists.
func filteredListOnly(lw *cache.ListWatch) *cache.ListWatch {
	copied := *lw
	copied.DisableChunking = true
	events := copied.WatchFuncWithContext
	copied.WatchFuncWithContext = func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		if o.SendInitialEvents != nil {
			return nil, errNoStreams
		}
		return events(ctx, o)
	}
	return &copied
}

// merged lists and watches several namespaces as one.
func merged(parts ...*cache.ListWatch) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			sum := &corev1.PodList{}
			for _, part := range parts {
				list, err := part.ListWithContextFunc(ctx, o)
				if err != nil {
					return nil, err
				}
				sum.Items = append(sum.Items, list.(*corev1.PodList).Items...)
				sum.ResourceVersion = list.(*corev1.PodList).ResourceVersion
			}
			return sum, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if o.SendInitialEvents != nil {
				return nil, errNoStreams
			}
			for _, part := range parts[1:] {
				if other, err := part.WatchFuncWithContext(ctx, o); err == nil {
					other.Stop() // a real one would join them
				}
			}
			return parts[0].WatchFuncWithContext(ctx, o)
		},
	}
}
