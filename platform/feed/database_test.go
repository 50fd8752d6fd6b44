package feed_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// database is a database of a test.
type database struct {
	*testing.T
	*modeltest.Database
	url string
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, &database{t, modeltest.Open(t, url), url}) })
}

// change returns a revision that changes the state of an object.
func change(uid string, version wire.Version) modeltest.Revision {
	return modeltest.Revision{UID: uid, Version: version, State: []job.State{job.Queued, job.Running}[version%2], Body: "{}"}
}

// write commits revisions in one transaction.
func (d *database) write(all ...modeltest.Revision) {
	d.Helper()
	if err := d.Database.Write(d.Context(), all); err != nil {
		d.Fatal(err)
	}
}

// nameOf returns "a/3" for the transition of object a at version 3.
func nameOf(t feed.Transition) string { return fmt.Sprintf("%s/%v", t.Object.UID, t.Version) }

// read returns the names of the transitions after a position, and the last position.
func (d *database) read(after feed.Position) (names []string, last feed.Position) {
	d.Helper()
	last = after
	for t, err := range feed.Read(d.Context(), d.DB, after) {
		if err != nil {
			d.Fatal(err)
		}
		names, last = append(names, nameOf(t)), t.Position
	}
	return names, last
}

// lines is a log that tests read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// lacks returns the log if it has no line with a text.
func (l *lines) lacks(text string) (problem string) {
	if l.count(text) > 0 {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("got the log %q", l.text.String())
}
