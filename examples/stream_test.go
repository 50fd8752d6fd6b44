package examples_test

import (
	"database/sql"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	_ "modernc.org/sqlite"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/send/stream/jetstream"
)

// TestStream kills the consumer while events arrive, so the server delivers events again
// that were not acknowledged. The table has each event once.
func TestStream(t *testing.T) {
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	broker.Start()
	t.Cleanup(func() {
		broker.Shutdown()
		broker.WaitForShutdown()
	})
	if !broker.ReadyForConnections(patience.Limit(t)) {
		t.Fatalf("the NATS server did not start within %v", patience.Limit(t))
	}
	url := fmt.Sprintf("nats://127.0.0.1:%d", broker.Addr().(*net.TCPAddr).Port)
	sink, err := jetstream.New(jetstream.Config{Servers: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	file := filepath.Join(t.TempDir(), "ends.db")
	const jobs = 200
	send := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			uid := fmt.Sprint("uid-", n)
			e := stream.Event{ID: uid + ".7", Source: "/vedette/c", Subject: "jobs.batch/ml/train-" + fmt.Sprint(n), Time: time.Unix(int64(n), 0), Key: uid, Data: stream.Data{
				Kind: stream.KindNew, Cluster: stream.Cluster{UID: "c"}, Version: "7", To: []string{"Succeeded", "Failed", "Running"}[n%3],
				Object: stream.Object{Group: "batch", Resource: "jobs", Kind: "Job", Namespace: "ml", Name: fmt.Sprint("train-", n), UID: uid},
			}}
			patience.NoError(t, "the broker takes an event", func() error { return sink.Send(t.Context(), []stream.Event{e}) })
		}
	}
	send(0, 10) // the stream exists
	for run := range 5 {
		cmd := command(t.Context(), t, "stream", url, file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		send(10+run*(jobs-10)/5, 10+(run+1)*(jobs-10)/5)
		if run == 4 {
			defer cmd.Wait()
			defer cmd.Process.Kill()
			break
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := (jobs+2)/3 + (jobs+1)/3
	patience.Until(t, "each event is in the table once", func() string {
		got := 0
		// An error: the first program has not created the table yet.
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM ends`).Scan(&got); err != nil || got != want {
			return fmt.Sprintf("got %d events and %v, want %d", got, err, want)
		}
		return ""
	})
}
