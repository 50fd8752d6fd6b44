package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Variable is the environment variable that selects the engine of package swap.
const Variable = "VEDETTE_SUITES_ENGINE"

// How configures a run of copied tests.
type How struct {
	Count int // runs in one process; 1 for a suite with specs
	Race  bool
	Limit time.Duration
	Env   []string
}

// event is a line of `go test -json`.
type event struct {
	Action, Test, Output string
}

// attempts is how many times shaky tests are repeated.
const attempts = 3

// Run runs the copied tests of a root. It returns the tests that did not pass, with their output;
// output of the package is under "". If only shaky tests failed, Run repeats only these.
//
// Errors: more than one run in a process for a suite with specs, which Ginkgo refuses; the tests do
// not start, or their reports cannot be read.
func (c *Copy) Run(root string, how How) (map[string]string, error) {
	if c.Suite.Specs && how.Count != 1 {
		return nil, fmt.Errorf("run %s %d times: Ginkgo runs a suite once per process; call Run again", c.Suite.Name, how.Count)
	}
	failed, err := c.run(root, how, c.Tests, "")
	for range attempts {
		shaky := c.Suite.shaky(failed)
		if err != nil || len(shaky) == 0 {
			break
		}
		c.Shaken = append(c.Shaken, shaky...)
		how.Count = 1
		if failed, err = c.again(root, how, shaky); err != nil {
			return nil, err
		}
	}
	return failed, err
}

// again runs only some tests or specs.
func (c *Copy) again(root string, how How, names []string) (map[string]string, error) {
	if !c.Suite.Specs {
		return c.run(root, how, names, "")
	}
	passed, skipped := c.Passed, c.Skipped
	failed, err := c.run(root, how, []string{c.Suite.specRunner()}, " ("+alternatives(names)+")$") // after the name of the suite
	if err == nil && len(failed) == 0 && c.Passed < len(names) {
		failed[""] = fmt.Sprintf("%d specs ran again, want at least %d", c.Passed, len(names))
	}
	c.Passed, c.Skipped = passed, skipped
	return failed, err
}

// specRunner returns the test that runs the specs of a suite.
func (s Suite) specRunner() string {
	if s.Runner != "" {
		return s.Runner
	}
	return "TestSource"
}

// shaky returns the tests and specs that failed if all of them are shaky.
func (s Suite) shaky(failed map[string]string) (all []string) {
	for name := range failed {
		if name == "" || s.Specs && name == s.specRunner() {
			continue // they fail because their specs fail
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.Shaky)), func(pattern string) bool {
			return regexp.MustCompile("^(" + pattern + ")$").MatchString(name)
		}) {
			return nil
		}
		all = append(all, name)
	}
	return all
}

// alternatives returns a regular expression that matches any of the names.
func alternatives(names []string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	return strings.Join(quoted, "|")
}

// arguments returns the arguments of go test, and the report file of specs.
func (c *Copy) arguments(root string, how How, tests []string, focus string) (args []string, report string) {
	args = []string{
		"test", "-json", "-vet=off", newestNames, "-count=" + strconv.Itoa(how.Count), "-timeout=" + how.Limit.String(), "-run=^(" + alternatives(tests) + ")$",
	}
	if how.Race {
		args = append(args, "-race")
	}
	args = append(args, "./"+c.Dir)
	if !c.Suite.Specs {
		return args, ""
	}
	report = filepath.Join(root, filepath.FromSlash(c.Dir), "report.json")
	args = append(args, "-args", "-ginkgo.json-report="+report)
	if focus != "" {
		args = append(args, "-ginkgo.focus="+focus)
	}
	if c.Engine == Ours {
		for pattern := range c.Suite.Skipped {
			args = append(args, "-ginkgo.skip="+pattern)
		}
	}
	return args, report
}

// run runs some of the tests, and the specs that the focus matches.
func (c *Copy) run(root string, how How, tests []string, focus string) (map[string]string, error) {
	args, report := c.arguments(root, how, tests, focus)
	run := exec.Command("go", args...)
	run.Dir = root
	run.Env = append(append(os.Environ(), Variable+"="+string(c.Engine)), how.Env...)
	if c.Suite.Fakes {
		run.Env = append(run.Env, "VEDETTE_SUITES_STOCK=1")
	}
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	failed, err := judge(out, tests, how.Count)
	if err == nil && exit != nil && len(failed) == 0 {
		failed[""] = stderr.String()
	}
	if len(failed) > 0 {
		failed[""] += stderr.String()
	}
	if err == nil && c.Suite.Specs {
		var specs map[string]string
		c.Passed, c.Skipped, specs, err = readSpecs(report)
		maps.Copy(failed, specs)
	}
	return failed, err
}

// judge reads the events of the tests: each test must have passed count times.
func judge(out []byte, tests []string, count int) (map[string]string, error) {
	output, passed, bad := map[string]*strings.Builder{}, map[string]int{}, map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		test, _, _ := strings.Cut(e.Test, "/")
		switch e.Action {
		case "output", "build-output":
			if output[test] == nil {
				output[test] = &strings.Builder{}
			}
			output[test].WriteString(e.Output)
		case "pass":
			if e.Test == test {
				passed[test]++
			}
		case "fail":
			bad[test] = true
		}
	}
	failed := map[string]string{}
	for _, test := range tests {
		times := count
		if strings.HasPrefix(test, "Example") {
			times = 1 // go test runs an example once, regardless of the count
		}
		if bad[test] || passed[test] < times {
			failed[test] = fmt.Sprintf("passed %d times instead of %d\n", passed[test], times)
		}
	}
	if bad[""] {
		failed[""] = ""
	}
	for test := range failed {
		if said := output[test]; said != nil {
			failed[test] += said.String()
		}
	}
	return failed, nil
}

// Failures returns the failures as one text, sorted by test, with at most limit bytes of
// each.
func Failures(failed map[string]string, limit int) string {
	var names []string
	for name := range failed {
		names = append(names, name)
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		text := failed[name]
		if len(text) > limit {
			text = text[:limit/2] + "\n[...]\n" + text[len(text)-limit/2:]
		}
		fmt.Fprintf(&out, "--- %s\n%s\n", name, text)
	}
	return out.String()
}
