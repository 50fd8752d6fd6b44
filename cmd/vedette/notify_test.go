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
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// The secrets of the tests. No output may have them.
const (
	hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hookPath   = "geheimer-pfad"
)

// sink is an endpoint that accepts or rejects messages.
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
	if w.WriteHeader(s.status); s.status == http.StatusOK && len(body) > 0 { // a check has no body
		var m sinkMessage
		_ = json.Unmarshal(body, &m) // an invalid message stays empty
		s.got = append(s.got, m)
		s.more <- struct{}{}
	}
}

// next waits for a message.
func (s *sink) next(t *testing.T) {
	t.Helper()
	patience.Receive(t, "a message", s.more)
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

// TestNotifyCheck checks that the command shows the file without secrets, and reports all mistakes
// at once.
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
		t.Errorf("check of a file with two mistakes: said %s; want a line for each of the two", errs)
	}
	t.Setenv("HOOK_URL", "")
	if _, errs = ended(t, 1, "notify", "check", "--notify", path); !strings.Contains(errs, "the environment variable HOOK_URL is not set") {
		t.Errorf("check without HOOK_URL: said %s; want that the variable is not set", errs)
	}
	ended(t, 0, "notify", "check", "--notify", path, "--without-secrets")
	if _, errs = ended(t, 1, "notify", "check"); errs != "vedette: no file of notifications is named: use --notify notify.yaml, VEDETTE_NOTIFY, or notify in the file of --config\n" {
		t.Errorf("check without a file: said %s; want how to name the file", errs)
	}
	t.Setenv("VEDETTE_CONFIG", file(t, "vedette.yaml", "notify: "+broken))
	if _, errs = ended(t, 1, "notify", "check"); !strings.Contains(errs, broken+":") {
		t.Errorf("check of the file in the settings: said %s; want the mistakes of %s", errs, broken)
	}
}

