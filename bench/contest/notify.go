package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/bench/measure"
)

// Figures of messengers.
const (
	MessageEach = "message-cpu" // s of CPU per message, including the server and the receiver
)

// OpenMessenger returns a messenger that notifies a receiver of every transition of a
// server's pods. run runs it until its context ends, and ready waits until it sends
// messages.
type OpenMessenger func(ctx context.Context, t *Task, srv *apitest.Server, receiver string) (run, ready func(context.Context) error, err error)

// Messengers create the messengers, by contestant. Package notified adds Vedette's.
var Messengers = map[string]OpenMessenger{"handler": newPoster, "floor": newFloorMessenger}

// doNotify changes the states of pods at a steady rate, and measures the time from each
// write to the request at the receiver. Task.N is the number of transitions and Task.Rate
// their number per second.
func doNotify(ctx context.Context, t *Task) (*Result, error) {
	open := Messengers[t.Contestant]
	if open == nil {
		return nil, fmt.Errorf("there is no messenger %q", t.Contestant)
	}
	srv, err := apitest.New(apitest.Config{Window: 20_000})
	if err != nil {
		return nil, err
	}
	defer srv.Close()
	p, err := newPods(srv, max(1, min(500, t.N/5)))
	if err != nil {
		return nil, err
	}
	in, err := newInbox(ctx)
	if err != nil {
		return nil, err
	}
	defer in.close()
	run, ready, err := open(ctx, t, srv, in.url)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(running) }()
	stop := func() error {
		cancel()
		return <-ended
	}
	if err := ready(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	mark, err := measure.Begin()
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	written, err := p.change(ctx, t.N, t.Rate)
	if err == nil {
		err = in.wait(ctx, t.N)
	}
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	f, err := mark.Times()
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	f[MessageEach] = f[measure.CPU] / float64(t.N)
	curve := measure.Latency(in.latencies(written), f)
	return &Result{Figures: f, Curve: curve}, stop()
}

// pods are the pods of a server that change their states.
type pods struct {
	srv *apitest.Server
	all []*corev1.Pod
}

func newPods(srv *apitest.Server, n int) (*pods, error) {
	if _, err := srv.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}); err != nil {
		return nil, err
	}
	p := &pods{srv: srv}
	for i := range n {
		made, err := srv.Create(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: fmt.Sprintf("train-%d", i), Labels: map[string]string{"app": "train", "user": fmt.Sprintf("user-%d", i%20)}},
			Spec:       corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "main", Image: "train"}}},
			Status:     corev1.PodStatus{Phase: corev1.PodPending},
		})
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, made.(*corev1.Pod))
	}
	return p, nil
}

// change makes transitions at a rate. It returns the time of the write of each version.
func (p *pods) change(ctx context.Context, n, rate int) (map[string]time.Time, error) {
	written := make(map[string]time.Time, n)
	begin := time.Now()
	for i := range n {
		select {
		case <-time.After(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(rate)))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		pod := p.all[i%len(p.all)].DeepCopy()
		if pod.Status.Phase == corev1.PodRunning {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "OOMKilled", "the container used more memory than its limit"
		} else {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodRunning, "", ""
		}
		pod.ResourceVersion = ""
		at := time.Now()
		now, err := p.srv.UpdateStatus(pod)
		if err != nil {
			return nil, err
		}
		p.all[i%len(p.all)] = now.(*corev1.Pod)
		written[string(now.GetUID())+"/"+now.GetResourceVersion()] = at
	}
	return written, nil
}

// inbox is a receiver of webhooks on this machine.
type inbox struct {
	url    string
	server *http.Server
	work   sync.WaitGroup

	mu   sync.Mutex
	got  map[string]time.Time // by UID and version
	want int
	full chan struct{} // closed when want is reached
}

func newInbox(ctx context.Context) (*inbox, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	in := &inbox{url: "http://" + l.Addr().String(), got: map[string]time.Time{}, full: make(chan struct{})}
	in.server = &http.Server{Handler: in, ReadHeaderTimeout: time.Minute}
	in.work.Go(func() { _ = in.server.Serve(l) }) // it returns when the server is closed
	return in, nil
}

func (in *inbox) close() {
	_ = in.server.Close()
	in.work.Wait()
}

// ServeHTTP records the arrival of a message.
func (in *inbox) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	var event struct {
		ID   string `json:"id"`
		Data struct {
			Job struct {
				UID string `json:"uid"`
			} `json:"job"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return
	}
	parts := strings.Split(event.ID, "/") // cluster, UID, version and so on
	if len(parts) < 3 {
		return
	}
	if _, err := strconv.ParseUint(parts[2], 10, 64); err != nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	key := event.Data.Job.UID + "/" + parts[2]
	if _, again := in.got[key]; again {
		return
	}
	in.got[key] = at
	if len(in.got) == in.want {
		close(in.full)
	}
}

// wait waits for a number of different messages.
func (in *inbox) wait(ctx context.Context, n int) error {
	in.mu.Lock()
	in.want = n
	if len(in.got) >= n {
		in.mu.Unlock()
		return nil
	}
	in.mu.Unlock()
	select {
	case <-in.full:
		return nil
	case <-ctx.Done():
		in.mu.Lock()
		defer in.mu.Unlock()
		return fmt.Errorf("%d of %d messages arrived: %w", len(in.got), n, ctx.Err())
	}
}

// latencies returns the latency of each message.
func (in *inbox) latencies(written map[string]time.Time) (all []time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for key, at := range written {
		if got, found := in.got[key]; found {
			all = append(all, got.Sub(at))
		}
	}
	return all
}
