package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	if err := os.Setenv("KUBECONFIG", filepath.Join(os.TempDir(), "vedette-tests-have-none")); err != nil {
		panic(err)
	}
	// The portals of the tests share the local token of one user, whose folder for settings is not that of the user who runs the tests.
	settings, err := os.MkdirTemp("", "vedette-tests-")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "AppData"} {
		if err := os.Setenv(name, settings); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(settings)
		os.Exit(code)
	}))
}

// asProgram is the variable that makes the test binary run as the program.
const asProgram = "VEDETTE_TEST_AS_PROGRAM"

// output is a writer that tests can wait on.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error // what Write returns
}

func newOutput() *output { return new(output) }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// until waits until the text satisfies ok.
func (o *output) until(t *testing.T, what string, ok func(string) bool) {
	t.Helper()
	patience.Until(t, what, func() string {
		text := o.String()
		if ok(text) {
			return ""
		}
		return "it does not appear in:\n" + text
	})
}

func (o *output) holds(t *testing.T, want string) {
	t.Helper()
	o.until(t, fmt.Sprintf("%q", want), func(text string) bool { return strings.Contains(text, want) })
}

// program is a run of the program.
type program struct {
	t        *testing.T
	out, err *output
	cancel   context.CancelFunc
	code     chan int
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	return startAs(t, os.Args[0], args...)
}

// startAs starts the program by a name.
func startAs(t *testing.T, name string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{t: t, out: newOutput(), err: newOutput(), cancel: cancel, code: make(chan int, 1)}
	go func() { p.code <- run(ctx, append([]string{name}, args...), p.out, p.err) }()
	t.Cleanup(cancel)
	return p
}

// end waits for the end, and returns the exit code.
func (p *program) end() int {
	p.t.Helper()
	return patience.Receive(p.t, "the end of the program", p.code, func() string { return fmt.Sprintf("\n%v\n%v", p.out, p.err) })
}

// interrupt presses Ctrl-C, and waits for the end.
func (p *program) interrupt() {
	p.t.Helper()
	p.cancel()
	if code := p.end(); code != 0 {
		p.t.Errorf("exit code %d after Ctrl-C: %v", code, p.err)
	}
}

// platform is a server with a kubeconfig.
type platform struct {
	*apitest.Server
	t          *testing.T
	url        string
	kubeconfig string
	tls        string // further fields of the cluster in the kubeconfig
}

func serve(t *testing.T, cfg apitest.Config) *platform {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &platform{Server: srv, t: t, url: url, kubeconfig: filepath.Join(t.TempDir(), "config")}
	p.configure("token: secret")
	return p
}

func (p *platform) configure(user string) {
	p.t.Helper()
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c,
clusters: [{name: c, cluster: {server: "%s"%s}}], users: [{name: u, user: {%s}}],
contexts: [{name: c, context: {cluster: c, user: u, namespace: ml}}]}`, p.url, p.tls, user)
	if err := os.WriteFile(p.kubeconfig, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// secure puts HTTPS in front of the server, because clients send tokens only over HTTPS.
func (p *platform) secure() {
	p.t.Helper()
	behind, err := url.Parse(p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }, FlushInterval: -1})
	p.t.Cleanup(func() { proxy.CloseClientConnections(); proxy.Close() })
	p.url, p.tls = proxy.URL, ", insecure-skip-tls-verify: true"
}

// watch starts `vedette watch` against the server.
func (p *platform) watch(args ...string) *program {
	p.t.Helper()
	return start(p.t, append([]string{"watch", "--kubeconfig", p.kubeconfig}, args...)...)
}

func (p *platform) create(objects ...apitest.Object) {
	p.t.Helper()
	for _, o := range objects {
		if _, err := p.Create(o); err != nil {
			p.t.Fatal(err)
		}
	}
}

// phase changes the state of a pod.
func (p *platform) phase(pod *corev1.Pod, phase corev1.PodPhase, reason string) {
	p.t.Helper()
	pod.Status.Phase, pod.Status.Reason = phase, reason
	if _, err := p.UpdateStatus(pod); err != nil {
		p.t.Fatal(err)
	}
}

func newPod(namespace, name string, labels ...string) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}")}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "train"}}},
	}
	for _, l := range labels {
		pod.Labels[l] = "yes"
	}
	return pod
}

func newJob(namespace, name string) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
}