// TestNotifyCheckLogs checks that check lists rules that need kept logs, unless the settings keep
// logs.
func TestNotifyCheckLogs(t *testing.T) {
	newSink(t)
	path := file(t, "notify.yaml", notifyFile+"  log: true\n- {name: hangs, no-progress: {after: 1h, signal: [log]}, to: [hook]}\n")
	for settings, want := range map[string][2]bool{"": {true, true}, "keep-logs: [jobs]": {false, true}, "tail-logs: [jobs]": {false, false}} {
		args := []string{"notify", "check", path}
		if settings != "" {
			args = append(args, "--config", file(t, "vedette.yaml", settings))
		}
		_, errs := ended(t, 0, args...)
		if got := [2]bool{strings.Contains(errs, `rules with log: "failures"`), strings.Contains(errs, `rules with the signal log: "hangs"`)}; got != want {
			t.Errorf("%q: got warnings %v, want %v:\n%s", settings, got, want, errs)
		}
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

// TestNotifyTest checks that the command sends a message at once, and that the exit code reports
// the result.
func TestNotifyTest(t *testing.T) {
	s := newSink(t)
	path := file(t, "notify.yaml", notifyFile)
	_, errs := ended(t, 0, "notify", "test", "hook", "--notify", path, "--by", "ann")
	if !strings.HasPrefix(errs, "hook took the message in ") || !strings.HasSuffix(errs, ": HTTP 200\n") {
		t.Errorf("notify test: said %q, want that hook took the message with HTTP 200", errs)
	}
	got := s.messages()
	if len(got) != 1 || got[0].Data.Title != "Test of hook" || !strings.Contains(got[0].Data.Sentence, "ann sent this") || !strings.Contains(got[0].Data.Sentence, "failures") {
		t.Errorf("notify test: the sink got %+v, want one test message by ann with the rules", got)
	}
	s.answer(http.StatusServiceUnavailable)
	_, errs = ended(t, 1, "notify", "test", "hook", "--notify", path)
	if !strings.HasPrefix(errs, "vedette: channel hook did not take the message: HTTP 503") || strings.Count(errs, "\n") != 1 {
		t.Errorf("notify test on HTTP 503: said %q, want one line with the answer", errs)
	}
	hides(t, errs)
	s.Close()
	_, errs = ended(t, 1, "notify", "test", "hook", "--notify", path)
	if !strings.Contains(errs, "connection refused") {
		t.Errorf("notify test of a closed sink: said %q, want connection refused", errs)
	}
	hides(t, errs)
	for args, want := range map[string]string{
		"nope":        `has no channel "nope"; it has closed, hook`,
		"hook --to x": "channel hook is of type webhook, which has no addresses: leave out x",
	} {
		if _, errs := ended(t, 1, append([]string{"notify", "test", "--notify", path}, strings.Fields(args)...)...); !strings.Contains(errs, want) {
			t.Errorf("notify test %s: said %q, want %q", args, errs, want)
		}
	}
}

// TestRecordNotifies checks that one process records and notifies, and reports the health of both.
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
	s.next(t)
	if got := s.messages(); len(got) != 1 || got[0].Data.Job.Name != "train-7" || !strings.Contains(got[0].ID, "/Failed/failures/hook") {
		t.Errorf("the sink got %+v, want one message about train-7", got)
	}
	p.interrupt()
	hides(t, p.out.String()+p.err.String())
	out, _ := ended(t, 0, "notify", "ls", "--state", "sent", "-o", "name", "--db", url)
	if out != "message/1\n" {
		t.Errorf("notify ls: printed %q, want message/1", out)
	}
}

// TestNotifyRun checks that a separate process notifies, and answers probes.
func TestNotifyRun(t *testing.T) {
	s := newSink(t)
	b := newLetterbox(t)
	b.put("hook", 3)
	p := start(t, "notify", "run", "--db", b.url, "--notify", file(t, "notify.yaml", notifyFile), "--listen", "127.0.0.1:0")
	for range 3 {
		s.next(t)
	}
	p.err.holds(t, "1 rule and 2 channels of ")
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/readyz", http.StatusOK, regexp.MustCompile(`^ok\n$`))
	awaited(t, address+"/metrics", http.StatusOK, regexp.MustCompile(`(?s)go_goroutines.*vedette_notify_tries_total\{channel="hook",result="sent"\} 3\n`))
	p.interrupt()
	http.DefaultClient.CloseIdleConnections()
	for i, m := range s.messages() {
		if m.Data.Job.Namespace != "ml" {
			t.Errorf("message %d: got %+v, want namespace ml", i, m)
		}
	}
	hides(t, p.out.String()+p.err.String())
	for _, args := range [][]string{{}, {"--notify", "/nowhere"}} {
		if _, errs := ended(t, 1, append([]string{"notify", "run", "--db", b.url}, args...)...); strings.Count(errs, "\n") != 1 {
			t.Errorf("notify run %q: said %q, want one line", args, errs)
		}
	}
	if diff := b.states(); fmt.Sprint(diff) != "map[sent:3]" {
		t.Errorf("states after the run: got %v, want 3 sent", diff)
	}
}

// TestNotifyReset checks that nobody gets messages about skipped transitions, and that the command
// needs --yes while a notifier could still read them.
func TestNotifyReset(t *testing.T) {
	s := newSink(t)
	srv := recordable(t, apitest.Config{})
	url, path := "sqlite:"+filepath.Join(t.TempDir(), "h.db"), file(t, "notify.yaml", notifyFile)
	ended(t, 0, "migrate", "up", "--db", url)
	if _, errs := ended(t, 1, "notify", "reset", "--db", url); errs != "vedette: no notifier has run on this database yet, so there is nothing to reset\n" {
		t.Errorf("reset before any notifier: said %q, want that there is nothing to reset", errs)
	}
	if _, errs := ended(t, 1, "notify", "divide", "2", "--db", url); errs != "vedette: no notifier has run on this database yet, so there is nothing to divide\n" {
		t.Errorf("divide before any notifier: said %q, want that there is nothing to divide", errs)
	}
	p := start(t, "notify", "run", "--db", url, "--notify", path)
	awaitCursor(t, url)
	p.interrupt()
	if _, errs := ended(t, 0, "notify", "divide", "2", "--db", url); errs != "2 partitions; one replica at a time holds each\n" {
		t.Errorf("divide: said %q, want 2 partitions", errs)
	}
	pod := newPod("ml", "train-7")
	srv.create(pod)
	p = start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url)
	recorded(t, url, "pods", "train-7")
	srv.phase(pod, corev1.PodFailed, "OOMKilled")
	recordedAs(t, url, "pods", "train-7", func(o history.Object) bool { return o.State == "Failed" })
	p.interrupt()
	if _, errs := ended(t, 1, "notify", "reset", "--db", url); errs != "vedette: a notifier could still read 2 transitions: run one, or add --yes to skip them\n" {
		t.Errorf("reset without --yes: said %q, want 2 transitions and --yes", errs)
	}
	if _, errs := ended(t, 0, "notify", "reset", "--yes", "--db", url); errs != "notifiers begin again from now; 2 transitions skipped\n" {
		t.Errorf("reset --yes: said %q, want 2 transitions skipped", errs)
	}
	p = start(t, "notify", "run", "--db", url, "--notify", path)
	p.err.holds(t, "Ctrl-C ends it")
	p.interrupt()
	if got := s.messages(); len(got) > 0 {
		t.Errorf("after the reset: the sink got %+v, want nothing", got)
	}
}

