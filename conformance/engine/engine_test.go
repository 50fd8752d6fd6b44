package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

var (
	pods    = flag.Int("engine.pods", 2_000, "number of pods of TestLoad, a multiple of 16")
	updates = flag.Int("engine.updates", 40_000, "number of updates of TestLoad")
)

const (
	writers = 16
	// perSecond is the number of updates per second, if the machine is fast enough.
	perSecond = 2_000
)

// TestLoad updates pods behind a real API server 2,000 times a second, kills the server
// twice meanwhile, and compares the events of a subscriber of every change with the
// writes. A revision may be missing only if the server no longer
// had it after its restart, and only in a gap that Health reports.
//
// The updates go directly to etcd, which accepts several times as many as an API server
// on two cores; the API server delivers the same events.
func TestLoad(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	w := newLoad(t, c)
	w.create(t.Context(), t)
	ctx, cancel := context.WithCancel(t.Context())
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	o := &observer{inf: inf, seen: map[revision]int{}}
	var work sync.WaitGroup
	work.Go(func() {
		if err := inf.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	work.Go(func() { o.follow(t.Context()) }) // ends after the last event
	work.Go(func() { o.gapsOf(ctx) })
	<-inf.Synced()
	if n := inf.Snapshot().Records().Len(); n != *pods {
		t.Fatalf("%d pods after the first list", n)
	}

	began := time.Now()
	var writing sync.WaitGroup
	writing.Go(func() { w.update(t.Context(), t) })
	for _, part := range []int{*updates / 3, *updates * 2 / 3} {
		patience.Work(t, "the next third of the updates", func() (int64, string) { return w.lacks(part) })
		c.KillAPIServer()
		if err := c.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	writing.Wait()
	took := time.Since(began)
	w.settle(t, inf)
	cancel()
	work.Wait()

	w.compare(t, inf, o)
	h, _ := inf.Health()
	t.Logf("%d updates in %v (%.0f/s); %d relists, gaps %v; lag to the store %v on average, %v at most; %.0f B of memory per pod of %.0f B",
		len(w.written), took.Round(time.Second), float64(len(w.written))/took.Seconds(), h.Relists.Expired, o.gaps,
		h.Stored.Sum/time.Duration(max(h.Stored.Count, 1)), h.Stored.Max,
		float64(inf.Stats().HeldBytes)/float64(*pods), float64(inf.Stats().RawBytes)/float64(*pods))
}

// revision is one state of one object.
type revision struct {
	uid     string
	version wire.Version
}

// observer records events.
type observer struct {
	inf  *informer.Informer[corev1.Pod]
	seen map[revision]int

	mu      sync.Mutex
	gaps    []reflector.Gap
	history []string // of the connection
}

func (o *observer) follow(ctx context.Context) {
	for ev := range o.inf.Events(ctx) {
		o.seen[revision{ev.UID(), ev.Version()}]++
	}
}

func (o *observer) gapsOf(ctx context.Context) {
	var phase reflector.Phase
	var fault reflector.Fault
	for {
		h, changed := o.inf.Health()
		if h.Phase != phase || h.Fault != fault {
			phase, fault = h.Phase, h.Fault
			o.history = append(o.history, fmt.Sprintf("%s %v at version %v, %v %v", time.Now().Format(time.TimeOnly), h.Phase, h.Version, h.Fault, h.Err))
		}
		o.mu.Lock()
		if g := h.LastGap; g.To != 0 && (len(o.gaps) == 0 || o.gaps[len(o.gaps)-1] != g) {
			o.gaps = append(o.gaps, g)
		}
		o.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// hidden reports whether a version is in a gap.
func (o *observer) hidden(v wire.Version) bool {
	for _, g := range o.gaps {
		if v > g.From && v <= g.To {
			return true
		}
	}
	return false
}

// writersOfPods create and update pods.
type writersOfPods struct {
	client kubernetes.Interface
	etcd   string
	http   *http.Client

	mu      sync.Mutex
	written []revision
	last    wire.Version
}

// lacks returns the number of written updates, and how many there are if they are too few.
func (w *writersOfPods) lacks(want int) (done int64, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.written) < want {
		problem = fmt.Sprintf("%d of %d are written", len(w.written), want)
	}
	return int64(len(w.written)), problem
}

func newLoad(t *testing.T, c *controlplane.Cluster) *writersOfPods {
	cfg := c.RESTConfig()
	cfg.ContentType, cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: writers}
	t.Cleanup(transport.CloseIdleConnections)
	return &writersOfPods{client: client, etcd: c.EtcdURL(), http: &http.Client{Transport: transport}}
}

func name(i int) string { return fmt.Sprintf("pod-%05d", i) }

// create creates all pods.
func (w *writersOfPods) create(ctx context.Context, t *testing.T) {
	t.Helper()
	var next atomic.Int64
	var work sync.WaitGroup
	for range writers {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(*pods); i = next.Add(1) - 1 {
				_, err := w.client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{Name: name(int(i)), Labels: map[string]string{"app": "load"}},
					Spec: corev1.PodSpec{
						SchedulerName: "nobody",
						Containers:    []corev1.Container{{Name: "main", Image: "registry.example.com/train:v1", Args: []string{"--shard", fmt.Sprint(i)}}},
					},
				}, metav1.CreateOptions{})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}

// update writes one pod after the other.
func (w *writersOfPods) update(ctx context.Context, t *testing.T) {
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			tick := time.NewTicker(writers * time.Second / perSecond) // an input: the pace of the writer
			defer tick.Stop()
			known := map[int]*stored{}
			for i := n; i < *updates; i += writers {
				<-tick.C
				if err := w.updateOne(ctx, known, i%*pods); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
}

// updateOne changes the status of a pod. Nobody else writes it, so updateOne reads it
// from etcd only once.
func (w *writersOfPods) updateOne(ctx context.Context, known map[int]*stored, i int) error {
	key := []byte("/registry/pods/default/" + name(i))
	p := known[i]
	if p == nil {
		var found struct {
			Kvs []struct {
				Value []byte `json:"value"`
			} `json:"kvs"`
		}
		if err := w.ask(ctx, "/v3/kv/range", map[string]any{"key": key}, &found); err != nil {
			return err
		}
		if len(found.Kvs) != 1 {
			return fmt.Errorf("etcd has %d values of %s", len(found.Kvs), key)
		}
		p = &stored{}
		if err := p.parse(found.Kvs[0].Value); err != nil {
			return err
		}
		known[i] = p
	}
	value, err := p.change()
	if err != nil {
		return err
	}
	var put struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	if err := w.ask(ctx, "/v3/kv/put", map[string]any{"key": key, "value": value}, &put); err != nil {
		return err
	}
	v, err := wire.ParseVersion(put.Header.Revision)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written = append(w.written, revision{string(p.pod.UID), v})
	w.last = max(w.last, v)
	return nil
}

// stored is a pod in etcd.
type stored struct {
	envelope runtime.Unknown
	pod      corev1.Pod
}

const magic = "k8s\x00"

func (s *stored) parse(value []byte) error {
	raw, ok := bytes.CutPrefix(value, []byte(magic))
	if !ok {
		return errors.New("etcd's value is not protobuf")
	}
	if err := s.envelope.Unmarshal(raw); err != nil {
		return err
	}
	return s.pod.Unmarshal(s.envelope.Raw)
}

// change returns the pod with another status.
func (s *stored) change() (value []byte, err error) {
	s.pod.Status.Message = time.Now().String()
	if s.envelope.Raw, err = s.pod.Marshal(); err != nil {
		return nil, err
	}
	out, err := s.envelope.Marshal()
	return append([]byte(magic), out...), err
}

// ask posts to the JSON gateway of etcd.
func (w *writersOfPods) ask(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.etcd+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s", resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}

// settle waits until the informer has the last write.
func (w *writersOfPods) settle(t *testing.T, inf *informer.Informer[corev1.Pod]) {
	t.Helper()
	if err := inf.WaitFor(patience.Context(t, "the last write"), w.last); err != nil {
		h, _ := inf.Health()
		t.Fatalf("version %v was not reached: %v; %+v", w.last, err, h.Health)
	}
}

// compare compares the observed events with the writes, and the store with a new list.
func (w *writersOfPods) compare(t *testing.T, inf *informer.Informer[corev1.Pod], o *observer) {
	t.Helper()
	missing, hidden := 0, 0
	for _, r := range w.written {
		switch {
		case o.seen[r] == 1:
		case o.seen[r] > 1:
			t.Errorf("got %d events of %v", o.seen[r], r)
		case o.hidden(r.version):
			hidden++
		default:
			if missing++; missing < 10 {
				t.Errorf("no event of %v", r)
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d revisions are missing outside of the gaps %v", missing, len(w.written), o.gaps)
		t.Errorf("events of the connection:\n%s", strings.Join(o.history, "\n"))
	}
	t.Logf("the server no longer had %d of %d revisions after its restart", hidden, len(w.written))
	if len(w.written) != *updates {
		t.Errorf("only %d updates", len(w.written))
	}
	now := map[revision]bool{}
	for e := range inf.Snapshot().Records().All() {
		now[revision{e.UID(), e.Version()}] = true
	}
	list, err := w.client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		v, err := wire.ParseVersion(list.Items[i].ResourceVersion)
		if err != nil {
			t.Fatal(err)
		}
		delete(now, revision{string(list.Items[i].UID), v})
	}
	if len(list.Items) != *pods || len(now) != 0 || inf.Snapshot().Records().Len() != *pods {
		t.Errorf("the server has %d pods, the store has %d; %d differ", len(list.Items), inf.Snapshot().Records().Len(), len(now))
	}
}

// must returns a value, and panics if its configuration was illegal.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}
