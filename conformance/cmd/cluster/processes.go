package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// processes is the file that lists the processes of the cluster in dir.
type processes struct{ dir string }

// entry is one process. Its start time distinguishes it from a later process with the
// same ID.
type entry struct {
	Name  string `json:"name"`
	Pid   int    `json:"pid"`
	Start string `json:"start"`
}

func (l processes) path() string { return filepath.Join(l.dir, "processes.json") }

func (l processes) write(pids map[string]int) error {
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(pids)) {
		start, err := startOf(pids[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		entries = append(entries, entry{name, pids[name], start})
	}
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(l.path(), text, 0o600)
}

// running returns the processes that still run.
func (l processes) running() ([]entry, error) {
	text, err := os.ReadFile(l.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; end the processes by hand and remove it", l.path(), err)
	}
	return slices.DeleteFunc(entries, func(e entry) bool { return !e.alive() }), nil
}

// clear removes the folder, if it belongs to a cluster.
func (l processes) clear() error {
	if _, err := os.Stat(filepath.Join(l.dir, "tokens.csv")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.RemoveAll(l.dir)
}

func (e entry) alive() bool {
	start, err := startOf(e.Pid)
	return err == nil && start == e.Start
}

// startOf returns the start time of a process, in ticks since boot (proc(5), field 22 of
// stat). A zombie does not count as a process.
func startOf(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' {
		return "", errors.New("the process has ended")
	}
	return string(fields[19]), nil
}

// Timeouts for ending a process.
const (
	politeFor = 5 * time.Second
	lookEvery = 50 * time.Millisecond
)

// end sends SIGTERM to the process, then SIGKILL, and waits until it has ended.
func (e entry) end(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	signal, began := syscall.SIGTERM, time.Now()
	for e.alive() {
		if time.Since(began) > politeFor {
			signal = syscall.SIGKILL
		}
		if err := syscall.Kill(e.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end %s, pid %d: %w", e.Name, e.Pid, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