// TestNotifyPreview checks that a preview shows the messages of the rules, and sends nothing.
func TestNotifyPreview(t *testing.T) {
	s := newSink(t)
	srv := recordable(t, apitest.Config{})
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url)
	p.err.holds(t, "Ctrl-C ends it")
	for i := range 3 {
		pod := newPod("ml", fmt.Sprint("train-", i))
		recordedAfter(t, url, srv, pod)
		srv.phase(pod, corev1.PodFailed, "OOMKilled")
		recordedAs(t, url, "pods", pod.Name, func(o history.Object) bool { return o.State == "Failed" })
	}
	p.interrupt()
	path := file(t, "notify.yaml", notifyFile+"- {name: never, enter: [Succeeded], to: [closed]}\n")
	t.Setenv("HOOK_SECRET", "") // which a preview does not need
	out, errs := ended(t, 0, "notify", "preview", "--since", "1h", "--notify", path, "--db", url)
	if lines := rows(out); len(lines) != 2 || !regexp.MustCompile(`^failures \| hook \| 3 \| - \| \S+ \S+ Failed ml/train-0 \(OOMKilled\)$`).MatchString(lines[1]) {
		t.Errorf("preview: got %q, want a header and 3 messages of failures", lines)
	}
	if !regexp.MustCompile(`(?s)^\d+ transitions since .*: 3 messages and 0 digests\nnothing from: never\n$`).MatchString(errs) {
		t.Errorf("preview: said %q, want 3 messages, and nothing from never", errs)
	}
	out, _ = ended(t, 0, "notify", "preview", "--notify", path, "--db", url, "-o", "json")
	var list struct{ Items []forecastDoc }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 1 || list.Items[0].Messages != 3 || len(list.Items[0].Samples) != 3 {
		t.Errorf("preview -o json: error %v, output %s; want one forecast of 3 messages", err, out)
	}
	if out, _ := ended(t, 0, "notify", "preview", "--notify", path, "--db", url, "-o", "csv"); !strings.Contains(out, "train-1 (OOMKilled); 2") {
		t.Errorf("preview -o csv: got %s, want the samples", out)
	}
	if got := s.messages(); len(got) > 0 {
		t.Errorf("preview: the sink got %+v, want nothing", got)
	}
	for args, want := range map[string]string{"--since yesterday": `"yesterday" is not a time`, "--until x": `"x" is not a time`, "-o xml": "unknown output format"} {
		if _, errs := ended(t, 1, append([]string{"notify", "preview", "--notify", path, "--db", url}, strings.Fields(args)...)...); !strings.Contains(errs, want) {
			t.Errorf("preview %s: said %q, want %q", args, errs, want)
		}
	}
}

