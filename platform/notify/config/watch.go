package config

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"time"
)

// pollEvery is the interval in which Watch reads the files.
const pollEvery = 2 * time.Second

// Watch reads the file and its secrets every two seconds until ctx ends, and calls changed
// with the new configuration after a change. It compares contents, so it also notices when
// Kubernetes replaces files through a symbolic link. It waits until two successive reads
// agree, because an editor may have written only a part.
//
// A file with mistakes changes nothing: its mistakes are logged once. loaded is the result
// of Load, and o has the same options. changed is called on the goroutine of the caller.
func Watch(ctx context.Context, loaded *Config, o Options, logger *slog.Logger, changed func(*Config)) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	w := &watcher{path: loaded.Path, options: o, logger: logger, vault: loaded.vault}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if c := w.poll(); c != nil {
				changed(c)
			}
		}
	}
}

// watcher is the state of Watch.
type watcher struct {
	path    string
	options Options
	logger  *slog.Logger
	vault   *vault              // of the last load
	pending map[string][32]byte // changed contents, until two reads agree
}

// poll returns a new configuration, or nil if nothing changed or the file has mistakes.
func (w *watcher) poll() *Config {
	now := w.vault.current()
	if maps.Equal(now, w.vault.seen) {
		w.pending = nil
		return nil
	}
	if !maps.Equal(now, w.pending) {
		w.pending = now
		return nil
	}
	w.pending = nil
	c, v, err := load(w.path, w.options)
	w.vault = v
	if err != nil {
		w.logger.Error("cannot reload the rules of notifications; the earlier rules stay active", "file", w.path, "mistakes", strings.Split(err.Error(), "\n"))
		return nil
	}
	for _, warning := range c.Warnings {
		w.logger.Warn("the rules of notifications should be changed", "file", w.path, "reason", warning)
	}
	w.logger.Info("reloaded the rules of notifications", "file", w.path, "rules", len(c.Rules.Rules()), "channels", len(c.Channels), "people", len(c.People))
	return c
}
