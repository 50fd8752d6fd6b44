package notify_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/record/sqldb"
)

// The process of TestWorkerProcess gets the database and the file of its channel in these
// variables.
const (
	processDatabase = "VEDETTE_TEST_WORKER_DATABASE"
	processFile     = "VEDETTE_TEST_WORKER_FILE"
)

// fileChannel appends keys to a file.
type fileChannel struct {
	receiver
	file string
}

func (f *fileChannel) Send(_ context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	file, err := os.OpenFile(f.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return channel.Receipt{}, err
	}
	defer file.Close()
	_, err = file.WriteString(m.ID + "\n")
	return channel.Receipt{}, err
}

// TestWorkerProcess is the process that TestKilled kills. It does nothing unless the
// variables are set.
func TestWorkerProcess(t *testing.T) {
	url := os.Getenv(processDatabase)
	if url == "" {
		return
	}
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	o := quick(db, "process")
	o.Lease = 500 * time.Millisecond
	start(t, o, map[string]channel.Channel{"chat": &fileChannel{file: os.Getenv(processFile)}})
	<-time.After(time.Minute)
}

// TestKilled kills one of two replicas with SIGKILL repeatedly. Every message arrives, in
// order, with its own key.
func TestKilled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		keys := create(t, db, "chat", 30, 1500)
		file := filepath.Join(t.TempDir(), "arrived")
		launch := func() *exec.Cmd {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWorkerProcess$")
			cmd.Env = append(os.Environ(), processDatabase+"="+url, processFile+"="+file, dbtest.Variable+"=sqlite")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		kill := func(cmd *exec.Cmd) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // ends with an error, because the process was killed
		}
		read := func() []string {
			text, _ := os.ReadFile(file) // may not exist yet
			return strings.Fields(string(text))
		}
		replicas := []*exec.Cmd{launch(), launch()}
		for range 10 {
			before := len(read())
			until(t, "some more arrive", 30*time.Second, func() bool { return len(read()) > before+rand.IntN(50) || unsent(t, db) == 0 })
			which := rand.IntN(2)
			kill(replicas[which])
			replicas[which] = launch()
		}
		until(t, "all are sent", 60*time.Second, func() bool { return unsent(t, db) == 0 })
		for _, cmd := range replicas {
			kill(cmd)
		}
		got := read()
		inOrder(t, got)
		t.Logf("%d messages arrived %d times", len(keys), len(got))
		slices.Sort(got)
		slices.Sort(keys)
		if got = slices.Compact(got); !slices.Equal(got, keys) {
			t.Errorf("%d of %d arrived", len(got), len(keys))
		}
	})
}
