package informer_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/reflector"
)

// listCount returns the number of list requests that the server got.
func (w *world) listCount() int {
	n := 0
	for _, r := range w.srv.Requests() {
		if r.Verb == apitest.VerbList && r.Options.Limit != 1 || r.Streaming() { // a limit of 1 asks for the version
			n++
		}
	}
	return n
}

// TestWarmStart: a restarted informer has all objects immediately, requests no list, and
// reports the changes since its last run.
func TestWarmStart(t *testing.T) {
	for _, fileKey := range [][]byte{nil, bytes.Repeat([]byte("k"), 32)} {
		t.Run(fmt.Sprint(len(fileKey), " bytes of key"), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.createIdentity()
				cfg := informer.Config{WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "pods.snapshot"), Key: fileKey}}
				w.create(podOn("a", "one"), podOn("b", "two"), podOn("c", "three"))
				first := must(informer.Watch[corev1.Pod](w.cluster, cfg))
				stop := w.start(first)
				<-first.Synced()
				stop()
				lists := w.listCount()

				w.moveTo("one", "x")
				w.delete("two")
				w.create(pod("four"))
				second := must(informer.Watch[corev1.Pod](w.cluster, cfg))
				byNode := informer.IndexBy(second, func(p *corev1.Pod) string { return p.Spec.NodeName })
				var events eventLog
				w.logEvents(second, &events)
				w.srv.Unavailable() // the warm start needs no server
				w.advance(0)
				stop = w.start(second)
				<-second.Synced()
				s := second.Snapshot()
				p, ok, err := s.Get(key("three"))
				if s.Records().Len() != 3 || !ok || err != nil || p.Spec.NodeName != "c" || must(byNode.Len(s, "b")) != 1 || s.Version() == 0 {
					w.t.Errorf("after the warm start: got %d objects, pod %v, error %v, %d objects at b in the index, version %v, want 3, a pod on c, nil, 1, a version", s.Records().Len(), p, err, must(byNode.Len(s, "b")), s.Version())
				}
				if err := w.srv.Available(); err != nil {
					w.t.Fatal(err)
				}
				w.advance(time.Minute)
				got := events.take()
				if len(got) != 6 {
					w.t.Fatalf("got events %v, want 6", got)
				}
				equal(w.t, "changes since the last run", got[3:], []string{"Updated default/one", "Deleted default/two", "Added default/four"})
				if n := w.listCount(); n != lists {
					w.t.Errorf("got %d lists, want none", n-lists)
				}
				if h, _ := second.Health(); h.ColdStart != nil || !h.Synced {
					w.t.Errorf("got health %+v, want synced and no ColdStart", h)
				}
				stop()

				// Now its version has expired: the informer lists everything, and reports the
				// missed changes.
				w.delete("one")
				w.create(pod("five"))
				w.srv.Compact()
				third := must(informer.Watch[corev1.Pod](w.cluster, cfg))
				missed := 0
				w.work.Go(func() {
					for ev := range third.Events(w.ctx) {
						events.add("%v %s", ev.Kind(), ev.Key().Name)
						if ev.Missed() {
							if p, err := ev.Object(); err == nil && p.Spec.NodeName == "x" {
								missed++
							}
						}
					}
				})
				w.advance(0)
				w.run(third)
				w.advance(time.Minute)
				if got := events.take(); len(got) != 5 || missed != 1 {
					w.t.Errorf("got events %v, %d missed, want 5, 1 missed", got, missed)
				}
				equal(w.t, "objects after the list", names(w.t, third.Snapshot().All()), []string{"five", "four", "three"})
			})
		})
	}
}

