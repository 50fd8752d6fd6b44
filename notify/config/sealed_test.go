package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWithoutSecrets: a file can be read where its secrets cannot. Its channels do not
// open, and its other mistakes are told.
func TestWithoutSecrets(t *testing.T) {
	const text = "channels:\n  hook: {type: webhook, url: {file: /nowhere/url}, secret: {env: NOT_SET}}\nrules:\n- {name: a, enter: [Failed], to: [hook]}\n"
	path := filepath.Join(t.TempDir(), "notify.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "NOT_SET") || !strings.Contains(err.Error(), "/nowhere/url") {
		t.Errorf("with secrets: %v", err)
	}
	c, err := Load(path, Options{WithoutSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Channels["hook"].Open(); err == nil || err.Error() != "channel hook was read without its secrets, so it cannot send" {
		t.Errorf("%v", err)
	}
	if _, err := Parse("notify.yaml", []byte(strings.Replace(text, "Failed", "Fialed", 1)), Options{WithoutSecrets: true}); err == nil || !strings.Contains(err.Error(), "notify.yaml:4: ") {
		t.Errorf("%v", err)
	}
}
