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

// lists counts the lists that the server was asked for.
func (w *world) listCount() int {
	n := 0
	for _, r := range w.srv.Requests() {
		if r.Verb == apitest.VerbList || r.Streaming() {
			n++
		}
	}
	return n
}

// TestWarmStart: an informer that starts again has everything at once, asks for
// no list, and is told what happened meanwhile.
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
				w.srv.Unavailable() // it needs no server to be there
				w.advance(0)
				stop = w.start(second)
				<-second.Synced()
				s := second.Snapshot()
				p, ok, err := s.Get(key("three"))
				if s.Len() != 3 || !ok || err != nil || p.Spec.NodeName != "c" || byNode.Len(s, "b") != 1 || s.Version() == 0 {
					w.t.Errorf("at once there are %d: %v, %v", s.Len(), p, err)
				}
				if err := w.srv.Available(); err != nil {
					w.t.Fatal(err)
				}
				w.advance(time.Minute)
				got := events.take()
				if len(got) != 6 {
					w.t.Fatalf("told %v", got)
				}
				equal(w.t, "meanwhile", got[3:], []string{"Updated default/one", "Deleted default/two", "Added default/four"})
				if n := w.listCount(); n != lists {
					w.t.Errorf("%d lists", n-lists)
				}
				if h, _ := second.Health(); h.ColdStart != nil || !h.Synced {
					w.t.Errorf("%+v", h)
				}
				stop()

				// Now its version is gone: everything is listed, and what was missed is told.
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
					w.t.Errorf("told %v, %d missed", got, missed)
				}
				equal(w.t, "now", names(w.t, third.Snapshot().All()), []string{"five", "four", "three"})
			})
		})
	}
}

// TestColdStart: a file that can not be used is refused for a reason, and does no
// harm.
func TestColdStart(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		w.create(pod("one"))
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		warm := informer.WarmStart{Path: path}
		quiet := slog.New(slog.DiscardHandler)
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
			"good":             {good, informer.Config{WarmStart: warm}, ""},
			"none":             {nil, informer.Config{WarmStart: warm}, ""},
			"damaged":          {damaged, informer.Config{WarmStart: warm}, "checksum"},
			"cut":              {good[:len(good)-1], informer.Config{WarmStart: warm}, "ends too early"},
			"something else":   {[]byte("apiVersion: v1\nkind: List\n"), informer.Config{WarmStart: warm}, "not a snapshot file"},
			"not encrypted":    {good, informer.Config{WarmStart: encrypted}, "not encrypted"},
			"another selector": {good, informer.Config{WarmStart: warm, LabelSelector: "app=a"}, `label selector "", want "app=a"`},
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
			c.cfg.Logger = quiet
			inf := must(informer.Watch[corev1.Pod](w.cluster, c.cfg))
			stop := w.start(inf)
			<-inf.Synced()
			w.advance(time.Second)
			h, _ := inf.Health()
			if (h.ColdStart == nil) != (c.want == "") || h.ColdStart != nil && !strings.Contains(h.ColdStart.Error(), c.want) {
				w.t.Errorf("%s: %v, want %q", name, h.ColdStart, c.want)
			}
			if inf.Snapshot().Len() != 1 || h.Phase != reflector.Watching || (w.listCount() == lists) != (name == "good") {
				w.t.Errorf("%s: %d objects, %v, %d lists", name, inf.Snapshot().Len(), h.Phase, w.listCount()-lists)
			}
			stop()
		}
	})
}

// TestSecretsAreNotWritten unless the file is encrypted.
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
				w.t.Errorf("secrets in the clear: %v", err)
			}
		}
		cfg.WarmStart.Key = make([]byte, 32)
		inf := must(informer.Watch[corev1.Secret](w.cluster, cfg))
		stop := w.start(inf)
		<-inf.Synced()
		stop()
		file, err := os.ReadFile(path)
		if err != nil || bytes.Contains(file, []byte("indeed")) || bytes.Contains(file, []byte("token")) {
			w.t.Errorf("the file shows them: %v", err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			w.t.Errorf("others may read it: %v, %v", info.Mode(), err)
		}
		cfg.WarmStart.Key = []byte("short")
		if err := constructorError(informer.Watch[corev1.Secret](w.cluster, cfg)); err == nil {
			w.t.Error("a short key")
		}
	})
}

// TestFileIsWrittenEverySoOften, so that a process that is killed starts from
// there.
func TestFileIsWrittenEverySoOften(t *testing.T) {
	inWorld(t, func(w *world) {
		path := filepath.Join(w.t.TempDir(), "pods.snapshot")
		w.create(pod("one"))
		w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{WarmStart: informer.WarmStart{Path: path, Every: time.Minute}})))
		w.advance(30 * time.Second)
		if _, err := os.Stat(path); err == nil {
			w.t.Error("written before it is time")
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
			w.t.Errorf("%d B, then %d: %v", len(first), len(second), err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
			w.t.Errorf("left behind: %v", left)
		}
	})
}
