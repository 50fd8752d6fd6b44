package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "platform/portal/ui", "the folder with the sources of the pages")
	dist := flag.String("out", "", "where to write the pages; empty: dist in the folder with the sources")
	goTypes := flag.String("api", "platform/portal/api", "the folder with the Go types of the API")
	test := flag.Bool("test", false, "run the tests of the sources with Node, and write nothing")
	flag.Parse()
	if *test {
		if err := runTests(*dir); err != nil {
			fmt.Fprintln(os.Stderr, "test the pages:", err)
			os.Exit(1)
		}
		return
	}
	if *dist == "" {
		*dist = filepath.Join(*dir, "dist")
	}
	if err := run(*dir, *goTypes, *dist); err != nil {
		fmt.Fprintln(os.Stderr, "build the pages:", err)
		os.Exit(1)
	}
}

// run writes src/api.ts and the pages.
func run(dir, goTypes, dist string) error {
	types, err := typeScript(goTypes)
	if err != nil {
		return fmt.Errorf("types of the API: %w", err)
	}
	// The file is written first, because the bundle imports it. An unchanged file stays, so
	// that watching tools see no change.
	file := filepath.Join(dir, "src", "api.ts")
	if old, err := os.ReadFile(file); err != nil || string(old) != types {
		if err := os.WriteFile(file, []byte(types), 0o644); err != nil {
			return err
		}
	}
	out, err := bundle(dir)
	if err != nil {
		return err
	}
	return out.write(dist)
}
