package window_test

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
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			receiver := stage.NewSink(t, stage.Temper{})
			one := s.Record(t, "one")
			s.Covered(t, "one")
			s.Load.MakeMarkers(t)
			s.Settle(t, "one")
			from, err := s.Plane.Revision(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, restoreFile, receiver.Address), 0o600); err != nil {
				t.Fatal(err)
			}
			notifier := s.Notifier(t, "notifier", file)
			s.CursorBegins(t)
			for _, name := range []string{"changes", "vanishes", "stays"} {
				s.MakePod(t, name)
			}
			s.Change(t, "before")
			s.Settle(t, "one")
			arrivedOnce(t, s, receiver, from) // a message that is being sent would be sent again a minute after the restore
			restore := backUp(t, s, kind)
			s.Change(t, "after")
			s.DeletePod(t, "vanishes")
			s.Settle(t, "one")
			arrivedOnce(t, s, receiver, from)

			for _, gaps := range []int{0, 1} {
				one.Kill()
				notifier.Stop(t)
				if gaps > 0 {
					s.Forget(t)
				}
				s.URL = restore()
				one.Launch(t)
				notifier.Launch(t)
				s.Settle(t, "one")
				s.Compare(t, true)
				restored(t, s, gaps)
				arrivedOnce(t, s, receiver, from)
			}
			notifier.Stop(t)
			one.Stop(t)
		})
	}
}

// restored checks the number of gaps after a restore.
func restored(t *testing.T, s *stage.Stage, gaps int) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	h := stage.Read(t, d, "pods")
	if len(h.Gaps) != gaps {
		t.Errorf("the gaps are %v, want %d", h.Gaps, gaps)
	}
	for _, g := range h.Gaps {
		if g.Cause != history.CauseWindow || g.Healed {
			t.Errorf("the gap is %v, want one with the cause %s", g, history.CauseWindow)
		}
	}
}

// arrivedOnce checks that each message has arrived, under one key.
func arrivedOnce(t *testing.T, s *stage.Stage, r *stage.Sink, from int64) {
	t.Helper()
	want := s.Wanted(t, from)
	s.Arrived(t, "the receiver", r, len(want), time.Now())
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, "the notifier has handled everything", func() string {
		left := 0
		query := "SELECT (SELECT COUNT(*) FROM feed_outbox) + (SELECT position FROM feed_head) - (SELECT position FROM feed_cursors WHERE name = 'notify') + (SELECT COUNT(*) FROM delivery_times WHERE sent_at IS NULL)"
		if err := stage.TryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&left) }); err != nil {
			return err.Error()
		}
		if left != 0 {
			return fmt.Sprint(left, " are left")
		}
		return ""
	})
	for i := range want {
		if want[i].To == job.Deleted {
			want[i].Version = 0 // as in keys
		}
	}
	stage.Check(t, "the receiver", r, want, "all/sound")
}

// backUp copies the database with the usual tool while others write. restore makes another
// database from the copy, and returns its URL.
func backUp(t *testing.T, s *stage.Stage, kind string) (restore func() string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "backup")
	if kind == "sqlite" {
		d := s.Open(t)
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
	tool(t, s, s.URL, map[string][]string{"postgres": {"pg_dump", "-f", copied}, "mariadb": {"mariadb-dump", "--single-transaction", "--result-file=" + copied}}[kind]...)
	return func() string {
		empty := dbtest.Empty(t, kind)
		tool(t, s, empty, map[string][]string{"postgres": {"psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", copied}, "mariadb": {"mariadb", "-e", "source " + copied}}[kind]...)
		return empty
	}
}

// tool runs a program of the database on a database.
func tool(t *testing.T, s *stage.Stage, database string, words ...string) {
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
