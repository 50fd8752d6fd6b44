package portal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
)

// Running is a running portal.
type Running struct {
	URL   string
	usage string
	stop  func() error
}

// Start starts a process: "serve" and the URL of a database for a portal, "floor" and a number
// of bytes for ServeFloor. Tests replace it to start both in this process.
var Start = StartProcess

// StartProcess starts this program again, with these arguments.
func StartProcess(_ context.Context, what, of string) (*Running, error) {
	cmd := exec.Command("/proc/self/exe", what, of)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return running(out, func() error { return errors.Join(in.Close(), cmd.Wait()) })
}

// StartInside starts the same in this process.
func StartInside(ctx context.Context, what, of string) (*Running, error) {
	in, end := io.Pipe()
	out, say := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Main(ctx, what, of, in, say)
		ended <- errors.Join(err, say.Close())
	}()
	return running(out, func() error { return errors.Join(end.Close(), <-ended) })
}

// Main is what a process of Start does.
func Main(ctx context.Context, what, of string, in io.Reader, out io.Writer) error {
	if what == "serve" {
		return Serve(ctx, of, in, out)
	}
	bytes, err := strconv.Atoi(of)
	if err != nil || what != "floor" {
		return fmt.Errorf("there is no process %s %s", what, of)
	}
	return ServeFloor(ctx, bytes, in, out)
}

// running reads the address of a portal from its output.
func running(out io.Reader, stop func() error) (*Running, error) {
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the portal did not start: %w", err), stop())
	}
	r := &Running{stop: stop}
	r.URL, r.usage, _ = strings.Cut(strings.TrimSpace(line), " ")
	return r, nil
}

// Usage returns the resource usage of the portal. With memory it first collects garbage.
func (r *Running) Usage(ctx context.Context, memory bool) (measure.Figures, error) {
	query := ""
	if memory {
		query = "?memory=1"
	}
	f := measure.Figures{}
	body, err := get(ctx, http.DefaultClient, r.usage+"/usage"+query)
	if err != nil {
		return nil, err
	}
	return f, json.Unmarshal(body, &f)
}

// ready waits until the portal has read the history.
func (r *Running) ready(ctx context.Context) error {
	return until(ctx, "the portal reads the history", func() (bool, error) {
		_, err := get(ctx, http.DefaultClient, r.URL+"/readyz")
		return err == nil, nil
	})
}

// until waits until f returns true.
func until(ctx context.Context, what string, f func() (bool, error)) error {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		done, err := f()
		if done || err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
}

// get returns the body of an answer.
//
// Errors: a status other than 200.
func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.300s", url, resp.Status, body)
	}
	return body, err
}

// read decodes the answer to a request.
func read[T any](ctx context.Context, client *http.Client, url string) (*T, error) {
	body, err := get(ctx, client, url)
	if err != nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(body, v)
}
