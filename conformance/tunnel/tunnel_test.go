package tunnel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	stockdynamic "k8s.io/client-go/dynamic/dynamicinformer"
	stockinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	stockmetadata "k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// objects is the number of objects. Their list has more than 128 KB, so it is compressed.
const objects = 200

var resource = corev1.SchemeGroupVersion.WithResource("configmaps")

// statusAnswer returns the answer of a server that refuses a request.
func statusAnswer(req *http.Request, status *metav1.Status) *http.Response {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	text, _ := json.Marshal(status) // cannot fail: it has only strings
	return &http.Response{
		StatusCode: int(status.Code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}
}

// follower is an informer and the events of its handler.
type follower struct {
	name     string
	form     string // typed, dynamic, metadata
	way      *way   // nil for client-go's own
	informer cache.SharedIndexInformer

	mu   sync.Mutex
	told map[string]bool // kinds of events, with the name of the object
}

func newFollower(t *testing.T, name, form string, w *way, inf cache.SharedIndexInformer) *follower {
	t.Helper()
	f := &follower{name: name, form: form, way: w, informer: inf, told: map[string]bool{}}
	_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { f.tell("add", obj) },
		UpdateFunc: func(_, obj any) { f.tell("update", obj) },
		DeleteFunc: func(obj any) { f.tell("delete", obj) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *follower) tell(what string, obj any) {
	if last, missed := obj.(cache.DeletedFinalStateUnknown); missed {
		obj = last.Obj
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told[what+" "+m.GetName()] = true
}

// await waits until the handler has got an event.
func (f *follower) await(t *testing.T, event string) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("%s: the event %q", f.name, event), func() string {
		f.mu.Lock()
		told := f.told[event]
		f.mu.Unlock()
		if told {
			return ""
		}
		h, _ := clientgo.HealthOf(f.informer)
		return fmt.Sprintf("health is %v, %v, %v", h.Reason, h.Engine.Fault, h.Engine.Err)
	})
}

// world is a server, and informers that follow it in all ways.
type world struct {
	t         *testing.T
	admin     kubernetes.Interface
	followers []*follower
	running   sync.WaitGroup
}

// add adds an informer, and runs it until ctx is done.
func (w *world) add(ctx context.Context, f *follower) {
	w.followers = append(w.followers, f)
	w.running.Go(func() { f.informer.RunWithContext(ctx) })
}

// clients returns the clients of one configuration.
func clients(t *testing.T, cfg *rest.Config) (kubernetes.Interface, dynamic.Interface, metadata.Interface) {
	t.Helper()
	typed, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return typed, d, m
}

// stock returns informers of client-go.
func stock(typed kubernetes.Interface, d dynamic.Interface, m metadata.Interface) map[string]cache.SharedIndexInformer {
	return map[string]cache.SharedIndexInformer{
		"typed":    stockinformers.NewSharedInformerFactory(typed, 0).Core().V1().ConfigMaps().Informer(),
		"dynamic":  stockdynamic.NewDynamicSharedInformerFactory(d, 0).ForResource(resource).Informer(),
		"metadata": stockmetadata.NewSharedInformerFactory(m, 0).ForResource(resource).Informer(),
	}
}

// follow adds six informers for a way: three of the mirrors with plain clients, and three
// of client-go that are adopted, with clients of a wrapped configuration.
func (w *world) follow(ctx context.Context, by *way) {
	w.t.Helper()
	typed, d, m := clients(w.t, by.config)
	for form, inf := range map[string]cache.SharedIndexInformer{
		"typed":    informers.NewSharedInformerFactory(typed, 0).Core().V1().ConfigMaps().Informer(),
		"dynamic":  dynamicinformer.NewDynamicSharedInformerFactory(d, 0).ForResource(resource).Informer(),
		"metadata": metadatainformer.NewSharedInformerFactory(m, 0).ForResource(resource).Informer(),
	} {
		w.add(ctx, newFollower(w.t, by.name+", mirror, "+form, form, by, inf))
	}
	for form, inf := range stock(clients(w.t, clientgo.Wrap(by.config))) {
		w.add(ctx, newFollower(w.t, by.name+", adopted, "+form, form, by, clientgo.Adopt(inf, clientgo.Options{})))
	}
}

// write makes the changes that all informers must see, with new names.
func (w *world) write(suffix string) {
	w.t.Helper()
	maps := w.admin.CoreV1().ConfigMaps("default")
	for _, name := range []string{"changed-", "deleted-"} {
		made, err := maps.Create(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name + suffix}}, metav1.CreateOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range w.followers { // or the next change would be folded into this one
			f.await(w.t, "add "+name+suffix)
		}
		if name == "deleted-" {
			err = maps.Delete(w.t.Context(), made.Name, metav1.DeleteOptions{})
		} else {
			made.Data = map[string]string{"a": "b"}
			_, err = maps.Update(w.t.Context(), made, metav1.UpdateOptions{})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for _, f := range w.followers {
		f.await(w.t, "update changed-"+suffix)
		f.await(w.t, "delete deleted-"+suffix)
	}
}

// compare compares each informer with client-go's for the same form.
func (w *world) compare() {
	w.t.Helper()
	want := map[string]map[string]any{}
	for _, f := range w.followers {
		if f.way == nil {
			want[f.form] = objectsOf(f)
		}
	}
	for _, f := range w.followers {
		got := objectsOf(f)
		if keys, all := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want[f.form])); !slices.Equal(keys, all) {
			w.t.Errorf("%s: has %d objects, client-go has %d", f.name, len(keys), len(all))
			continue
		}
		for key, obj := range got {
			if !reflect.DeepEqual(obj, want[f.form][key]) {
				w.t.Errorf("%s: %s is\n%#v\nclient-go has\n%#v", f.name, key, obj, want[f.form][key])
				break
			}
		}
	}
}

