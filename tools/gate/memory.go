package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// memory is what this machine knows from earlier runs: which steps were green with which
// inputs, how long they took, and which tests were set aside.
type memory struct {
	dir     string
	seconds map[string]float64 // by step: how long its last run took
}

// green is the proof that a step passed.
type green struct {
	Step    string    `json:"step"`
	Key     string    `json:"key"`
	Commit  string    `json:"commit"`
	Date    time.Time `json:"date"`
	Seconds float64   `json:"seconds"`
}

func openMemory(dir string) (*memory, error) {
	m := &memory{dir: dir, seconds: map[string]float64{}}
	for _, sub := range []string{"green", "aside", "stress"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	// Without the file, or with a damaged one, there are no estimates.
	if text, err := os.ReadFile(filepath.Join(dir, "seconds.json")); err == nil && json.Unmarshal(text, &m.seconds) != nil {
		m.seconds = map[string]float64{}
	}
	return m, nil
}

// wasGreen returns the proof that a step passed with these inputs, or false.
func (m *memory) wasGreen(step, key string) (green, bool) {
	var g green
	text, err := os.ReadFile(m.file("green", step, key))
	if err != nil || json.Unmarshal(text, &g) != nil || g.Step != step || g.Key != key {
		return green{}, false
	}
	return g, true
}

func (m *memory) setGreen(g green) error { return m.write(m.file("green", g.Step, g.Key), g) }

// took records how long a step took.
func (m *memory) took(step string, seconds float64) { m.seconds[step] = seconds }

func (m *memory) saveSeconds() error {
	return m.write(filepath.Join(m.dir, "seconds.json"), m.seconds)
}

// aside is a test that failed with the inputs of an earlier green run, and passed in all
// repetitions.
type aside struct {
	Test string    `json:"test"` // package and name
	Seed string    `json:"seed"`
	Date time.Time `json:"date"`
	Log  string    `json:"log"`
}

// asides returns the tests that this machine has set aside.
func (m *memory) asides() ([]aside, error) {
	entries, err := os.ReadDir(filepath.Join(m.dir, "aside"))
	if err != nil {
		return nil, err
	}
	var all []aside
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(m.dir, "aside", e.Name()))
		if err != nil {
			return nil, err
		}
		var a aside
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (m *memory) setAside(a aside) error { return m.write(m.file("aside", a.Test), a) }

// file is the file of a kind of facts about names.
func (m *memory) file(kind string, names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return filepath.Join(m.dir, kind, hex.EncodeToString(sum[:16])+".json")
}

// write replaces a file as a whole, so that a run that is killed leaves the old facts.
func (m *memory) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// read decodes a file of facts. It reports false if the file does not exist.
func (m *memory) read(name string, v any) (bool, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(text, v)
}
