package policy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// clock finds a limit or a poll of a test's own.
var clock = regexp.MustCompile(`\btime\.(After|AfterFunc|NewTimer|NewTicker|Tick)\(|\bcontext\.With(Timeout|Deadline)(Cause)?\(|\btime\.Now\(\)\.(Before|After)\(|\btime\.Since\([^)]*\)(\.\w+\(\))? *[<>]`)

// chance finds random inputs whose seed is not that of package testinput.
var chance = regexp.MustCompile(`\brapid\.Check\(|\brand\.(Int|IntN|Intn|N|Perm|Shuffle|Float64|Int63|Int63n|Int64N|Uint64N|Uint32N)\(|\brand\.NewSource\(time\.`)

// excuse is a comment that a line has if its time is an input of the code under test, not a
// limit of the test.
const excuse = "// an input: "

// checkWaits returns the lines of tests that wait in a way of their own, or whose random
// inputs have a seed of their own. A file with fake time may use the clock.
func checkWaits(tree fs.FS) ([]string, error) {
	var broken []string
	err := eachTest(tree, func(file, text string) {
		fake := strings.Contains(text, `"testing/synctest"`)
		for i, line := range strings.Split(text, "\n") {
			code := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(code, "//"):
			case !fake && clock.MatchString(line) && !strings.Contains(line, excuse) && !strings.Contains(line, "patience."):
				broken = append(broken, fmt.Sprintf("%s:%d: %s: wait with internal/patience, or end the line with %q and why", file, i+1, code, excuse))
			case chance.MatchString(line) && strings.Contains(text, "math/rand") && !strings.Contains(text, "testinput.Rand(") || strings.Contains(line, "rapid."+"Check("):
				broken = append(broken, fmt.Sprintf("%s:%d: %s: take random inputs from internal/testinput", file, i+1, code))
			}
		}
	})
	return broken, err
}

// eachTest calls f for each file of tests of all modules.
func eachTest(tree fs.FS, f func(file, text string)) error {
	return fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		switch path.Dir(file) {
		case "internal/patience", "internal/testinput", "internal/policy":
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		f(file, string(text))
		return nil
	})
}
