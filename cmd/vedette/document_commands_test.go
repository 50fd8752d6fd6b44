package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestDocumentedCommands checks that each command in a code block of the READMEs and of docs exists,
// with its flags.
func TestDocumentedCommands(t *testing.T) {
	testinput.Uncached(t)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(?:\$ )?(?:\w+=\S+ )*(?:go run \./cmd/vedette|vedette) (.*)`)
	found := 0
	for _, file := range append(files, "../../README.md", "../../platform/README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split("\n"+string(text), "\n```") {
			if i%2 == 0 {
				continue // not code
			}
			for command := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
				m := line.FindStringSubmatch(command)
				if m == nil {
					continue
				}
				found++
				if problem := parses(m[1]); problem != nil {
					t.Errorf("%s: the documented command %s does not parse: %v", filepath.Base(file), strings.TrimSpace(command), problem)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands were found", found)
	}
}

// parses returns an error if the program cannot parse a command with its arguments.
func parses(text string) error {
	words := regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(text, -1)
	for i, word := range words {
		if strings.HasPrefix(word, "#") || word == "|" || word == "<" || word == ">" || word == "&" {
			words = words[:i]
			break
		}
		words[i] = strings.Trim(word, `'"`)
	}
	root := newRoot(io.Discard, io.Discard, false)
	root.InitDefaultCompletionCmd(words...)
	cmd, args, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(args); err != nil && err != pflag.ErrHelp {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
