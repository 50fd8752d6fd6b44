package scenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
)

// Record is the measurement of one process.
type Record struct {
	Scenario   string
	Case       string
	Contestant string
	Round      int
	N          int // objects
	Events     int
	contest.Result
	// Failed is the reason if there are no figures.
	Failed string `json:",omitempty"`
}

// Stage runs servers and contestants, in processes, or for tests in this one.
type Stage interface {
	// Serve starts a server, and returns its address and the sizes of its objects.
	Serve(serve.Spec) (url, sizes string, stop func(), err error)
	// Do does a task.
	Do(contest.Task) (*contest.Result, error)
}

// Run runs all cases of some scenarios. If a contestant fails, its record has the reason,
// and the others continue.
//
// Run ends early, with the records so far, if ctx is done.
//
// Errors: a server that does not start; the cause of ctx.
func Run(ctx context.Context, stage Stage, scenarios []Scenario, o Options, progress io.Writer) ([]Record, error) {
	var records []Record
	began := time.Now()
	for _, s := range scenarios {
		for _, c := range s.Cases(o) {
			say := func(format string, args ...any) {
				fmt.Fprintf(progress, "%5.0f s  %s / %s: %s\n", time.Since(began).Seconds(), s.Name, c.Name, fmt.Sprintf(format, args...))
			}
			more, err := runCase(ctx, stage, s.Name, c, say)
			records = append(records, more...)
			if err != nil {
				return records, fmt.Errorf("%s / %s: %w", s.Name, c.Name, err)
			}
		}
	}
	return records, nil
}

// runCase runs the contestants of a case in turn, round by round.
func runCase(ctx context.Context, stage Stage, scenario string, c Case, say func(string, ...any)) ([]Record, error) {
	if c.Serve != nil {
		say("encoding %d objects", c.Task.N*len(c.Task.Kinds))
		url, sizes, stop, err := stage.Serve(*c.Serve)
		if err != nil {
			return nil, err
		}
		defer stop()
		c.Task.URL = url
		say("%s", sizes)
	}
	dir, err := os.MkdirTemp("", "vedette-bench-case-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c.Task.Dir = dir
	var records []Record
	for round := range c.Rounds {
		for _, name := range c.Contestants {
			var parts []Record
			r := Record{Scenario: scenario, Case: c.Name, Contestant: name, Round: round, N: c.Task.N * max(1, len(c.Task.Kinds)), Events: c.Task.Events}
			result, err := turn(stage, c, name, round)
			if ctx.Err() != nil { // the contestant may have been interrupted, too
				return records, context.Cause(ctx)
			}
			if err != nil {
				r.Failed = err.Error()
				say("round %d, %s FAILED: %v", round+1, name, err)
			} else {
				r.Result = *result
				for _, p := range result.Parts {
					part := r
					part.Contestant, part.Result = p.Name, contest.Result{Figures: p.Figures}
					parts = append(parts, part)
				}
				r.Parts = nil
				say("round %d, %s: %s", round+1, name, brief(result))
			}
			records = append(append(records, r), parts...)
		}
	}
	return records, nil
}

// turn runs one contestant.
func turn(stage Stage, c Case, name string, round int) (*contest.Result, error) {
	task := c.Task
	task.Contestant = name
	reset := func() error {
		if task.URL == "" {
			return nil
		}
		return contest.Reset(task.URL)
	}
	if c.Prepare && round == 0 {
		if err := reset(); err != nil {
			return nil, err
		}
		before := task
		before.Action = contest.Prepare
		if strings.HasSuffix(name, "-warm") {
			if _, err := stage.Do(before); err != nil {
				return nil, err
			}
		}
	}
	if err := reset(); err != nil {
		return nil, err
	}
	return stage.Do(task)
}

// brief returns a short form of a result.
func brief(r *contest.Result) string {
	var parts []string
	for _, f := range []struct{ name, format string }{{"wall", "%.2f s"}, {"cpu", "%.2f s of CPU"}, {"p99", "p99 %.6f s"}, {"overhead", "%.0f B each"}, {contest.PerSecond, "%.0f/s"}} {
		if v, ok := r.Figures[f.name]; ok {
			parts = append(parts, fmt.Sprintf(f.format, v))
		}
	}
	if v, ok := r.Figures["peak"]; ok {
		parts = append(parts, fmt.Sprintf("peak %.0f MB", v/1e6))
	}
	return strings.Join(parts, ", ")
}

// Processes is the Stage that runs everything in processes of its own: this program,
// started again with the argument "serve" or "contest" and a JSON document.
type Processes struct{}

func self(what string, doc any) (*exec.Cmd, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/proc/self/exe", what, string(text))
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// Serve implements Stage.
func (Processes) Serve(spec serve.Spec) (url, sizes string, stop func(), err error) {
	cmd, err := self("serve", spec)
	if err != nil {
		return "", "", nil, err
	}
	quit, err := cmd.StdinPipe()
	if err != nil {
		return "", "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", "", nil, err
	}
	stop = func() {
		_ = quit.Close() // this ends the server
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", "", nil, fmt.Errorf("the server did not start: %w", err)
	}
	url, sizes, _ = strings.Cut(strings.TrimSpace(line), " ")
	return url, sizes, stop, nil
}

// programs are the programs of actions with more dependencies than the contestants: see
// packages notified and portal.
var programs = map[contest.Action]string{contest.Notify: "./notified/program", contest.Portal: "./portal/program", contest.Streams: "./portal/program"}

// Do implements Stage.
func (Processes) Do(task contest.Task) (*contest.Result, error) {
	cmd, err := self("contest", task)
	if err != nil {
		return nil, err
	}
	if folder := programs[task.Action]; folder != "" {
		cmd = exec.Command("go", "run", folder, cmd.Args[len(cmd.Args)-1])
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if task.Encoding == workload.CBOR { // client-go requests CBOR only with these
		cmd.Env = append(os.Environ(), "KUBE_FEATURE_ClientsAllowCBOR=true", "KUBE_FEATURE_ClientsPreferCBOR=true")
	}
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %.500s", err, bytes.TrimSpace(said.Bytes()))
	}
	r := new(contest.Result)
	return r, json.Unmarshal(out.Bytes(), r)
}
