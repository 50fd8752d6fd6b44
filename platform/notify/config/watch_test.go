package config

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	keyA = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	keyB = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

const watched = `
channels:
  hook: {type: webhook, url: https://hooks.example.com/x, secret: {file: key}}
rules:
- {name: failures, enter: [Failed], to: [hook]}
`

// write replaces a file.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// journal is a log that one goroutine writes and another reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.Reset()
}

// watching runs Watch on a file in a bubble of fake time. The test gets the folder, the
// configurations and the log.
func watching(t *testing.T, test func(dir string, got func() []*Config, logged *journal)) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key"), keyA+"\n")
	write(t, filepath.Join(dir, "notify.yaml"), watched)
	synctest.Test(t, func(t *testing.T) {
		first, err := Load(filepath.Join(dir, "notify.yaml"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var (
			logged journal
			all    []*Config
		)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			Watch(ctx, first, Options{}, slog.New(slog.NewTextHandler(&logged, nil)), func(c *Config) { all = append(all, c) })
		}()
		test(dir, func() []*Config {
			<-time.After(3 * pollEvery)
			synctest.Wait()
			return all
		}, &logged)
		cancel()
		<-done
	})
}

func TestWatch(t *testing.T) {
	watching(t, func(dir string, got func() []*Config, logged *journal) {
		path := filepath.Join(dir, "notify.yaml")
		if all := got(); len(all) != 0 || logged.String() != "" {
			t.Fatalf("without a change: %d configurations, %s", len(all), logged)
		}

		write(t, path, strings.Replace(watched, "failures", "all failures", 1))
		all := got()
		if len(all) != 1 || all[0].Rules.Rules()[0].Name != "all failures" || !strings.Contains(logged.String(), "reloaded") {
			t.Fatalf("after a change: %d configurations, %s", len(all), logged)
		}
		logged.Reset()

		write(t, path, strings.Replace(watched, "Failed", "Fialed", 1))
		if all = got(); len(all) != 1 || strings.Count(logged.String(), "Fialed") != 1 || !strings.Contains(logged.String(), "level=ERROR") {
			t.Fatalf("with a mistake: %d configurations, %s", len(all), logged)
		}
		if got(); strings.Count(logged.String(), "\n") != 1 {
			t.Errorf("the mistake is logged again: %s", logged)
		}
		logged.Reset()

		write(t, path, watched)
		if all = got(); len(all) != 2 || strings.Count(logged.String(), "\n") != 1 || !strings.Contains(logged.String(), "reloaded") {
			t.Fatalf("corrected: got %d configurations, want 2 and one line that it was reloaded: %s", len(all), logged)
		}
		logged.Reset()

		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if all = got(); len(all) != 2 || !strings.Contains(logged.String(), "cannot be read") {
			t.Fatalf("removed: got %d configurations, want 2 and that the file cannot be read: %s", len(all), logged)
		}
		write(t, path, watched)
		if all = got(); len(all) != 3 {
			t.Fatalf("back: got %d configurations, want 3: %s", len(all), logged)
		}
	})
}

// TestWatchSecrets: a replaced secret changes its channel, and no other.
func TestWatchSecrets(t *testing.T) {
	watching(t, func(dir string, got func() []*Config, logged *journal) {
		write(t, filepath.Join(dir, "other"), keyB)
		write(t, filepath.Join(dir, "notify.yaml"), strings.Replace(watched, "rules:", "  other: {type: webhook, url: https://other.example.com, secret: {file: other}}\nrules:", 1))
		all := got()
		if len(all) != 1 {
			t.Fatalf("got %d configurations, want 1; log: %s", len(all), logged)
		}
		write(t, filepath.Join(dir, "key"), keyB)
		if all = got(); len(all) != 2 {
			t.Fatalf("after the rotation %d configurations, %s", len(all), logged)
		}
		before, after := all[0], all[1]
		if after.Channels["hook"].Same(before.Channels["hook"]) || !after.Channels["other"].Same(before.Channels["other"]) {
			t.Error("not the channel whose secret was replaced has changed")
		}
		write(t, filepath.Join(dir, "key"), "")
		if all = got(); len(all) != 2 || !strings.Contains(logged.String(), "is empty") {
			t.Fatalf("with an empty secret: %d configurations, %s", len(all), logged)
		}
		if strings.Contains(logged.String(), keyA) || strings.Contains(logged.String(), keyB) {
			t.Errorf("the log shows a secret: %s", logged)
		}
	})
}

// TestWatchKubernetes: Kubernetes replaces the folder of a mounted volume through a
// symbolic link; the path stays, and size and time may stay too.
func TestWatchKubernetes(t *testing.T) {
	dir := t.TempDir()
	at := time.Unix(1_000_000, 0)
	for version, name := range map[string]string{"..1": "failed", "..2": "fialed"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, version, "notify.yaml")
		write(t, path, strings.NewReplacer("failures", name, "{file: key}", "{env: KEY}").Replace(watched))
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"..data": "..1", "notify.yaml": "..data/notify.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	o := environment(map[string]string{"KEY": keyA})
	c, err := Load(filepath.Join(dir, "notify.yaml"), o)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{path: c.Path, options: o, logger: slog.New(slog.DiscardHandler), vault: c.vault}
	if w.poll() != nil {
		t.Error("nothing has changed")
	}
	if err := os.Symlink("..2", filepath.Join(dir, "..new")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if w.poll() != nil {
		t.Error("loaded before the contents stayed")
	}
	if c := w.poll(); c == nil || c.Rules.Rules()[0].Name != "fialed" {
		t.Errorf("got %+v, want the rule fialed", c)
	}
}