// objectsOf returns the objects of an informer without managedFields, which are dropped
// by default.
func objectsOf(f *follower) map[string]any {
	all := map[string]any{}
	for _, obj := range f.informer.GetIndexer().List() {
		switch o := obj.(type) {
		case interface{ UnstructuredContent() map[string]any }:
			content := maps.Clone(o.UnstructuredContent())
			metadata := maps.Clone(content["metadata"].(map[string]any))
			delete(metadata, "managedFields")
			content["metadata"] = metadata
			obj = content
		case *corev1.ConfigMap:
			obj = o.DeepCopy()
			obj.(metav1.Object).SetManagedFields(nil)
		case *metav1.PartialObjectMetadata:
			obj = o.DeepCopy()
			obj.(metav1.Object).SetManagedFields(nil)
		}
		all[keyOf(obj)] = obj
	}
	return all
}

// keyOf returns the key of an object of any form.
func keyOf(obj any) string {
	if content, ok := obj.(map[string]any); ok {
		m := content["metadata"].(map[string]any)
		return fmt.Sprint(m["namespace"], "/", m["name"])
	}
	m := obj.(metav1.Object)
	return m.GetNamespace() + "/" + m.GetName()
}

// checkHealth checks that each informer is accelerated and has no fault. outage means
// that there was one.
func (w *world) checkHealth(outage bool) {
	w.t.Helper()
	for _, f := range w.followers {
		if f.way == nil {
			continue
		}
		h, ok := clientgo.HealthOf(f.informer)
		if !ok || !h.Accelerated || h.Engine.Ready() != nil || h.Engine.Err != nil || h.Engine.Invalid != 0 {
			w.t.Errorf("%s: accelerated %v (%s), fault %v: %v, invalid %d", f.name, h.Accelerated, h.Reason, h.Engine.Fault, h.Engine.Err, h.Engine.Invalid)
		}
		if !outage && !f.way.refused && h.Engine.LastErr != nil && !strings.Contains(h.Engine.LastErr.Error(), "ListOptions") {
			w.t.Errorf("%s: there was a fault: %v", f.name, h.Engine.LastErr)
		}
	}
}

// TestTunnel follows an API server in every way, while credentials are rotated and the
// server restarts.
func TestTunnel(t *testing.T) {
	signer := newAuthority(t)
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, APIServer: []string{"--client-ca-file=" + signer.file}})
	cfg := c.RESTConfig()
	cfg.QPS = -1
	admin, d, m := clients(t, cfg)
	w := &world{t: t, admin: admin}
	for i := range objects {
		_, err := admin.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cm-%03d", i), Labels: map[string]string{"app": "test"}},
			Data:       map[string]string{"text": strings.Repeat(fmt.Sprintf("line %d\n", i), 100)},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	proofs := newCredentials(t, admin)
	ways := proofs.ways(c.RESTConfig(), signer)
	ctx, cancel := context.WithCancel(t.Context())
	defer w.running.Wait()
	defer cancel()
	for form, inf := range stock(admin, d, m) {
		w.add(ctx, newFollower(t, "client-go, "+form, form, nil, inf))
	}
	for i := range ways {
		w.follow(ctx, &ways[i])
	}
	w.write("first")
	w.compare()
	w.checkHealth(false)
	checkForms(t, ways)

	proofs.rotate()
	c.StopAPIServer()
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.write("second")
	w.compare()
	w.checkHealth(true)
	checkWays(t, ways, proofs)
}

// checkForms checks that each way has listed as its name states. After the restart of the server, watches that are
// refused may be answered by lists.
func checkForms(t *testing.T, ways []way) {
	t.Helper()
	for _, w := range ways {
		unzipped, lists := w.seen.unzipped.Load(), w.seen.lists.Load()
		if wanted := w.name == "lists in gzip"; (unzipped > 0) != wanted {
			t.Errorf("%s: %d answers were compressed", w.name, unzipped)
		}
		if wanted := strings.HasPrefix(w.name, "lists"); (lists > 0) != wanted {
			t.Errorf("%s: %d lists", w.name, lists)
		}
	}
}

// checkWays checks that each way was used as its name states.
func checkWays(t *testing.T, ways []way, proofs *credentials) {
	t.Helper()
	for _, w := range ways {
		refused, http1, http2 := w.seen.refused.Load(), w.seen.http1.Load(), w.seen.http2.Load()
		if (http1 > 0) != (w.name == "HTTP/1.1") || (http2 > 0) == (w.name == "HTTP/1.1") {
			t.Errorf("%s: %d answers over HTTP/1.1, %d over HTTP/2", w.name, http1, http2)
		}
		if wanted := w.name == "exec plugin"; (refused > 0) != wanted {
			t.Errorf("%s: %d requests were refused with 401", w.name, refused)
		}
	}
	if calls, err := os.ReadFile(proofs.calls()); err != nil || bytes.Count(calls, []byte("\n")) < 3 {
		t.Errorf("the exec plugin was called %d times, %v; want one token refused, one valid, one after the rotation", bytes.Count(calls, []byte("\n")), err)
	}
}
