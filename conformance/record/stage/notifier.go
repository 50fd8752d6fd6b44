package stage

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
)

// NotifyFile is the configuration of the notifiers, with three receivers: a failing one
// (moody), a slow one, and one without faults (sound).
const NotifyFile = `
network: {allow: [127.0.0.0/8]}
retry: {waits: [200ms, 400ms, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s], pause: 500ms, longest-pause: 2s}
channels:
  sound: {type: webhook, url: "http://%s", secret: {env: SINK_SECRET}}
  moody: {type: webhook, url: "http://%s", secret: {env: SINK_SECRET}}
  slow: {type: webhook, url: "http://%s", secret: {env: SINK_SECRET}}
rules:
- name: all
  types: [pods]
  enter: [Queued, Starting, Running, Succeeded, Failed]
  to: [sound, moody]
  now: true
- name: failures
  types: [pods]
  enter: [Failed]
  to: [slow]
  now: true
`

// Notifier starts `vedette notify run`.
func (s *Stage) Notifier(t *testing.T, name, file string) *Recorder {
	t.Helper()
	return Start(t, name, func() *exec.Cmd {
		cmd := exec.Command(s.Program, "notify", "run", "--notify", file, "--db", s.Through(t))
		cmd.Env = append(os.Environ(), "SINK_SECRET=whsec_"+base64.StdEncoding.EncodeToString(SinkSecret))
		cmd.Env = append(cmd.Env, s.Env[name]...)
		return cmd
	})
}

// CursorBegins waits until the notifiers have their cursor: they send messages about
// later transitions.
func (s *Stage) CursorBegins(t *testing.T) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, "the cursor of the notifiers", func() string {
		n := 0
		if err := TryRows(t, d.SQL(), "SELECT COUNT(*) FROM feed_cursors WHERE name = 'notify'", func(scan func(...any) error) error { return scan(&n) }); err != nil {
			return err.Error()
		}
		if n == 0 {
			return "the cursor does not exist yet"
		}
		return ""
	})
}

// Phases are the successive statuses of the pods, repeated.
var Phases = []string{
	`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
	`{"status":{"phase":"Failed","reason":"OOMKilled","message":"<b>out</b> of @all memory","conditions":[]}}`,
	`{"status":{"phase":"Pending","reason":"","message":"","conditions":[]}}`,
	`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
	`{"status":{"phase":"Pending","conditions":[]}}`,
}

// Flip creates pods and changes their phases, a given number of times.
func (s *Stage) Flip(ctx context.Context, t *testing.T, changes int) {
	pods := max(20, changes/20)
	var work sync.WaitGroup
	for w := range 8 {
		work.Go(func() {
			for i := w; i < pods && ctx.Err() == nil; i += 8 {
				name := fmt.Sprintf("pod-%d", i)
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
				if _, err := s.Load.Client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for n := 0; n*pods < changes && ctx.Err() == nil; n++ {
				for i := w; i < pods; i += 8 {
					text := Phases[(n+i)%len(Phases)]
					if _, err := s.Load.Client.CoreV1().Pods("default").Patch(ctx, fmt.Sprintf("pod-%d", i), types.MergePatchType, []byte(text), metav1.PatchOptions{}, "status"); err != nil && ctx.Err() == nil {
						t.Errorf("pod-%d: %v", i, err)
					}
				}
			}
		})
	}
	work.Wait()
}

// told is a transition that the rules select.
type told struct {
	uid     string
	Version int64
	To      job.State
}

// Wanted returns the selected transitions since an etcd revision, derived from etcd
// itself.
func (s *Stage) Wanted(t *testing.T, since int64) (all []told) {
	t.Helper()
	s.last(t)
	now := map[string]job.State{}
	for _, seen := range s.seen["pods"].all() {
		before, known := now[seen.uid]
		now[seen.uid] = seen.state
		if seen.version > since && (!known || before != seen.state) {
			all = append(all, told{seen.uid, seen.version, seen.state})
		}
	}
	return all
}

// Failures returns the transitions to Failed.
func Failures(all []told) (failed []told) {
	for _, w := range all {
		if w.To == job.Failed {
			failed = append(failed, w)
		}
	}
	return failed
}

// Arrived waits until a receiver has the wanted number of messages.
func (s *Stage) Arrived(t *testing.T, name string, r *Sink, want int, since time.Time) {
	t.Helper()
	got := 0
	patience.Work(t, "the messages of "+name, func() (int64, string) {
		if got = r.Keys(); got < want {
			return int64(got), fmt.Sprintf("it has %d of %d", got, want)
		}
		return int64(got), ""
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	t.Logf("%s had %d messages in %d requests, %v after the last transition", name, got, r.requests, time.Since(since).Round(100*time.Millisecond))
}

// Check compares the received messages with those that the rules select.
func Check(t *testing.T, name string, r *Sink, want []told, rule string) {
	t.Helper()
	got, problems := r.All()
	for _, p := range problems {
		t.Errorf("%s: %s", name, p)
	}
	type message struct {
		uid     string
		version int64
	}
	keys, newest := map[message]string{}, map[string]int64{}
	mistakes := 0
	complain := func(format string, args ...any) {
		if mistakes++; mistakes <= 10 {
			t.Errorf(name+": "+format, args...)
		}
	}
	for i := range got {
		a := &got[i]
		m := message{a.UID, a.Version}
		switch key, again := keys[m]; {
		case again && key != a.Key:
			complain("one message under two keys, %s and %s", key, a.Key)
		case again:
			continue // at least once
		case a.Version < newest[a.UID] && a.Version != 0 && !a.late:
			complain("%s arrived after version %d of the same object", a.Key, newest[a.UID])
		}
		keys[m] = a.Key
		newest[a.UID] = max(newest[a.UID], a.Version)
		if !strings.HasSuffix(a.Key, "/"+rule) {
			complain("the key %s does not end with %s", a.Key, rule)
		}
	}
	for _, w := range want {
		if m := (message{w.uid, w.Version}); keys[m] == "" {
			complain("%s to %s at version %d did not arrive", w.uid, w.To, w.Version)
		} else {
			delete(keys, m)
		}
	}
	for _, key := range keys {
		complain("no rule selects %s", key)
	}
	lags := make([]time.Duration, 0, len(got))
	for i := range got {
		lags = append(lags, got[i].At.Sub(time.UnixMicro(got[i].happened)))
	}
	slices.SortFunc(lags, cmp.Compare[time.Duration])
	if n := len(lags); n > 0 {
		t.Logf("%s: %d arrivals; from the transition to the receiver %v (median), %v (90 %%), %v (last)", name, n, lags[n/2].Round(time.Millisecond), lags[n*9/10].Round(time.Millisecond), lags[n-1].Round(time.Millisecond))
	}
}