// recordedAfter creates a pod and waits until it is recorded.
func recordedAfter(t *testing.T, url string, srv *platform, pod *corev1.Pod) {
	t.Helper()
	srv.create(pod)
	recorded(t, url, "pods", pod.Name)
}

// TestNotifyRecover checks that dead letters of a channel since a time are sent again, many only
// with --yes.
func TestNotifyRecover(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	b.put("hook", few+1)
	b.put("mail", 1)
	b.finish("hook", delivery.Permanent, "", "no")
	b.finish("mail", delivery.Permanent, "", "no")
	for args, want := range map[string]string{
		"--channel hook":            "name the channel with --channel, and say with --since how far back",
		"--since 1h":                "name the channel with --channel, and say with --since how far back",
		"--channel hook --since x":  `"x" is not a time`,
		"--channel hook --since 1h": "this sends 11 messages again: add --yes to do it",
	} {
		if _, errs := ended(t, 1, append([]string{"notify", "recover", "--db", b.url}, strings.Fields(args)...)...); !strings.Contains(errs, want) {
			t.Errorf("recover %s: said %q, want %q", args, errs, want)
		}
	}
	if _, errs := ended(t, 0, "notify", "recover", "--channel", "nope", "--since", "1h", "--db", b.url); !strings.HasPrefix(errs, "nothing failed on channel nope since ") {
		t.Errorf("recover of an unknown channel: said %q, want that nothing failed", errs)
	}
	if _, errs := ended(t, 0, "notify", "recover", "--channel", "hook", "--since", "1h", "--yes", "--by", "ann", "--db", b.url); errs != "11 messages will be sent again\n" {
		t.Errorf("recover --yes: said %q, want 11 messages", errs)
	}
	if n := b.states(); n["waiting"] != few+1 || n["dead"] != 1 || b.acts()[0] != "ann recover" {
		t.Errorf("after recover: states %v, acts %q; want 11 waiting, 1 dead and the act ann recover", n, b.acts())
	}
}

// TestWatchMessages checks that messages about the watched objects appear between the lines, with
// failed tries and the next command.
func TestWatchMessages(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	b.put("old", 1)
	b.finish("old", delivery.Delivered, "", "")
	srv := serve(t, apitest.Config{})
	p := srv.watch("jobs", "-A", "--messages", "--db", b.url)
	p.err.until(t, "the first look", func(string) bool { return true })
	srv.create(newJob("ml", "train-0"))
	p.out.holds(t, "jobs.batch        ml/train-0")
	b.put("mail", 1)
	b.finish("mail", delivery.Temporary, "451", "451 try again later")
	p.out.holds(t, "not sent to liwei by mail: 451 try again later, try 2 of 10 at ")
	b.put("chat", 1)
	b.finish("chat", delivery.Delivered, "ok", "")
	p.out.holds(t, `sent to liwei by chat in `)
	p.out.holds(t, `rule "my failures"; next: vedette history jobs.batch/train-0 -n ml`)
	p.out.holds(t, "  message           Failed, OOMKilled: train-0\n              ")
	p.interrupt()
	if strings.Contains(p.out.String(), "by old") {
		t.Errorf("a message from before is shown:\n%v", p.out)
	}
	if _, errs := ended(t, 1, "watch", "jobs", "--messages", "--kubeconfig", srv.kubeconfig); !strings.Contains(errs, "no database is named") {
		t.Errorf("watch --messages without a database: said %q, want that no database is named", errs)
	}
	if _, errs := ended(t, 1, "watch", "jobs", "--messages", "-o", "json", "--kubeconfig", srv.kubeconfig, "--db", b.url); !strings.Contains(errs, "--messages needs lines for people") {
		t.Errorf("watch --messages -o json: said %q, want that it needs lines for people", errs)
	}
}

