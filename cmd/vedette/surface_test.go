package main

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/linediff"
)

var update = flag.Bool("update", false, "write the files of testdata/surface")

// surface is a part of the public surface: names that users, scripts, dashboards and other
// programs rely on.
type surface map[string]string // details by item, such as the type and default of a flag by "vedette jobs --state"

// add adds an item. The last word of an item is its name, which CHANGELOG.md uses.
func (s surface) add(t *testing.T, item, detail string) {
	t.Helper()
	if old, twice := s[item]; twice && old != detail {
		t.Errorf("%s has the details %q and %q: make the item unambiguous", item, old, detail)
	}
	s[item] = strings.Join(strings.Fields(detail), " ")
}

// String returns one line per item, sorted.
func (s surface) String() string {
	var b strings.Builder
	for _, item := range slices.Sorted(maps.Keys(s)) {
		b.WriteString(strings.TrimSpace(item+betweenColumns+s[item]) + "\n")
	}
	return b.String()
}

// betweenColumns separates an item from its details in a file.
const betweenColumns = "  "

// parseSurface reads what String returns.
func parseSurface(text string) surface {
	s := surface{}
	for line := range strings.Lines(text) {
		item, detail, _ := strings.Cut(strings.TrimSuffix(line, "\n"), betweenColumns)
		s[item] = detail
	}
	return s
}

// quoted finds the names in CHANGELOG.md.
var quoted = regexp.MustCompile("`[^`]+`")

// unannounced returns the items that vanished, or whose details changed, although the text has no
// name of theirs between backticks.
func unannounced(before, now surface, text string) (all []string) {
	text = strings.Join(quoted.FindAllString(text, -1), " ")
	for _, item := range slices.Sorted(maps.Keys(before)) {
		detail, there := now[item]
		name := item[strings.LastIndex(item, " ")+1:]
		whole := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(name) + `([^\w-]|$)`)
		if (!there || detail != before[item]) && !whole.MatchString(text) {
			all = append(all, item)
		}
	}
	return all
}

// surfaces are the parts of the public surface by the names of their files.
var surfaces = map[string]func(t *testing.T) surface{
	"commands":       commandSurface,
	"variables":      variableSurface,
	"settings":       settingSurface,
	"notify":         notifySurface,
	"rules":          ruleSurface,
	"templates":      templateSurface,
	"exitcodes":      exitCodeSurface,
	"output":         outputSurface,
	"api":            apiSurface,
	"paths":          pathSurface,
	"filters":        filterSurface,
	"metrics":        metricSurface,
	"identifiers":    identifierSurface,
	"sql":            sqlSurface,
	"parquet":        parquetSurface,
	"events":         eventSurface,
	"words.pages":    pageWords,
	"words.insight":  insightWords,
	"words.messages": messageWords,
}

// reworded reports whether texts of a part may change without a line in CHANGELOG.md. Reviewers
// see them in the file.
func reworded(part string) bool { return strings.HasPrefix(part, "words.") }

// changesIn returns the sections "Changed" and "Removed" of the next release in a changelog.
func changesIn(changelog string) (text string) {
	_, next, _ := strings.Cut(changelog, "\n## Unreleased\n")
	next, _, _ = strings.Cut(next, "\n## ")
	for section := range strings.SplitSeq(next, "\n### ") {
		if strings.HasPrefix(section, "Changed\n") || strings.HasPrefix(section, "Removed\n") {
			text += section
		}
	}
	return text
}

// TestSurface compares the public surface with the files in testdata/surface. With -update it
// writes them, if CHANGELOG.md names every item that vanished or changed among the changes of the
// next release.
func TestSurface(t *testing.T) {
	changelog, err := os.ReadFile(filepath.Join(repository(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	changes := changesIn(string(changelog))
	for _, part := range slices.Sorted(maps.Keys(surfaces)) {
		t.Run(part, func(t *testing.T) {
			now := surfaces[part](t)
			if t.Failed() {
				return
			}
			file := filepath.Join("testdata", "surface", part+".txt")
			text, err := os.ReadFile(file)
			if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
				t.Fatal(err)
			}
			before := strings.ReplaceAll(string(text), "\r\n", "\n")
			switch {
			case before == now.String():
			case !*update:
				t.Errorf("the public surface differs from %s; name the items that vanish in CHANGELOG.md with their replacements, and run `go test ./cmd/vedette -run TestSurface -update`:\n%s", file, linediff.Unified(before, now.String(), "before", "now"))
			default:
				if silent := unannounced(parseSurface(before), now, changes); !reworded(part) && len(silent) > 0 {
					t.Fatalf("the section Changed of CHANGELOG.md does not name these items of %s; write the last word of each between backticks, and its replacement:\n%s", file, strings.Join(silent, "\n"))
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(now.String()), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestSurfaceUnannounced: an item that vanishes or changes needs its name among the changes of the
// next release, and a part of another name is not enough.
func TestSurfaceUnannounced(t *testing.T) {
	const text = "# Changelog\n\n## Unreleased\n\n### Added\n- `--a`\n\n### Changed\n- `--b`\n\n### Removed\n- `--c`\n\n## 1.0\n\n### Changed\n- `--d`\n"
	if got := strings.Join(quoted.FindAllString(changesIn(text), -1), ""); got != "`--b``--c`" {
		t.Errorf("the changes of the next release name %s, want --b and --c", got)
	}
	before := parseSurface("vedette jobs --state  strings\nvedette jobs --wide\nJob.owner  string\n")
	for _, c := range []struct{ now, text, want string }{
		{"vedette jobs --state  strings\nvedette jobs --wide\nJob.owner  string\nJob.new  string\n", "", ""},
		{"vedette jobs --wide\nJob.owner  string\n", "", "vedette jobs --state"},
		{"vedette jobs --wide\nJob.owner  string\n", "- `--states` and `--in--state`", "vedette jobs --state"},
		{"vedette jobs --wide\nJob.owner  string\n", "- --state is gone, see `--in`.", "vedette jobs --state"},
		{"vedette jobs --wide\nJob.owner  string\n", "- `vedette jobs --state STATE` is `--in`.", ""},
		{"vedette jobs --state  string\nvedette jobs --wide\n", "- `Job.owner` is `Job.submitter`.", "vedette jobs --state"},
	} {
		if got := strings.Join(unannounced(before, parseSurface(c.now), c.text), ","); got != c.want {
			t.Errorf("now %q and the changelog %q: got %q, want %q", c.now, c.text, got, c.want)
		}
	}
}
