package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// browser is the tests' substitute for a browser.
const browser = `globalThis.location ??= { search: "", pathname: "/" };
globalThis.document ??= { documentElement: { lang: "en", dataset: {} }, cookie: "", addEventListener() {} };
globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });
globalThis.addEventListener ??= () => {};`

// runTests bundles src/**/*.test.ts and runs them with Node's test runner.
func runTests(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	var entries []string
	err = filepath.WalkDir(filepath.Join(abs, "src"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".test.ts") {
			entries = append(entries, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	out, err := os.MkdirTemp("", "vedette-tests-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(out) }() // it is a folder for temporary files
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: abs, EntryPoints: entries, Outdir: out, OutExtension: map[string]string{".js": ".test.mjs"}, Bundle: true, Write: true, Platform: api.PlatformNode, Format: api.FormatESModule,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", Banner: map[string]string{"js": browser}, Loader: map[string]api.Loader{".woff2": api.LoaderEmpty, ".css": api.LoaderEmpty},
	})
	if len(result.Errors) > 0 {
		return errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	var files []string
	for _, f := range result.OutputFiles {
		files = append(files, f.Path)
	}
	node := exec.Command("node", append([]string{"--test"}, files...)...)
	node.Env = append(os.Environ(), "TZ=Asia/Shanghai")
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}
