package informer

import (
	"bufio"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/store"
)

// WarmStart configures a snapshot file. With it, a restarted informer has all objects at once
// and resumes the watch at its last version, without a list. If the server no longer has that
// version, the informer lists and compares everything, and reports deletions in between
// as missed.
//
// Another cluster may have replaced the one at the address. The informer shows the
// objects of the file at once, but resumes no watch until it has verified that the UID
// of the namespace kube-system is the one in the file. If the UID differs, or cannot be
// read (403, 404, no answer within 10 s), the informer lists and compares everything;
// the log and Health say so.
//
// A file is not used if it is damaged, of another format, or of another shape
// (resource, selectors, view, encoding, kept fields, record limit, version of
// Transform, fields of a projection); Health.ColdStart says why. Objects of Secret are
// only written encrypted.
type WarmStart struct {
	// Path is the path of the file; default no file. Its folder must exist, and each
	// informer needs a file of its own. Every write replaces the file by a rename.
	Path string
	// Key encrypts the file. It has 32 bytes. Default: the file is not encrypted, and only
	// the user of the process can read it.
	Key []byte
	// Every is the time between two writes; default 5 minutes. Run also writes the file
	// when it ends. A killed process resumes from the last file.
	Every time.Duration
	// Identity names the cluster: only an informer with the same Identity uses the
	// file. Default the address. The address alone does not reveal that a cluster was
	// replaced; see above.
	Identity string
}

// defaultEvery is the default of WarmStart.Every.
const defaultEvery = 5 * time.Minute

func (w *WarmStart) check() error {
	if w.Path == "" {
		return nil
	}
	if n := len(w.Key); w.Key != nil && n != 32 {
		return invalid("", "WarmStart.Key has %d bytes, want 32", n)
	}
	return nil
}

// secret reports whether the objects of a resource must be encrypted.
func secret(resource string) bool {
	first, _, _ := strings.Cut(resource, ".")
	return slices.Contains([]string{"secret", "secrets"}, strings.ToLower(first))
}

// options returns the options of the snapshot file.
func (e *engine) options() store.FileOptions {
	identity := maps.Clone(e.identity)
	identity["cluster"] = e.cfg.WarmStart.Identity
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.spec.clusters[""]; identity["cluster"] == "" && p != nil && p.cluster != nil {
		identity["cluster"] = p.cluster.Host()
	}
	return store.FileOptions{Identity: identity, Key: e.cfg.WarmStart.Key, Origin: e.originOf}
}

// originOf returns the cluster that the version of a scope comes from; empty if that is
// unknown.
func (e *engine) originOf(scope delta.Scope) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.active[scope]; m != nil {
		return m.cluster.identity.UID()
	}
	return ""
}

// loadFile fills the store from the file, if the file exists and has the same identity.
func (e *engine) loadFile() {
	err := e.tryLoad()
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.coldStart = err
	e.cfg.logger().Warn("cold start", "file", e.cfg.WarmStart.Path, "err", err)
}

func (e *engine) tryLoad() error {
	if e.cfg.WarmStart.Path == "" {
		return nil
	}
	file, err := os.Open(e.cfg.WarmStart.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	e.mu.Lock()
	followed := maps.Clone(e.active) // the store must not wait for e.mu
	e.mu.Unlock()
	origins := map[delta.Scope]string{}
	err = e.store.Load(file, e.options(), func(scope delta.Scope, origin string) bool {
		origins[scope] = origin
		return followed[scope] != nil
	})
	for scope, m := range followed {
		if uid, ok := origins[scope]; ok && err == nil {
			m.cluster.identity.Restore(uid)
		}
	}
	return err
}

// keepFile writes the file at intervals until ctx is done. Then it closes the channel that
// it returned.
func (e *engine) keepFile(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	if e.cfg.WarmStart.Path == "" {
		close(done)
		return done
	}
	every := e.cfg.WarmStart.Every
	if every == 0 {
		every = defaultEvery
	}
	go func() {
		defer close(done)
		for pause.For(ctx, every) == nil {
			e.saveFile()
		}
	}()
	return done
}

// saveFile writes the file, if the informer is synced.
func (e *engine) saveFile() {
	if e.cfg.WarmStart.Path == "" || !e.store.Snapshot().Synced() {
		return
	}
	e.identifyClusters()
	err := e.trySave(e.store.Snapshot())
	e.saving.See(faultlog.State{Err: err, Remedy: "a restart lists everything: check the folder and its disk"})
}

// identityTimeout bounds how long the writing of a file waits for the identities of
// clusters that are not known yet.
const identityTimeout = time.Second

func (e *engine) identifyClusters() {
	e.mu.Lock()
	active := slices.Collect(maps.Values(e.active))
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), identityTimeout)
	defer cancel()
	for _, m := range active {
		m.cluster.identity.Learn(ctx)
	}
}

// trySave writes a new file and replaces the old one with it.
func (e *engine) trySave(now *store.Snapshot) error {
	path := e.cfg.WarmStart.Path
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename
	out := bufio.NewWriter(file)
	err = now.WriteFile(out, e.options())
	err = errors.Join(err, out.Flush())
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
