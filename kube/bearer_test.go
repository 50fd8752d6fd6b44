package kube_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/kube"
)

// TestBearer checks the token of a user, of a file and of a plugin, and the error for a
// user without a token.
func TestBearer(t *testing.T) {
	dir := t.TempDir()
	plugin := filepath.Join(dir, "plugin.sh")
	script := `#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"of-plugin"}}'
`
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte("of-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ user, want string }{
		{"token: of-user", "of-user"},
		{fmt.Sprintf("tokenFile: %q", file), "of-file"},
		{fmt.Sprintf("exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, interactiveMode: Never}", plugin), "of-plugin"},
		{"username: a, password: b", ""},
		{"", ""},
	} {
		path := filepath.Join(dir, "config")
		text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
users: [{name: u, user: {%s}}], contexts: [{name: c, context: {cluster: c, user: u}}]}`, c.user)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := kube.BearerToken(t.Context(), kube.Config{Kubeconfig: path})
		if token != c.want || (c.want == "") != errors.Is(err, kube.ErrNoToken) {
			t.Errorf("{%s}: got %q, %v; want %q", c.user, token, err, c.want)
		}
	}
	if _, err := kube.BearerToken(t.Context(), kube.Config{Kubeconfig: filepath.Join(dir, "none")}); err == nil {
		t.Error("got no error for a missing kubeconfig")
	}
}
