// Package gotool runs the go command.
package gotool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// ErrNotFound is the error on a machine without the go command.
var ErrNotFound = errors.New("the go command is not on the PATH: install Go from https://go.dev/dl")

// shownOutput is the maximum number of bytes of go's output in an error.
const shownOutput = 4 << 10

// Tool runs the go command in a folder.
type Tool struct {
	// Dir is the folder.
	Dir string
	// Env is the environment; nil means that of the process.
	Env []string
}

// Run runs go, and returns its standard output. The end of ctx ends the command.
//
// Errors: ErrNotFound; *Error; the error of ctx.
func (t Tool) Run(ctx context.Context, args ...string) ([]byte, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, ErrNotFound
	}
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.Dir, t.Env, &out, &problems
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{args[0], strings.TrimSpace(end(problems.String()))}
	}
	return out.Bytes(), nil
}

// Error is a failed run of the go command.
type Error struct {
	// Command is the subcommand, such as build.
	Command string
	// Output is the end of its output, in lines.
	Output string
}

// Error returns the last line of the output.
func (e *Error) Error() string {
	lines := strings.Split(e.Output, "\n")
	return fmt.Sprintf("go %s failed: %s", e.Command, lines[len(lines)-1])
}

// end returns the last lines of a text.
func end(text string) string {
	if len(text) <= shownOutput {
		return text
	}
	text = text[len(text)-shownOutput:]
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		text = rest
	}
	return "…\n" + text
}
