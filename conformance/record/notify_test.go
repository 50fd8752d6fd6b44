package record_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/state"
)

var (
	transitions   = flag.Int("transitions", 1500, "number of transitions to notify of")
	notifierKills = flag.Int("notifier-kills", 6, "how many times notifiers are killed meanwhile")
)

// notifyFile is the configuration of the notifiers, with three receivers: a failing one
// (moody), a slow one, and one without faults (sound).
const notifyFile = `
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

// TestNotified: while pods change their states, notifiers are killed, receivers fail in
// every way, and the database has outages. In the end each message that the rules select
// has arrived, under one key, in the order of its object. Slow and failing receivers have
// not delayed others.
func TestNotified(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			sound, moody, slow := newSink(t, temper{}), newSink(t, temper{failing: true}), newSink(t, temper{delay: 300 * time.Millisecond})
			one := s.record(t, "one", "--spill", t.TempDir())
			s.covered(t, "one")
			s.load.makeMarkers(t)
			s.settle(t, 3*time.Minute, "one")
			from, err := s.plane.Revision(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, notifyFile, sound.address, moody.address, slow.address), 0o600); err != nil {
				t.Fatal(err)
			}
			a, b := s.notifier(t, "notifier-a", file), s.notifier(t, "notifier-b", file)
			s.cursorBegins(t)
			var work sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			work.Go(func() { s.flip(ctx, t, *transitions) })
			s.disturb(t, a, b, sound, moody)
			work.Wait()
			want := s.wanted(t, from)
			t.Logf("%d transitions, %d of them to Failed", len(want), len(failures(want)))
			began := time.Now()
			s.arrived(t, "sound", sound, len(want), began)
			if n, of := slow.keys(), len(failures(want)); n == of {
				t.Logf("the slow receiver finished before the sound one, so the test proves nothing")
			}
			moody.calm.Store(true)
			s.arrived(t, "moody", moody, len(want), began)
			s.arrived(t, "slow", slow, len(failures(want)), began)
			check(t, "sound", sound, want, "all/sound")
			check(t, "moody", moody, want, "all/moody")
			check(t, "slow", slow, failures(want), "failures/slow")
			t.Logf("%d and %d starts of the notifiers", a.starts, b.starts)
			a.stop(t)
			b.stop(t)
			one.stop(t)
		})
	}
}

// notifier starts `vedette notify run`.
func (s *stage) notifier(t *testing.T, name, file string) *recorder {
	t.Helper()
	return startProgram(t, name, func() *exec.Cmd {
		cmd := exec.Command(s.program, "notify", "run", "--notify", file, "--db", s.through(t))
		cmd.Env = append(os.Environ(), "SINK_SECRET=whsec_"+base64.StdEncoding.EncodeToString(sinkSecret))
		cmd.Env = append(cmd.Env, s.env[name]...)
		return cmd
	})
}

// cursorBegins waits until the notifiers have their cursor: they send messages about
// later transitions.
func (s *stage) cursorBegins(t *testing.T) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	wait.Until(t, time.Minute, "the cursor of the notifiers", func() string {
		n := 0
		if err := tryRows(t, d.SQL(), "SELECT COUNT(*) FROM feed_cursors WHERE name = 'notify'", func(scan func(...any) error) error { return scan(&n) }); err != nil {
			return err.Error()
		}
		if n == 0 {
			return "the cursor does not exist yet"
		}
		return ""
	})
}

// phases are the successive statuses of the pods, repeated.
var phases = []string{
	`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
	`{"status":{"phase":"Failed","reason":"OOMKilled","message":"<b>out</b> of @all memory","conditions":[]}}`,
	`{"status":{"phase":"Pending","reason":"","message":"","conditions":[]}}`,
	`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
	`{"status":{"phase":"Pending","conditions":[]}}`,
}

// flip creates pods and changes their phases, a given number of times.
func (s *stage) flip(ctx context.Context, t *testing.T, changes int) {
	pods := max(20, changes/20)
	var work sync.WaitGroup
	for w := range 8 {
		work.Go(func() {
			for i := w; i < pods && ctx.Err() == nil; i += 8 {
				name := fmt.Sprintf("pod-%d", i)
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
				if _, err := s.load.client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for n := 0; n*pods < changes && ctx.Err() == nil; n++ {
				for i := w; i < pods; i += 8 {
					text := phases[(n+i)%len(phases)]
					if _, err := s.load.client.CoreV1().Pods("default").Patch(ctx, fmt.Sprintf("pod-%d", i), types.MergePatchType, []byte(text), metav1.PatchOptions{}, "status"); err != nil && ctx.Err() == nil {
						t.Errorf("pod-%d: %v", i, err)
					}
				}
			}
		})
	}
	work.Wait()
}

// disturb kills notifiers, receivers and the database.
func (s *stage) disturb(t *testing.T, a, b *recorder, receivers ...*sink) {
	t.Helper()
	var faults []fault
	for n := range *notifierKills {
		faults = append(faults, killFault(t, []*recorder{a, b}[n%2]))
	}
	for _, r := range receivers {
		faults = append(faults, fault{"the receiver at " + r.address + " is killed", func() { r.restart(t, time.Second) }})
	}
	faults = append(faults, s.databaseFault(t))
	if s.db != nil {
		faults = append(faults, cutFault("database", s.db, network.Reset), cutFault("database", s.db, network.Refuse))
	}
	shuffled(t, faults)
}

// told is a transition that the rules select.
type told struct {
	uid     string
	version int64
	to      state.State
}

// wanted returns the selected transitions since an etcd revision, derived from etcd
// itself.
func (s *stage) wanted(t *testing.T, since int64) (all []told) {
	t.Helper()
	s.last(t)
	now := map[string]state.State{}
	for _, seen := range s.seen["pods"].all() {
		before, known := now[seen.uid]
		now[seen.uid] = seen.state
		if seen.version > since && (!known || before != seen.state) {
			all = append(all, told{seen.uid, seen.version, seen.state})
		}
	}
	return all
}

func failures(all []told) (failed []told) {
	for _, w := range all {
		if w.to == state.Failed {
			failed = append(failed, w)
		}
	}
	return failed
}

// arrived waits until a receiver has the wanted number of messages.
func (s *stage) arrived(t *testing.T, name string, r *sink, want int, since time.Time) {
	t.Helper()
	last, changed := 0, time.Now()
	wait.Until(t, 10*time.Minute, "what "+name+" receives", func() string {
		n := r.keys()
		if n != last {
			last, changed = n, time.Now()
		}
		if n < want && time.Since(changed) < time.Minute {
			return fmt.Sprintf("%d of %d messages", n, want)
		}
		return ""
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	t.Logf("%s had %d messages in %d requests, %v after the last transition", name, last, r.requests, time.Since(since).Round(100*time.Millisecond))
}

// check compares the received messages with those that the rules select.
func check(t *testing.T, name string, r *sink, want []told, rule string) {
	t.Helper()
	got, problems := r.all()
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
		m := message{a.uid, a.version}
		switch key, again := keys[m]; {
		case again && key != a.key:
			complain("one message under two keys, %s and %s", key, a.key)
		case again:
			continue // at least once
		case a.version < newest[a.uid] && a.version != 0 && !a.late:
			complain("%s arrived after version %d of the same object", a.key, newest[a.uid])
		}
		keys[m] = a.key
		newest[a.uid] = max(newest[a.uid], a.version)
		if !strings.HasSuffix(a.key, "/"+rule) {
			complain("the key %s does not end with %s", a.key, rule)
		}
	}
	for _, w := range want {
		if m := (message{w.uid, w.version}); keys[m] == "" {
			complain("%s to %s at version %d did not arrive", w.uid, w.to, w.version)
		} else {
			delete(keys, m)
		}
	}
	for _, key := range keys {
		complain("no rule selects %s", key)
	}
	lags := make([]time.Duration, 0, len(got))
	for i := range got {
		lags = append(lags, got[i].at.Sub(time.UnixMicro(got[i].happened)))
	}
	slices.SortFunc(lags, cmp.Compare[time.Duration])
	if n := len(lags); n > 0 {
		t.Logf("%s: %d arrivals; from the transition to the receiver %v (median), %v (90 %%), %v (last)", name, n, lags[n/2].Round(time.Millisecond), lags[n*9/10].Round(time.Millisecond), lags[n-1].Round(time.Millisecond))
	}
}