// TestDoctorNotifications checks that doctor finds obstacles for messages, and sends none.
func TestDoctorNotifications(t *testing.T) {
	s := newSink(t)
	b := newLetterbox(t)
	path := file(t, "notify.yaml", notifyFile)
	args := []string{"doctor", "--notify", path, "--db", b.url, "-o", "json"}
	out, _ := ended(t, 0, args...)
	found := verdicts(t, out)
	for name, want := range map[string]preflight.Check{
		"notifications file":         {Verdict: preflight.Passed, Found: "2 channels, 1 person, 1 rule"},
		"notifications people":       {Verdict: preflight.Warning, Found: "no channel reaches liwei"},
		"notifications channel hook": {Verdict: preflight.Passed, Found: "webhook, found nothing wrong"},
		"notifications clock":        {Verdict: preflight.Passed, Found: "right enough"},
		"notifications feed":         {Verdict: preflight.Warning, Found: "no notifier has run"},
		"notifications messages":     {Verdict: preflight.Passed, Found: "none is late"},
		"clusters configuration":     {Verdict: preflight.Passed, Found: "only notifications were checked"},
	} {
		if got := found[name]; got.Verdict != want.Verdict || !strings.Contains(got.Found, want.Found) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	hides(t, out)
	b.put("hook", 2)
	b.finish("hook", delivery.Permanent, "", "no")
	b.put("closed", 1)
	b.finish("closed", delivery.Disabled, "HTTP 410", "gone")
	b.put("former", 1, func(d *delivery.Delivery) { d.CreatedAt = time.Now().Add(-time.Hour) })
	out, _ = ended(t, 1, args[:5]...)
	text := strings.Join(rows(out), "\n")
	for _, want := range []string{
		"warning | notifications | messages of hook | 2 dead letters; `vedette deadletter ls --channel hook`",
		"failed | notifications | messages of closed | the other side has disabled the channel: ",
		"failed | notifications | messages of former | 1 message for a channel that the file does not have",
		"warning | notifications | messages of former | 1 message wait, the oldest for 1h0m",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	broken := file(t, "notify.yaml", strings.NewReplacer("Failed", "Fialed", "[hook]", "[hok]").Replace(notifyFile))
	out, _ = ended(t, 1, "doctor", "--notify", broken, "--db", b.url)
	if strings.Count(out, "failed   notifications  file") != 2 {
		t.Errorf("doctor with two mistakes in the file: got %s, want two failed checks", out)
	}
	if got := s.messages(); len(got) > 0 {
		t.Errorf("doctor: the sink got %+v, want nothing", got)
	}
}

// TestEventsAsChannel checks that messages become Events in the cluster of the job.
func TestEventsAsChannel(t *testing.T) {
	newSink(t)
	srv := recordable(t, apitest.Config{})
	pod := newPod("ml", "train-7")
	srv.create(pod)
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	path := file(t, "notify.yaml", strings.NewReplacer("people:", "  events: {type: event}\npeople:", "to: [hook]", "to: [events]").Replace(notifyFile))
	p := start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url, "--notify", path)
	recorded(t, url, "pods", "train-7")
	awaitCursor(t, url)
	srv.phase(pod, corev1.PodFailed, "OOMKilled")
	patience.Until(t, "an Event is written", func() string {
		out, _ := ended(t, 0, "notify", "ls", "--channel", "events", "--state", "sent", "-o", "name", "--db", url)
		if out == "message/1\n" {
			return ""
		}
		return fmt.Sprintf("sent are %q; the recorder said %v", out, p.err)
	})
	p.interrupt()
	t.Setenv("KUBECONFIG", srv.kubeconfig)
	if out, _ := ended(t, 0, "notify", "check", path); !strings.Contains(out, "events") {
		t.Errorf("notify check: got %s, want the channel events", out)
	}
}