// TestColdStart: an unusable file is refused with a reason, and the informer lists instead.
func TestColdStart(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		w.create(pod("one"))
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		warm := informer.WarmStart{Path: path}
		first := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{WarmStart: warm}))
		stop := w.start(first)
		<-first.Synced()
		stop()
		good, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		encrypted := warm
		encrypted.Key = make([]byte, 32)
		damaged := bytes.Clone(good)
		damaged[len(damaged)-20] ^= 1
		for name, c := range map[string]struct {
			file []byte
			cfg  informer.Config
			want string
		}{
			"good":           {good, informer.Config{WarmStart: warm}, ""},
			"no file":        {nil, informer.Config{WarmStart: warm}, ""},
			"damaged":        {damaged, informer.Config{WarmStart: warm}, "checksum"},
			"truncated":      {good[:len(good)-1], informer.Config{WarmStart: warm}, "ends too early"},
			"other format":   {[]byte("apiVersion: v1\nkind: List\n"), informer.Config{WarmStart: warm}, "not a snapshot file"},
			"not encrypted":  {good, informer.Config{WarmStart: encrypted}, "not encrypted"},
			"other selector": {good, informer.Config{WarmStart: warm, LabelSelector: "app=a"}, `label selector "", want "app=a"`},
		} {
			if err := os.Remove(path); err != nil {
				w.t.Fatal(err)
			}
			if c.file != nil {
				if err := os.WriteFile(path, c.file, 0o600); err != nil {
					w.t.Fatal(err)
				}
			}
			lists := w.listCount()
			c.cfg.Logger = slog.New(slog.DiscardHandler)
			inf := must(informer.Watch[corev1.Pod](w.cluster, c.cfg))
			stop := w.start(inf)
			<-inf.Synced()
			w.advance(time.Second)
			h, _ := inf.Health()
			if (h.ColdStart == nil) != (c.want == "") || h.ColdStart != nil && !strings.Contains(h.ColdStart.Error(), c.want) {
				w.t.Errorf("%s: got ColdStart %v, want %q", name, h.ColdStart, c.want)
			}
			if inf.Snapshot().Records().Len() != 1 || h.Phase != reflector.Watching || (w.listCount() == lists) != (name == "good") {
				w.t.Errorf("%s: got %d objects, phase %v, %d lists, want 1, Watching, lists: %v", name, inf.Snapshot().Records().Len(), h.Phase, w.listCount()-lists, name != "good")
			}
			stop()
		}
	})
}

// TestSecretsAreNotWritten: secrets are only written to an encrypted file.
func TestSecretsAreNotWritten(t *testing.T) {
	inWorld(t, func(w *world) {
		secret := &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "token"}, Data: map[string][]byte{"token": []byte("very-secret-indeed")},
		}
		if _, err := w.srv.Create(secret); err != nil {
			w.t.Fatal(err)
		}
		path := filepath.Join(w.t.TempDir(), "secrets.snapshot")
		cfg := informer.Config{WarmStart: informer.WarmStart{Path: path}}
		named := cfg
		named.Resource = "secrets"
		for _, cfg := range []informer.Config{cfg, named} {
			if err := constructorError(informer.Watch[corev1.Secret](w.cluster, cfg)); err == nil || !strings.Contains(err.Error(), "encrypted") {
				w.t.Errorf("secrets without a key: got error %v, want one that says encrypted", err)
			}
		}
		cfg.WarmStart.Key = make([]byte, 32)
		inf := must(informer.Watch[corev1.Secret](w.cluster, cfg))
		stop := w.start(inf)
		<-inf.Synced()
		stop()
		file, err := os.ReadFile(path)
		if err != nil || bytes.Contains(file, []byte("indeed")) || bytes.Contains(file, []byte("token")) {
			w.t.Errorf("got a file of %d B with text of the secret, or error %v, want an encrypted file", len(file), err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			w.t.Errorf("got file mode %v, error %v, want -rw-------", info.Mode(), err)
		}
		cfg.WarmStart.Key = []byte("short")
		if err := constructorError(informer.Watch[corev1.Secret](w.cluster, cfg)); err == nil {
			w.t.Error("Watch succeeded with a key of 5 bytes, want an error")
		}
	})
}

// TestFileIsWrittenPeriodically: the snapshot file is written periodically, so that a killed
// process starts from it.
func TestFileIsWrittenPeriodically(t *testing.T) {
	inWorld(t, func(w *world) {
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		w.create(pod("one"))
		w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{WarmStart: informer.WarmStart{Path: path, Every: time.Minute}})))
		w.advance(30 * time.Second)
		if _, err := os.Stat(path); err == nil {
			w.t.Error("the file exists after 30 seconds, want it after a minute")
		}
		w.advance(time.Minute)
		first, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		w.create(pod("two"))
		w.advance(time.Minute)
		second, err := os.ReadFile(path)
		if err != nil || len(second) <= len(first) {
			w.t.Errorf("got a file of %d B, then of %d B, error %v, want a larger file", len(first), len(second), err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
			w.t.Errorf("got temporary files %v, error %v, want none", left, err)
		}
	})
}
