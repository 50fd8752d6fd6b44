package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
)

// TestDebugBundle checks the files of a bundle, and that profiles need the proof of the user.
func TestDebugBundle(t *testing.T) {
	t.Setenv("VEDETTE_DB_PASSWORD", "geheim-1")
	srv := recordable(t, apitest.Config{})
	dir := t.TempDir()
	config := file(t, "vedette.yaml", "db: postgres://u:geheim-2@127.0.0.1:1/h\n")
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+filepath.Join(dir, "h.db"), "--listen", "127.0.0.1:0", "--portal=false")
	p.err.holds(t, "health and metrics at ")
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/debug/pprof/goroutine", http.StatusUnauthorized, regexp.MustCompile("vedette debug bundle"))
	ended(t, 0, "debug", "bundle", "--server", address, "--config", config, "--file", filepath.Join(dir, "bundle"))
	p.interrupt()
	http.DefaultClient.CloseIdleConnections()
	files := untar(t, filepath.Join(dir, "bundle"))
	for name, want := range map[string]string{
		"version.txt": "commit ", "settings.txt": "postgres://u@127.0.0.1:1/h", "healthz.txt": "ok", "readyz.txt": "", "metrics.txt": "go_goroutines", "goroutines.txt": "(*recordOptions).run", "heap.pb.gz": "\x1f\x8b",
	} {
		if text, ok := files[name]; !ok || !strings.Contains(text, want) {
			t.Errorf("%s: got %.200q, want %q in it", name, text, want)
		}
		if strings.Contains(files[name], "geheim") {
			t.Errorf("%s has a password", name)
		}
	}
	for server, want := range map[string]string{"http://192.0.2.1:80": "is not an address of this machine", "nowhere": "is not a URL", address: "start the program with --listen"} {
		if _, text := ended(t, 1, "debug", "bundle", "--server", server, "--file", filepath.Join(dir, "none")); !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want %q", server, text, want)
		}
	}
}

// untar returns the files of a compressed archive.
func untar(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[h.Name] = string(text)
	}
}
