package record_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// restoreFile is the configuration of the notifier.
const restoreFile = `
network: {allow: [127.0.0.0/8]}
channels:
  sound: {type: webhook, url: "http://%s", secret: {env: SINK_SECRET}}
rules:
- name: all
  types: [pods]
  enter: [Queued, Starting, Running, Succeeded, Failed, Aborted, Deleted]
  to: [sound]
  now: true
`

// TestRestored: the database is restored from a backup that was made while the recorder wrote. If
// the server still has the history since then, nothing is missing. Otherwise there is one gap for
// each type, from the end of the backup. In both cases a message about a transition after the
// backup is sent again under the same key, and none under a new one.
func TestRestored(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			receiver := newSink(t, temper{})
			one := s.record(t, "one")
			s.covered(t, "one")
			s.load.makeMarkers(t)
			s.settle(t, 3*time.Minute, "one")
			from, err := s.plane.Revision(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, restoreFile, receiver.address), 0o600); err != nil {
				t.Fatal(err)
			}
			notifier := s.notifier(t, "notifier", file)
			s.cursorBegins(t)
			for _, name := range []string{"changes", "vanishes", "stays"} {
				s.makePod(t, name)
			}
			s.change(t, "before")
			s.settle(t, 3*time.Minute, "one")
			s.arrivedOnce(t, receiver, from) // a message that is being sent would be sent again a minute after the restore
			restore := s.backUp(t, kind)
			s.change(t, "after")
			s.deletePod(t, "vanishes")
			s.settle(t, 3*time.Minute, "one")
			s.arrivedOnce(t, receiver, from)

			for _, gaps := range []int{0, 1} {
				one.kill()
				notifier.stop(t)
				if gaps > 0 {
					s.forget(t)
				}
				s.url = restore()
				one.launch(t)
				notifier.launch(t)
				s.settle(t, 3*time.Minute, "one")
				s.compare(t, true)
				s.restored(t, gaps)
				s.arrivedOnce(t, receiver, from)
			}
			notifier.stop(t)
			one.stop(t)
		})
	}
}

// restored checks the number of gaps after a restore.
func (s *stage) restored(t *testing.T, gaps int) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	h := read(t, d, "pods")
	if len(h.gaps) != gaps {
		t.Errorf("the gaps are %v, want %d", h.gaps, gaps)
	}
	for _, g := range h.gaps {
		if g.cause != history.CauseWindow || g.healed {
			t.Errorf("the gap is %v, want one with the cause %s", g, history.CauseWindow)
		}
	}
}

// arrivedOnce checks that each message has arrived, under one key.
func (s *stage) arrivedOnce(t *testing.T, r *sink, from int64) {
	t.Helper()
	want := s.wanted(t, from)
	s.arrived(t, "the receiver", r, len(want), time.Now())
	d := s.open(t)
	defer d.Close()
	wait.Until(t, time.Minute, "the notifier has handled everything", func() string {
		left := 0
		query := "SELECT (SELECT COUNT(*) FROM feed_outbox) + (SELECT position FROM feed_head) - (SELECT position FROM feed_cursors WHERE name = 'notify') + (SELECT COUNT(*) FROM delivery_times WHERE sent_at IS NULL)"
		if err := tryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&left) }); err != nil {
			return err.Error()
		}
		if left != 0 {
			return fmt.Sprint(left, " are left")
		}
		return ""
	})
	for i := range want {
		if want[i].to == state.Deleted {
			want[i].version = 0 // as in keys
		}
	}
	check(t, "the receiver", r, want, "all/sound")
}

// backUp copies the database with the usual tool while others write. restore makes another
// database from the copy, and returns its URL.
func (s *stage) backUp(t *testing.T, kind string) (restore func() string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "backup")
	if kind == "sqlite" {
		d := s.open(t)
		defer d.Close()
		if _, err := d.SQL().ExecContext(t.Context(), "VACUUM INTO '"+copied+"'"); err != nil {
			t.Fatal(err)
		}
		return func() string {
			text, err := os.ReadFile(copied)
			file := filepath.Join(t.TempDir(), "restored.db")
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return "sqlite:" + file
		}
	}
	s.tool(t, s.url, map[string][]string{"postgres": {"pg_dump", "-f", copied}, "mariadb": {"mariadb-dump", "--single-transaction", "--result-file=" + copied}}[kind]...)
	return func() string {
		empty := dbtest.Empty(t, kind)
		s.tool(t, empty, map[string][]string{"postgres": {"psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", copied}, "mariadb": {"mariadb", "-e", "source " + copied}}[kind]...)
		return empty
	}
}

// tool runs a program of the database on a database.
func (s *stage) tool(t *testing.T, database string, words ...string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	args := append(words[1:], "-d", database)
	if strings.HasPrefix(words[0], "mariadb") {
		// No file of settings is read, and options come before the name of the database.
		args = append(append([]string{"--no-defaults", "-h", u.Hostname(), "-P", u.Port(), "-u", u.User.Username()}, words[1:]...), strings.Trim(u.Path, "/"))
	}
	if out, err := exec.CommandContext(t.Context(), words[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", words[0], err, out)
	}
}
