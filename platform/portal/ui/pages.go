package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Policy is the Content-Security-Policy of the pages.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Pages serves the pages. It is safe for use by several goroutines.
type Pages struct {
	files map[string]asset // by path, such as "/assets/main-ABC.js"
	index []byte
}

// asset is a file with its compressed form, which is nil if it is not smaller.
type asset struct {
	plain, zipped []byte
	kind, tag     string
}

// New returns the embedded pages.
func New() (*Pages, error) { return newPages(dist) }

func newPages(files fs.FS) (*Pages, error) {
	p := &Pages{files: map[string]asset{}}
	err := fs.WalkDir(files, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		a, err := newAsset(name, content)
		p.files[strings.TrimPrefix(name, "dist")] = a
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the embedded pages: %w", err)
	}
	index, ok := p.files["/index.html"]
	if !ok || !bytes.Contains(index.plain, []byte(head)) {
		return nil, fmt.Errorf("the embedded pages have no index.html: run make ui")
	}
	p.index = index.plain
	delete(p.files, "/index.html")
	delete(p.files, "/manifest.json")
	return p, nil
}

func newAsset(name string, content []byte) (asset, error) {
	sum := sha256.Sum256(content)
	a := asset{plain: content, kind: mime.TypeByExtension(path.Ext(name)), tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
	switch path.Ext(name) { // the tables of the system may differ
	case ".js":
		a.kind = "text/javascript; charset=utf-8"
	case ".css":
		a.kind = "text/css; charset=utf-8"
	case ".woff2":
		a.kind = "font/woff2"
	case ".svg":
		a.kind = "image/svg+xml"
	case ".txt":
		a.kind = "text/plain; charset=utf-8"
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return asset{}, err
	}
	if _, err := w.Write(content); err != nil {
		return asset{}, err
	}
	if err := w.Close(); err != nil {
		return asset{}, err
	}
	if b.Len() < len(content) {
		a.zipped = b.Bytes()
	}
	return a, nil
}

// head is what index.html has in place of the language and the theme.
const head = `<html lang="en" data-theme="system">`

// ServeHTTP serves an asset, or the page at a path, in the language and the theme of the request.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the pages can only be read", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/" {
		http.Redirect(w, r, "/jobs", http.StatusFound)
		return
	}
	if a, ok := p.files[r.URL.Path]; ok {
		a.serve(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/assets/") || r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if !hasPage(r.URL.Path) {
		w.WriteHeader(http.StatusNotFound)
	}
	if r.Method == http.MethodHead {
		return
	}
	start := fmt.Sprintf(`<html lang="%s" data-theme="%s">`, languageOf(r), themeOf(r))
	_, _ = w.Write(bytes.Replace(p.index, []byte(head), []byte(start), 1)) // the browser may be gone
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(r.URL.Path, "/assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := a.plain
	if a.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = a.zipped
	}
	h.Set("Content-Length", fmt.Sprint(len(content)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(content) // the browser may be gone
}

// hasPage reports whether the pages know a path. src/shell/pages.ts has the same rules.
func hasPage(p string) bool {
	first, rest, deeper := strings.Cut(strings.Trim(p, "/"), "/")
	switch first {
	case "jobs":
		return !deeper || strings.Contains(rest, "/")
	case "stats":
		return true
	case "find":
		return strings.Count(rest, "/") == 3
	case "submit", "timeline", "operations", "settings", "docs":
		return !deeper
	}
	return false
}

// languageOf returns the language of the page: that of the parameter or of the cookie, or the
// first one that the browser asks for and the pages have.
func languageOf(r *http.Request) string {
	said := []string{r.URL.Query().Get("lang")}
	if c, err := r.Cookie("vedette_lang"); err == nil {
		said = append(said, c.Value)
	}
	said = append(said, strings.Split(r.Header.Get("Accept-Language"), ",")...)
	for _, s := range said {
		switch s = strings.ToLower(strings.TrimSpace(s)); {
		case s == "zh" || strings.HasPrefix(s, "zh-") || strings.HasPrefix(s, "zh;"):
			return "zh"
		case s == "en" || strings.HasPrefix(s, "en-") || strings.HasPrefix(s, "en;"):
			return "en"
		}
	}
	return "en"
}

func themeOf(r *http.Request) string {
	if c, err := r.Cookie("vedette_theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return "system"
}
