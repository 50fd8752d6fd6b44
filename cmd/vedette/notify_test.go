package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/record/history"
)

// The secrets of the tests. No output may have them.
const (
	hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hookPath   = "geheimer-pfad"
)

// sink is an endpoint that takes messages, or refuses them.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	got    []sinkMessage
	status int
	more   chan struct{}
}

type sinkMessage struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Title, Sentence, To, URL string
		Late                     bool
		Job                      struct{ Namespace, Name string }
	} `json:"data"`
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{status: http.StatusOK, more: make(chan struct{}, 1000)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Setenv("HOOK_URL", s.URL+"/"+hookPath)
	t.Setenv("HOOK_SECRET", hookSecret)
	return s
}

// ServeHTTP implements http.Handler.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.WriteHeader(s.status); s.status == http.StatusOK {
		var m sinkMessage
		_ = json.Unmarshal(body, &m) // a message that is none is empty
		s.got = append(s.got, m)
		s.more <- struct{}{}
	}
}

func (s *sink) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *sink) messages() []sinkMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]sinkMessage(nil), s.got...)
}

// notifyFile is a file whose channel is the sink.
const notifyFile = `portal: https://vedette.example.com
network: {allow: [127.0.0.1]}
channels:
  hook: {type: webhook, url: {env: HOOK_URL}, secret: {env: HOOK_SECRET}, named-by-jobs: true}
  closed: {type: webhook, url: {env: HOOK_URL}, secret: {env: HOOK_SECRET}}
people:
  liwei: {also: [wei@corp]}
rules:
- name: failures
  types: [pods]
  enter: [Failed]
  to: [hook]
`

// TestNotifyCheck: the file is shown without secrets, and all mistakes are told at once.
func TestNotifyCheck(t *testing.T) {
	newSink(t)
	path := file(t, "notify.yaml", notifyFile)
	out, errs := ended(t, 0, "notify", "check", path)
	text := strings.Join(rows(strings.ReplaceAll(out, path, "F")), "\n")
	for _, want := range []string{"hook | webhook | by kind and rule | yes | no | F:4", "liwei | nothing: no channel has an address | wei@corp | en", "failures | pods | enters Failed | hook | by kind and channel | F:9"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	hides(t, out+errs)
	broken := file(t, "notify.yaml", strings.NewReplacer("Failed", "Fialed", "[hook]", "[hok]").Replace(notifyFile))
	_, errs = ended(t, 1, "notify", "check", broken)
	if strings.Count(errs, "vedette: "+broken+":") != 2 {
		t.Error(errs)
	}
	t.Setenv("HOOK_URL", "")
	if _, errs = ended(t, 1, "notify", "check", "--notify", path); !strings.Contains(errs, "the environment variable HOOK_URL is not set") {
		t.Error(errs)
	}
	ended(t, 0, "notify", "check", "--notify", path, "--without-secrets")
	if _, errs = ended(t, 1, "notify", "check"); errs != "vedette: no file of notifications is named: use --notify notify.yaml, VEDETTE_NOTIFY, or notify in the file of --config\n" {
		t.Error(errs)
	}
	t.Setenv("VEDETTE_CONFIG", file(t, "vedette.yaml", "notify: "+broken))
	if _, errs = ended(t, 1, "notify", "check"); !strings.Contains(errs, broken+":") {
		t.Error(errs)
	}
}

// hides fails if a text has a secret.
func hides(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{hookSecret, hookSecret[6:], hookPath} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret %s is shown:\n%s", secret, text)
		}
	}
}

// TestNotifyTest: a message is sent now, and the exit code says whether the channel took it.
func TestNotifyTest(t *testing.T) {
	s := newSink(t)
	path := file(t, "notify.yaml", notifyFile)
	_, errs := ended(t, 0, "notify", "test", "hook", "--notify", path, "--by", "ann")
	if !strings.HasPrefix(errs, "hook took the message in ") || !strings.HasSuffix(errs, ": HTTP 200\n") {
		t.Error(errs)
	}
	got := s.messages()
	if len(got) != 1 || got[0].Data.Title != "Test of hook" || !strings.Contains(got[0].Data.Sentence, "ann sent this") || !strings.Contains(got[0].Data.Sentence, "failures") {
		t.Errorf("%+v", got)
	}
	s.answer(http.StatusServiceUnavailable)
	_, errs = ended(t, 1, "notify", "test", "hook", "--notify", path)
	if !strings.HasPrefix(errs, "vedette: channel hook did not take the message: HTTP 503") || strings.Count(errs, "\n") != 1 {
		t.Error(errs)
	}
	hides(t, errs)
	s.Close()
	_, errs = ended(t, 1, "notify", "test", "hook", "--notify", path)
	if !strings.Contains(errs, "connection refused") {
		t.Error(errs)
	}
	hides(t, errs)
	for args, want := range map[string]string{
		"nope":        `has no channel "nope"; it has closed, hook`,
		"hook --to x": "channel hook is of type webhook, which has no addresses: leave out x",
	} {
		if _, errs := ended(t, 1, append([]string{"notify", "test", "--notify", path}, strings.Fields(args)...)...); !strings.Contains(errs, want) {
			t.Errorf("%s: %s", args, errs)
		}
	}
}

