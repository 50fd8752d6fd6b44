package ui

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func serve(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	for _, c := range []struct {
		path string
		want int
	}{
		{"/", http.StatusFound},
		{"/jobs", 200},
		{"/jobs/east/uid-1", 200},
		{"/jobs/east/uid-1/logs", 200},
		{"/stats/owners", 200},
		{"/find/a/b/c/d", 200},
		{"/nothing", 404},
		{"/assets/../index.html", 404},
		{"/assets/none.js", 404},
		{"/manifest.json", 404},
		{"/index.html", 404},
		{"/find/a", 404},
		{"/licenses.txt", 200},
	} {
		if w := serve(t, c.path); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.path, w.Code, c.want)
		}
	}
}

// TestPolicy holds the page against its own Content-Security-Policy.
func TestPolicy(t *testing.T) {
	w := serve(t, "/jobs")
	page := w.Body.String()
	if got := w.Header().Get("Content-Security-Policy"); got != Policy || strings.Contains(got, "unsafe") {
		t.Errorf("got the policy %q, want %q", got, Policy)
	}
	for _, bad := range []string{`<style`, ` style=`, `javascript:`, `://`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if m := regexp.MustCompile(`<script[^>]*>[^<]`).FindString(page); m != "" {
		t.Errorf("the page has an inline script: %q", m)
	}
	if m := regexp.MustCompile(`\son\w+=`).FindString(page); m != "" {
		t.Errorf("the page has a handler in an attribute: %q", m)
	}
}

func TestLanguageAndTheme(t *testing.T) {
	for _, c := range []struct {
		path, want string
		header     []string
	}{
		{"/jobs", `<html lang="en" data-theme="system">`, nil},
		{"/jobs", `<html lang="zh" data-theme="system">`, []string{"Accept-Language", "fr, zh-CN;q=0.8, en"}},
		{"/jobs", `<html lang="en" data-theme="dark">`, []string{"Accept-Language", "zh", "Cookie", "vedette_lang=en; vedette_theme=dark"}},
		{"/jobs?lang=zh", `<html lang="zh" data-theme="system">`, []string{"Cookie", "vedette_lang=en; vedette_theme=%22%3E%3Cscript%3E"}},
	} {
		if page := serve(t, c.path, c.header...).Body.String(); !strings.Contains(page, c.want) {
			t.Errorf("%s with %q lacks %s, want it in the page", c.path, c.header, c.want)
		}
	}
}

// TestManifest finds files that an older build left behind.
func TestManifest(t *testing.T) {
	text, err := dist.ReadFile("dist/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Files []struct {
			Name  string
			Bytes int
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"manifest.json": len(text)}
	for _, f := range m.Files {
		want[f.Name] = f.Bytes
	}
	got := map[string]int{}
	err = fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			got[strings.TrimPrefix(name, "dist/")] = int(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dist is not what its manifest says; run make ui (-manifest +dist):\n%s", diff)
	}
}

func TestAssets(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for name, a := range p.files {
		zipped := serve(t, name, "Accept-Encoding", "gzip")
		if name != "/licenses.txt" {
			total += zipped.Body.Len()
		}
		if zipped.Code != 200 || a.kind == "" {
			t.Errorf("%s: got status %d and type %q, want 200 and a known type", name, zipped.Code, a.kind)
		}
		if again := serve(t, name, "If-None-Match", zipped.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d, %d bytes", name, again.Code, again.Body.Len())
		}
		if strings.HasPrefix(name, "/assets/") && !strings.Contains(zipped.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s is not kept by browsers", name)
		}
		if m := regexp.MustCompile(`(https?:)?//[a-z0-9-]+\.[a-z]{2,}`).Find(a.plain); m != nil && !strings.HasSuffix(name, ".txt") && !strings.Contains(string(m), "www.w3.org") {
			t.Errorf("%s has the address %s", name, m)
		}
	}
	if total > 200_000 {
		t.Errorf("the pages take %d bytes, more than 200,000", total)
	}
}
