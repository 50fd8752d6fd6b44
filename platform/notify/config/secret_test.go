package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const secretText = "hunter2-Sesame"

// TestSecretsAreHidden: no way of printing a value shows its secret.
func TestSecretsAreHidden(t *testing.T) {
	s := NewSecret(secretText)
	holder := struct {
		Secret  Secret
		Pointer *Secret
	}{s, &s}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s"} {
		shown = append(shown, fmt.Sprintf(verb, s), fmt.Sprintf(verb, &s), fmt.Sprintf(verb, holder), fmt.Sprintf(verb, []Secret{s}))
	}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("x", "secret", s, "holder", holder, "list", []Secret{s})
	}
	asJSON, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	shown = append(shown, log.String(), string(asJSON), string(asYAML), fmt.Errorf("failed: %w", errors.New(s.String())).Error())
	for _, text := range shown {
		if strings.Contains(text, secretText) || strings.Contains(text, fmt.Sprintf("%x", secretText)) || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", secretText)) {
			t.Errorf("a secret is shown, want it hidden: %s", text)
		}
		if !strings.Contains(text, hidden) && !strings.Contains(text, "0x") {
			t.Errorf("not even a sign of it: %s", text)
		}
	}
	if s.Reveal() != secretText || s.IsZero() || !(Secret{}).IsZero() || (Secret{}).String() != "" {
		t.Error("the secret itself is lost")
	}
}

// TestNoMistakeShowsASecret loads files with a secret in various wrong places.
func TestNoMistakeShowsASecret(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret"), secretText)
	o := environment(map[string]string{"KEY": secretText, "URL": "https://user:" + secretText + "@[bad", "GOOD": keyA})
	channel := func(fields string) string { return "channels:\n  hook: {type: webhook, " + fields + "}\n" }
	for name, text := range map[string]string{
		"plain":                     channel("url: https://x.example, secret: hunter2-Sesame"),
		"quoted":                    channel(`url: https://x.example, secret: "hunter2-Sesame"`),
		"in a list":                 channel("url: https://x.example, secret: [hunter2-Sesame]"),
		"as a key":                  channel("url: https://x.example, secret: {hunter2-Sesame}"),
		"as a key with a value":     channel("url: https://x.example, secret: {hunter2-Sesame: env}"),
		"as a value":                channel("url: https://x.example, secret: {value: hunter2-Sesame}"),
		"as a variable":             channel("url: https://x.example, secret: {env: hunter2-Sesame}"),
		"as a variable's name":      channel("url: https://x.example, secret: {env: hunter2}") + "# -Sesame",
		"as a file":                 channel("url: https://x.example, secret: {file: hunter2-Sesame}"),
		"as a file with a slash":    channel("url: https://x.example, secret: {file: hunter2-Sesame/x}"),
		"twice":                     channel("url: https://x.example, secret: {env: KEY, file: hunter2-Sesame}"),
		"as a reference":            channel("url: https://x.example, secret: *hunter2-Sesame"),
		"as an anchor":              channel("url: https://x.example, secret: &hunter2-Sesame {env: KEY}, secret: *hunter2-Sesame"),
		"as a tag":                  channel("url: https://x.example, secret: !hunter2-Sesame x"),
		"that is not a key":         channel("url: https://x.example, secret: {env: KEY}"),
		"in a file, not a key":      channel("url: https://x.example, secret: {file: secret}"),
		"in a broken URL":           channel("url: {env: URL}, secret: {env: GOOD}"),
		"in a plain URL":            channel("url: 'https://u:hunter2-Sesame@x.example', secret: {env: GOOD}"),
		"in a query":                channel("url: 'https://x.example/?token=hunter2-Sesame', secret: {env: GOOD}"),
		"in a broken plain URL":     channel("url: 'https://hunter2-Sesame@[', secret: {env: GOOD}"),
		"in a header":               channel("url: https://x.example, secret: {env: GOOD}, headers: {Authorization: hunter2-Sesame}"),
		"in a header's variable":    channel(`url: https://x.example, secret: {env: GOOD}, headers: {"bad name": {env: KEY}}`),
		"before a syntax error":     channel("url: https://x.example, secret: hunter2-Sesame") + "  x: [",
		"in a syntax error":         channel("url: https://x.example, secret: 'hunter2-Sesame"),
		"in a mapping":              "channels:\n  hook:\n    type: webhook\n    secret: hunter2-Sesame: x\n",
		"as a block":                "channels:\n  hook:\n    type: webhook\n    url: https://x.example\n    secret: |\n      hunter2-Sesame\n",
		"as the key of an alert":    "channels:\n  p: {type: pagerduty, key: hunter2-Sesame}\n",
		"in the variable of a key":  "channels:\n  p: {type: pagerduty, key: {env: KEY}}\n",
		"in a proxy":                "network: {proxy: 'http://u:hunter2-Sesame@proxy.example:3128'}\n",
		"in a proxy's variable":     "network: {proxy: {env: URL}}\n",
		"in a proxy that is broken": "network: {proxy: 'hunter2-Sesame'}\n",
		"in the portal":             "portal: https://u:hunter2-Sesame@x.example\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(filepath.Join(dir, "f.yaml"), []byte(text), o)
			if err == nil {
				t.Fatal("it is not refused")
			}
			for _, part := range []string{"hunter2", "Sesame"} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("the error shows a secret: %v, want it without %s", err, part)
				}
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key"), secretText+"\r\n")
	write(t, filepath.Join(dir, "empty"), "\n")
	write(t, filepath.Join(dir, "large"), strings.Repeat("x", maxSecret+1))
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := environment(map[string]string{"KEY": secretText + "\n", "EMPTY": "", "LARGE": strings.Repeat("x", maxSecret+1)})
	v := newVault(filepath.Join(dir, "f.yaml"), &o)
	for _, name := range []string{"key", "./key", filepath.Join(dir, "key")} {
		if s, err := v.fromFile(name); err != nil || s.Reveal() != secretText {
			t.Errorf("%s: got error %v and %d bytes, want the secret", name, err, len(s.Reveal()))
		}
	}
	if s, err := v.fromEnv("KEY"); err != nil || s.Reveal() != secretText {
		t.Errorf("the variable: %v, %d bytes", err, len(s.Reveal()))
	}
	for name, want := range map[string]string{"./none": "no such file", "empty": "is empty", "./large": "more than", "./folder": "not a regular file"} {
		if _, err := v.fromFile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for name, want := range map[string]string{"NONE": "NONE is not set", "EMPTY": "EMPTY is not set, or empty", "LARGE": "more than"} {
		if _, err := v.fromEnv(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if len(v.warnings) > 0 {
		t.Errorf("warnings about files that only their owner reads: %q", v.warnings)
	}
}

func TestRightsOfSecrets(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	write(t, path, keyA)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	onUnix := runtime.GOOS != "windows" // Windows has no such permissions
	load := func() []string {
		c, err := Parse(filepath.Join(dir, "f.yaml"), []byte(watched), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Warnings
	}
	if got := load(); onUnix && (len(got) != 1 || !strings.Contains(got[0], "chmod") || strings.Contains(got[0], keyA)) {
		t.Errorf("got warnings %q, want one with chmod and without the secret", got)
	}
	if err := os.Symlink(".", filepath.Join(dir, "..data")); err != nil { // as a volume of Kubernetes
		t.Fatal(err)
	}
	if got := load(); len(got) != 0 {
		t.Errorf("in a volume: got the warnings %q, want none", got)
	}
}
