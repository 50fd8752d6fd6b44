package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// TestDescribeBuild checks that the values of a release precede those of the Go command.
func TestDescribeBuild(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3-0.2026"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-24T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for name, c := range map[string]struct {
		info                  *debug.BuildInfo
		release               versionDoc
		version, commit, date string
	}{
		"release":     {info, versionDoc{Version: "v2.0.0", Commit: "def", Date: "2026-12-01T00:00:00Z"}, "v2.0.0", "def", "2026-12-01T00:00:00Z"},
		"checkout":    {info, versionDoc{}, "v1.2.3-0.2026", "abc-dirty", "2026-11-24T10:00:00Z"},
		"go install":  {&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, versionDoc{}, "v1.2.3", "unknown", "unknown"},
		"no metadata": {nil, versionDoc{}, "devel", "unknown", "unknown"},
	} {
		if got := describeBuild(c.info, c.release); got.Version != c.version || got.Commit != c.commit || got.Date != c.date {
			t.Errorf("%s: got %+v, want %s, %s, %s", name, got, c.version, c.commit, c.date)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	p := start(t, "version")
	if code := p.end(); code != 0 {
		t.Fatalf("got exit code %d, %v", code, p.err)
	}
	for _, field := range []string{"version   ", "\ncommit    ", "\ndate      ", "\ngo        go", "\nplatform  "} {
		if !strings.Contains(p.out.String(), field) {
			t.Errorf("got %q, want a line %q", p.out, field)
		}
	}
	p = start(t, "version", "-o", "json")
	var doc versionDoc
	if code := p.end(); code != 0 {
		t.Fatalf("got exit code %d, %v", code, p.err)
	}
	if err := json.Unmarshal([]byte(p.out.String()), &doc); err != nil || doc.Version == "" || doc.Commit == "" || doc.Date == "" {
		t.Errorf("got %q, %v, want version, commit and date", p.out, err)
	}
	if p = start(t, "version", "-o", "xml"); p.end() != 1 {
		t.Errorf("an unknown format: got exit code 0, want 1")
	}
}
