package apitest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/vedette-io/vedette/internal/linediff"
	"github.com/vedette-io/vedette/internal/objectyaml"
)

// Write is a write of a client that had an effect.
type Write struct {
	// Request is the request. Its Name is that of the object, also if the server generated it.
	Request
	// Diff has the lines of the object, as YAML, that the write added ("+") and removed ("-"), and lines around them. It
	// omits what differs between two runs: UIDs, versions, managed fields, and generated parts of names; and it has
	// "(time)" for each time.
	Diff string
}

// String returns the write as text: a line, followed by Diff.
func (w Write) String() string {
	what := w.Resource.Resource
	if w.Resource.Group != "" {
		what += "." + w.Resource.Group
	}
	if w.Subresource != "" {
		what += "/" + w.Subresource
	}
	return fmt.Sprintf("%s %s %s\n%s", w.Verb, what, keyOf(w.Namespace, w.Name), w.Diff)
}

// Writes returns the latest writes of clients that had an effect, oldest first: up to Config.RequestLog. Writes by
// methods of Server, dry runs, and writes that change nothing are not among them.
//
// Errors: an object that cannot be written as YAML.
func (s *Server) Writes() ([]Write, error) {
	s.logMu.Lock()
	records := s.writes.all()
	s.logMu.Unlock()
	var all []Write
	for _, r := range records {
		diff, err := r.event.diff()
		if err != nil {
			return nil, fmt.Errorf("apitest: the diff of %s: %w", r.event.now.key(), err)
		}
		write := Write{Request: r.request, Diff: diff}
		write.Name = r.event.now.stableName(write.Name)
		all = append(all, write)
	}
	return all, nil
}

// diff returns the difference that an event made.
func (e *event) diff() (string, error) {
	if e.kind == watch.Deleted {
		return "", nil // the name says it
	}
	var before, after string
	var err error
	if e.before != nil {
		if before, err = e.before.stable(); err != nil {
			return "", err
		}
	}
	if after, err = e.now.stable(); err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(linediff.Unified(before, after, "", "")) {
		if !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "@@") {
			out.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return out.String(), nil
}

// volatile are the members of metadata that differ between two runs.
var volatile = []string{"uid", "resourceVersion", "managedFields", "selfLink", "generation", "creationTimestamp"}

// uids matches UIDs, which occur in owner references.
var uids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// stable returns a revision as YAML, without what differs between two runs.
func (r *revision) stable() (string, error) {
	obj, err := r.res.toMap(r.raw)
	if err != nil {
		return "", err
	}
	metadata, _ := obj.Object["metadata"].(map[string]any)
	for _, name := range volatile {
		delete(metadata, name)
	}
	if name, named := metadata["name"].(string); named {
		metadata["name"] = r.stableName(name)
	}
	return objectyaml.Marshal(stableValue(obj.Object))
}

// stableName replaces the generated part of a name.
func (r *revision) stableName(name string) string {
	obj, err := r.object()
	if err != nil {
		return name
	}
	if prefix := obj.GetGenerateName(); prefix != "" && strings.HasPrefix(name, prefix) {
		return prefix + "(generated)"
	}
	return name
}

// stableValue replaces times and UIDs in a tree.
func stableValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = stableValue(member)
		}
	case []any:
		for i, element := range v {
			v[i] = stableValue(element)
		}
	case string:
		if _, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return "(time)"
		}
		return uids.ReplaceAllString(v, "(uid)")
	}
	return v
}

// UpdateGolden is the environment variable that makes Golden write its file.
const UpdateGolden = "UPDATE_GOLDEN"

// Golden compares the writes of clients with a file, such as testdata/reconcile.golden. If they differ, the test ends
// with the difference. With UPDATE_GOLDEN=1 in the environment it writes the file instead. Writes of several clients
// or workers are compared in the order in which they happened. Events and Leases are omitted, because the number of
// their writes depends on time.
func Golden(t TestingT, s *Server, file string) {
	t.Helper()
	writes, err := s.Writes()
	if err != nil {
		t.Fatalf("%v", err)
	}
	var got strings.Builder
	for _, w := range writes {
		if w.Resource.Resource == "events" || w.Resource.Resource == "leases" {
			continue
		}
		if got.Len() > 0 {
			got.WriteByte('\n')
		}
		got.WriteString(w.String())
	}
	if os.Getenv(UpdateGolden) != "" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got.String()), 0o644)); err != nil { //nolint:gosec // files of a repository
			t.Fatalf("update %s: %v", file, err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("read %s: %v", file, err)
	}
	if text := strings.ReplaceAll(string(want), "\r\n", "\n"); text != got.String() {
		t.Fatalf("the writes differ from %s; set %s=1 to accept them:\n%s", file, UpdateGolden, linediff.Unified(text, got.String(), "want", "got"))
	}
}
