package kubelet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// Kubelet serves the logs of containers to API servers.
type Kubelet struct {
	logs  *apitest.Server
	pipes *http.Transport
	https *httptest.Server

	mu       sync.Mutex // guards the fields below
	faults   []*Fault
	requests []Request
}

// quiet drops the log of net/http.
var quiet = log.New(io.Discard, "", 0)

// Request is one request for a log, as an API server sends it.
type Request struct {
	Time                      time.Time
	Namespace, Pod, Container string
	Query                     url.Values
}

// New starts a kubelet on a free port of 127.0.0.1. Close ends it.
func New() (*Kubelet, error) {
	logs, err := apitest.New(apitest.Config{})
	if err != nil {
		return nil, err
	}
	k := &Kubelet{logs: logs, pipes: &http.Transport{DialContext: logs.Dial, MaxIdleConnsPerHost: 1000}}
	k.https = httptest.NewUnstartedServer(http.HandlerFunc(k.serve))
	k.https.Config.ErrorLog = quiet // it logs the effects of Inject and Cut
	k.https.StartTLS()
	return k, nil
}

// ForTest starts a kubelet that ends with the test.
func ForTest(t testing.TB) *Kubelet {
	t.Helper()
	k, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// Close ends all answers and the server.
func (k *Kubelet) Close() {
	k.logs.Close()
	k.pipes.CloseIdleConnections()
	k.https.CloseClientConnections()
	k.https.Close()
}

// Port returns the port for controlplane.Options.KubeletPort.
func (k *Kubelet) Port() int {
	addr, ok := k.https.Listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return addr.Port
}

// Start defines containers of a pod, with empty logs. Write does so, too.
func (k *Kubelet) Start(namespace, pod string, containers ...string) error {
	like := named(namespace, pod)
	_, err := k.logs.Get(like)
	if apierrors.IsNotFound(err) {
		_, err = k.logs.Create(like)
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err = apitest.Modify(k.logs, like, func(p *corev1.Pod) {
		for _, name := range containers {
			if !slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool { return c.Name == name }) {
				p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: name})
				p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, State: running()})
			}
		}
	})
	return err
}

// Write appends text to the log of the current run of a container.
func (k *Kubelet) Write(namespace, pod, container, text string) error {
	return k.WriteAt(time.Now(), namespace, pod, container, text)
}

// WriteAt is Write for lines with a given time.
func (k *Kubelet) WriteAt(at time.Time, namespace, pod, container, text string) error {
	err := k.logs.WriteLogAt(at, namespace, pod, container, text)
	if apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) {
		if err = k.Start(namespace, pod, container); err == nil {
			err = k.logs.WriteLogAt(at, namespace, pod, container, text)
		}
	}
	return err
}

// End ends the current run of a container: streams end after they have sent everything.
func (k *Kubelet) End(namespace, pod, container string) error {
	return k.change(namespace, pod, container, func(s *corev1.ContainerStatus) { s.State = terminated() })
}

// Restart begins the next run of a container. The current run becomes the previous one.
func (k *Kubelet) Restart(namespace, pod, container string) error {
	return k.change(namespace, pod, container, func(s *corev1.ContainerStatus) {
		s.State, s.LastTerminationState = running(), terminated()
		s.RestartCount++
	})
}

// Rotate begins a new log file: earlier lines are no longer served.
func (k *Kubelet) Rotate(namespace, pod, container string) error {
	return k.logs.RotateLog(namespace, pod, container)
}

// Remove removes a pod and its logs, as the deletion of the pod does.
func (k *Kubelet) Remove(namespace, pod string) error { return k.logs.Delete(named(namespace, pod)) }

// Cut cuts all open answers, like a node that fails.
func (k *Kubelet) Cut() { k.logs.CutLogs(apitest.CutReset) }

// Inject adds a fault of later requests.
func (k *Kubelet) Inject(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults = append(k.faults, &f)
}

// Requests returns all requests so far, oldest first.
func (k *Kubelet) Requests() []Request {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.requests)
}

func (k *Kubelet) change(namespace, pod, container string, change func(*corev1.ContainerStatus)) error {
	_, err := apitest.Modify(k.logs, named(namespace, pod), func(p *corev1.Pod) {
		for i := range p.Status.ContainerStatuses {
			if s := &p.Status.ContainerStatuses[i]; s.Name == container {
				change(s)
			}
		}
	})
	return err
}

// serve answers /containerLogs/NAMESPACE/POD/CONTAINER from the server with the logs.
func (k *Kubelet) serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) != 4 || parts[0] != "containerLogs" {
		http.NotFound(w, r)
		return
	}
	request := Request{Time: time.Now(), Namespace: parts[1], Pod: parts[2], Container: parts[3], Query: r.URL.Query()}
	fault := k.take(request)
	if fault.Status != 0 {
		http.Error(w, fault.Message, fault.Status)
		return
	}
	query := r.URL.Query()
	query.Set("container", request.Container)
	proxy := httputil.ReverseProxy{
		Transport: k.pipes, FlushInterval: -1, ErrorLog: quiet, ModifyResponse: plainErrors,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = &url.URL{Scheme: "http", Host: "logs", RawQuery: query.Encode()}
			p.Out.URL.Path = "/api/v1/namespaces/" + request.Namespace + "/pods/" + request.Pod + "/log"
		},
	}
	proxy.ServeHTTP(&faultyWriter{ResponseWriter: w, fault: fault, done: r.Context().Done()}, r)
}

// take records a request, and returns its fault.
func (k *Kubelet) take(r Request) Fault {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.requests = append(k.requests, r)
	for _, f := range k.faults {
		if f.matches(r) {
			f.Times--
			return *f
		}
	}
	return Fault{}
}

// plainErrors converts a Status to the plain text of a kubelet.
func plainErrors(resp *http.Response) error {
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	var status metav1.Status
	if err := json.Unmarshal(body, &status); err != nil {
		return fmt.Errorf("an answer that is not a Status: %w", err)
	}
	text := status.Message
	if status.Code == http.StatusNotFound && status.Details != nil {
		text = fmt.Sprintf("pod %q does not exist", status.Details.Name)
	}
	resp.Body = io.NopCloser(bytes.NewReader([]byte(text)))
	resp.ContentLength = int64(len(text))
	resp.Header.Set("Content-Length", strconv.Itoa(len(text)))
	resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	return nil
}

func named(namespace, pod string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pod}}
}

func running() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

func terminated() corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
}
