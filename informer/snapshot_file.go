package informer

import (
	"bufio"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/store"
)

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
	if err == nil && e.cfg.WarmStart.AtLeastOnce {
		close(e.bound.loaded)
	}
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
		return os.ErrNotExist
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
			e.mu.Lock()
			m.restored = true
			e.mu.Unlock()
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
		due := time.NewTicker(every)
		defer due.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-due.C:
				e.bound.report()
				e.bound.ask()
			case <-e.bound.moved:
			}
			e.saveFile()
		}
	}()
	return done
}

// saveFile writes the newest state that the file may hold.
func (e *engine) saveFile() {
	now := e.store.Snapshot()
	if e.cfg.WarmStart.AtLeastOnce {
		now = e.bound.take()
	}
	if now != nil && now.Synced() {
		e.save(now)
	}
}

// saveLast writes the file at the end of run. A consumer that acknowledges events gets a
// moment to confirm the last state.
func (e *engine) saveLast() {
	if e.cfg.WarmStart.Path == "" {
		return
	}
	e.bound.ask()
	e.bound.settle(drainTimeout)
	e.saveFile()
}

// save writes the file and reports a fault.
func (e *engine) save(now *store.Snapshot) {
	e.identifyClusters()
	err := e.trySave(now)
	e.saving.See(faultlog.State{Err: err, Remedy: "a restart lists everything: check the folder and its disk"})
}

// drainTimeout is the maximum time that Run waits, after its context is done, until the
// store has applied everything that was received.
const drainTimeout = 200 * time.Millisecond

// identityTimeout bounds how long the writing of a file waits for the identities of
// clusters that are not known yet.
const identityTimeout = time.Second

// boundIdentityTimeout is identityTimeout with WarmStart.AtLeastOnce: a restart resumes no
// watch from a file without the identity, and so loses states.
const boundIdentityTimeout = 10 * time.Second

func (e *engine) identifyClusters() {
	e.mu.Lock()
	active := slices.Collect(maps.Values(e.active))
	e.mu.Unlock()
	limit := identityTimeout
	if e.cfg.WarmStart.AtLeastOnce {
		limit = boundIdentityTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, m := range active {
		m.cluster.identity.Await(ctx)
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
