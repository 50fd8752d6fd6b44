// Package crash_test kills the processes of workers.
package crash_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// The process of a worker gets the database and the file of its channel in these variables.
const (
	databaseVariable = "VEDETTE_TEST_WORKER_DATABASE"
	fileVariable     = "VEDETTE_TEST_WORKER_FILE"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(databaseVariable); url != "" {
		if err := work(url, os.Getenv(fileVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
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

// work sends until the other end of stdin is closed.
func work(url, file string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db, err := sqldb.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	o := notify.WorkerOptions{
		DB: db, Compose: compose, Name: "process", Poll: 10 * time.Millisecond, Lease: 500 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
		Policy: delivery.Policy{Backoff: slices.Repeat([]time.Duration{5 * time.Millisecond}, 200), Pause: 5 * time.Millisecond, MaxPause: 20 * time.Millisecond},
	}
	w := notify.NewWorkers(o, map[string]channel.Channel{"chat": fileChannel(file)})
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the test does
	}()
	w.Run(ctx)
	return nil
}

// compose makes messages whose ID is the key.
func compose(_ context.Context, d *delivery.Delivery) (*message.Message, channel.Receiver, error) {
	return &message.Message{ID: d.Key}, channel.Receiver{}, nil
}

// fileChannel appends keys to a file.
type fileChannel string

// Send implements channel.Channel.
func (f fileChannel) Send(_ context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	file, err := os.OpenFile(string(f), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return channel.Receipt{}, err
	}
	defer file.Close()
	_, err = file.WriteString(m.ID + "\n")
	return channel.Receipt{}, err
}

// Traits implements channel.Channel.
func (f fileChannel) Traits() channel.Traits { return channel.Traits{Kind: "test"} }

// Check implements channel.Channel.
func (f fileChannel) Check(context.Context) error { return nil }

// Close implements channel.Channel.
func (f fileChannel) Close() error { return nil }

// arrived returns the keys in the file, in order.
func (f fileChannel) arrived() []string {
	text, _ := os.ReadFile(string(f)) // may not exist yet
	return strings.Fields(string(text))
}

// replica is a process of a worker.
type replica struct {
	*exec.Cmd
	stdin io.Closer
}

func launch(t *testing.T, url string, file fileChannel) replica {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), databaseVariable+"="+url, fileVariable+"="+string(file))
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return replica{cmd, stdin}
}

func (r replica) kill() {
	_ = r.Process.Kill()
	_ = r.Wait() // ends with an error, because the process was killed
	_ = r.stdin.Close()
}

// lanes is the number of lanes. The key of a message is its lane and its place in the lane.
const lanes = 30

func create(t *testing.T, url string, n int) (db *sqldb.DB, keys []string) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []delivery.Delivery
	for i := range n {
		d := delivery.Delivery{Key: fmt.Sprintf("%d/%d", i%lanes, i/lanes), Kind: "Failed", Channel: "chat", Receiver: "a", Object: int64(i%lanes + 1), Event: []byte("{}")}
		all, keys = append(all, d), append(keys, d.Key)
	}
	err = db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.Create(t.Context(), tx, all)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, keys
}

// unsent returns how many deliveries are not finished.
func unsent(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	counts, err := delivery.Counts(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		n += c.N
	}
	return n
}

// TestKilled kills one of two replicas with SIGKILL repeatedly. Every message arrives, in
// order, with its own key.
func TestKilled(t *testing.T) {
	testinput.Uncached(t)
	dbtest.Each(t, func(t *testing.T, url string) {
		db, keys := create(t, url, 1500)
		file := fileChannel(filepath.Join(t.TempDir(), "arrived"))
		random := testinput.Rand(t)
		replicas := []replica{launch(t, url, file), launch(t, url, file)}
		for range 10 {
			enough := len(file.arrived()) + 1 + random.IntN(50)
			patience.Until(t, fmt.Sprintf("%d messages arrive", enough), func() string {
				if n, left := len(file.arrived()), unsent(t, db); n < enough && left > 0 {
					return fmt.Sprintf("%d arrived, %d are left", n, left)
				}
				return ""
			})
			which := random.IntN(2)
			replicas[which].kill()
			replicas[which] = launch(t, url, file)
		}
		patience.Until(t, "all are sent", func() string {
			if left := unsent(t, db); left > 0 {
				return fmt.Sprintf("%d are left", left)
			}
			return ""
		})
		for _, r := range replicas {
			r.kill()
		}
		got := file.arrived()
		t.Logf("%d messages arrived %d times", len(keys), len(got))
		next := map[string]int{} // by lane
		for _, k := range got {
			var place int
			lane, after, _ := strings.Cut(k, "/")
			if _, err := fmt.Sscan(after, &place); err != nil {
				t.Fatalf("%q: %v", k, err)
			}
			if place > next[lane] {
				t.Errorf("%s arrived before %s/%d", k, lane, next[lane])
			}
			next[lane] = max(next[lane], place+1) // others are repeats, after a crash
		}
		slices.Sort(got)
		slices.Sort(keys)
		if got = slices.Compact(got); !slices.Equal(got, keys) {
			t.Errorf("%d of %d arrived", len(got), len(keys))
		}
	})
}
