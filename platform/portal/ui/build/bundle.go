package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// maxSize is the maximum size of the pages in bytes, with each file compressed.
const maxSize = 200_000

// licenses is the file with the licenses of everything that is embedded.
const licenses = "licenses.txt"

// output has the files of dist by name.
type output map[string][]byte

// manifest describes the files of dist.
type manifest struct {
	Bytes int    `json:"bytes"` // of what pages load, compressed
	Files []file `json:"files"`
}

type file struct {
	Name       string `json:"name"`
	Bytes      int    `json:"bytes"`
	Compressed int    `json:"compressed"`
}

// bundle creates the files of dist from the sources.
func bundle(dir string) (output, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	options := api.BuildOptions{
		AbsWorkingDir: abs, Outdir: filepath.Join(abs, "dist", "assets"), PublicPath: "/assets/",
		Bundle: true, Write: false, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", AssetNames: "[name]-[hash]",
		Loader: map[string]api.Loader{".woff2": api.LoaderFile, ".svg": api.LoaderFile},
	}
	pages := options
	pages.EntryPoints = []string{"src/main.tsx", "src/icon.svg"}
	pages.Format, pages.Splitting = api.FormatESModule, true
	out := output{}
	if err := out.add(pages, abs); err != nil {
		return nil, err
	}
	worker := options
	worker.EntryPoints, worker.Format = []string{"src/worker.ts"}, api.FormatIIFE
	if err := out.add(worker, abs); err != nil {
		return nil, err
	}
	if err := out.index(); err != nil {
		return nil, err
	}
	if err := out.licenses(abs); err != nil {
		return nil, err
	}
	return out, out.manifest()
}

func (o output) add(options api.BuildOptions, abs string) error {
	result := api.Build(options)
	if len(result.Errors) > 0 || len(result.Warnings) > 0 {
		style := api.FormatMessagesOptions{Kind: api.ErrorMessage}
		return errors.New(strings.Join(api.FormatMessages(append(result.Errors, result.Warnings...), style), "\n"))
	}
	for _, f := range result.OutputFiles {
		name, err := filepath.Rel(filepath.Join(abs, "dist"), f.Path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(filepath.Base(name), "icon-") && strings.HasSuffix(name, ".js") {
			continue // esbuild creates a module for an entry that is an image
		}
		o[filepath.ToSlash(name)] = f.Contents
	}
	return nil
}

// one returns the only file whose name has a prefix and a suffix.
func (o output) one(begin, end string) (string, error) {
	var found []string
	for name := range o {
		if strings.HasPrefix(name, "assets/"+begin) && strings.HasSuffix(name, end) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d files are named %s*%s, want one: %v", len(found), begin, end, found)
	}
	return "/" + found[0], nil
}

// index writes the HTML page for all pages. The server fills in the language and the theme.
func (o output) index() error {
	var names []any
	for _, f := range [][2]string{{"icon-", ".svg"}, {"inter-", ".woff2"}, {"main-", ".css"}, {"worker-", ".js"}, {"main-", ".js"}} {
		name, err := o.one(f[0], f[1])
		if err != nil {
			return err
		}
		names = append(names, html.EscapeString(name))
	}
	o["index.html"] = fmt.Appendf(nil, `<!doctype html>
<html lang="en" data-theme="system">
<head>
<meta charset="utf-8">
<title>Vedette</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="%s">
<link rel="preload" as="font" type="font/woff2" crossorigin href="%s">
<link rel="stylesheet" href="%s">
<meta name="vedette-worker" content="%s">
<script type="module" src="%s"></script>
</head>
<body>
<div id="app"></div>
<noscript>Vedette's pages need JavaScript. The command vedette jobs shows the same in a terminal.</noscript>
</body>
</html>
`, names...)
	return nil
}

// licenses collects the licenses of everything that is embedded.
func (o output) licenses(abs string) error {
	var text bytes.Buffer
	for _, part := range [][2]string{{"Inter", "src/fonts"}, {"preact", ""}, {"@preact/signals", ""}, {"@preact/signals-core", ""}} {
		folder := part[1]
		if folder == "" {
			folder = filepath.Join("node_modules", part[0])
		}
		license, err := os.ReadFile(filepath.Join(abs, folder, "LICENSE"))
		if err != nil {
			return fmt.Errorf("the license of %s: %w", part[0], err)
		}
		fmt.Fprintf(&text, "%s\n\n%s\n\n", part[0], bytes.TrimSpace(license))
	}
	o[licenses] = bytes.TrimSpace(text.Bytes())
	return nil
}

// manifest adds the list of files, and checks their size.
func (o output) manifest() error {
	var m manifest
	for name, content := range o {
		n, err := compressed(content)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, file{Name: name, Bytes: len(content), Compressed: n})
		if name != licenses { // no page loads it
			m.Bytes += n
		}
	}
	slices.SortFunc(m.Files, func(a, b file) int { return strings.Compare(a.Name, b.Name) })
	if m.Bytes > maxSize {
		return fmt.Errorf("the pages take %d bytes compressed, more than %d", m.Bytes, maxSize)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	o["manifest.json"] = append(text, '\n')
	return err
}

// compressed returns the compressed size of a file.
func compressed(content []byte) (int, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(content); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return min(b.Len(), len(content)), nil
}

// write replaces the folder dist.
func (o output) write(dist string) error {
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for name, content := range o {
		path := filepath.Join(dist, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