// TestRecordNotifies: one process records and notifies; its page has the health of both.
func TestRecordNotifies(t *testing.T) {
	s := newSink(t)
	srv := recordable(t, apitest.Config{})
	pod := newPod("ml", "train-7")
	srv.create(pod)
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url, "--notify", file(t, "notify.yaml", notifyFile), "--listen", "127.0.0.1:0")
	p.err.holds(t, "Ctrl-C ends it")
	recorded(t, url, "pods", "train-7")
	awaitCursor(t, url)
	srv.phase(pod, corev1.PodFailed, "OOMKilled")
	<-s.more
	if got := s.messages(); len(got) != 1 || got[0].Data.Job.Name != "train-7" || !strings.Contains(got[0].ID, "/Failed/failures/hook") {
		t.Errorf("%+v", got)
	}
	p.interrupt()
	hides(t, p.out.String()+p.err.String())
	out, _ := ended(t, 0, "notify", "ls", "--state", "sent", "-o", "name", "--db", url)
	if out != "message/1\n" {
		t.Error(out)
	}
}

// TestNotifyRun: a process of its own notifies, and answers probes.
func TestNotifyRun(t *testing.T) {
	s := newSink(t)
	b := newLetterbox(t)
	b.put("hook", 3)
	p := start(t, "notify", "run", "--db", b.url, "--notify", file(t, "notify.yaml", notifyFile), "--listen", "127.0.0.1:0")
	for range 3 {
		<-s.more
	}
	p.err.holds(t, "1 rule of ")
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/readyz", http.StatusOK, regexp.MustCompile(`^ok\n$`))
	awaited(t, address+"/metrics", http.StatusOK, regexp.MustCompile(`(?s)go_goroutines.*vedette_notify_tries_total\{channel="hook",result="sent"\} 3\n`))
	p.interrupt()
	http.DefaultClient.CloseIdleConnections()
	for i, m := range s.messages() {
		if m.Data.Job.Namespace != "ml" {
			t.Errorf("%d: %+v", i, m)
		}
	}
	hides(t, p.out.String()+p.err.String())
	for _, args := range [][]string{{}, {"--notify", "/nowhere"}} {
		if _, errs := ended(t, 1, append([]string{"notify", "run", "--db", b.url}, args...)...); strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: %s", args, errs)
		}
	}
	if diff := b.states(); fmt.Sprint(diff) != "map[sent:3]" {
		t.Error(diff)
	}
}

// TestNotifyReset: nobody is told of what is skipped, which needs --yes as long as a
// notifier could still read it.
func TestNotifyReset(t *testing.T) {
	s := newSink(t)
	srv := recordable(t, apitest.Config{})
	url, path := "sqlite:"+filepath.Join(t.TempDir(), "h.db"), file(t, "notify.yaml", notifyFile)
	ended(t, 0, "migrate", "up", "--db", url)
	if _, errs := ended(t, 1, "notify", "reset", "--db", url); errs != "vedette: no notifier has run on this database yet, so there is nothing to reset\n" {
		t.Error(errs)
	}
	p := start(t, "notify", "run", "--db", url, "--notify", path)
	awaitCursor(t, url)
	p.interrupt()
	pod := newPod("ml", "train-7")
	srv.create(pod)
	p = start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url)
	recorded(t, url, "pods", "train-7")
	srv.phase(pod, corev1.PodFailed, "OOMKilled")
	recordedAs(t, url, "pods", "train-7", func(o history.Object) bool { return o.State == "Failed" })
	p.interrupt()
	if _, errs := ended(t, 1, "notify", "reset", "--db", url); errs != "vedette: a notifier could still read 2 transitions: run one, or add --yes to skip them\n" {
		t.Error(errs)
	}
	if _, errs := ended(t, 0, "notify", "reset", "--yes", "--db", url); errs != "notifiers begin again from now; 2 transitions skipped\n" {
		t.Error(errs)
	}
	p = start(t, "notify", "run", "--db", url, "--notify", path)
	p.err.holds(t, "Ctrl-C ends it")
	p.interrupt()
	if got := s.messages(); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
