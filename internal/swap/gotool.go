package swap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// errNoGo is the error on a machine without the go command.
var errNoGo = errors.New("the go command is not on the PATH, and the program is built with it: install Go from https://go.dev/dl")

// shownOutput is the maximum number of bytes of go's output in an error.
const shownOutput = 4 << 10

// goTool runs the go command in a folder.
type goTool struct {
	dir string
	env []string
}

// run runs go, and returns its standard output.
//
// Errors: errNoGo; a failed run, with the end of its output.
func (g goTool) run(ctx context.Context, args ...string) ([]byte, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, errNoGo
	}
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = g.dir, g.env, &out, &problems
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &GoError{args[0], strings.TrimSpace(end(problems.String()))}
	}
	return out.Bytes(), nil
}

// GoError is a failed run of the go command.
type GoError struct {
	// Command is the subcommand, such as build.
	Command string
	// Output is the end of its output, in lines.
	Output string
}

// Error returns the last line of the output.
func (e *GoError) Error() string {
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

// decodeAll decodes the values of a JSON stream.
func decodeAll[T any](data []byte) ([]T, error) {
	var all []T
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var v T
		switch err := dec.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read the output of go: %w", err)
		}
		all = append(all, v)
	}
}
