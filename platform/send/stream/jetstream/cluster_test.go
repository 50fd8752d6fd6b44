package jetstream_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/send/stream/jetstream"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/historytest"
	"github.com/vedette-io/vedette/wire"
)

// cluster starts a cluster of NATS servers.
func cluster(t *testing.T, size int) []*broker {
	t.Helper()
	routes := make([]int, size)
	for i := range routes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		routes[i] = l.Addr().(*net.TCPAddr).Port
		defer l.Close()
	}
	var peers []string
	for _, port := range routes {
		peers = append(peers, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	brokers := make([]*broker, size)
	for i := range brokers {
		b := &broker{options: server.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: routes[i]}, Routes: server.RoutesFromStr(strings.Join(peers, ",")),
		}}
		brokers[i] = b
	}
	return brokers
}

// servers returns the URLs of a cluster.
func servers(brokers []*broker) (urls []string) {
	for _, b := range brokers {
		urls = append(urls, b.url())
	}
	return urls
}

// dice are random numbers for several goroutines.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

func (d *dice) roll(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// consumer reads a durable consumer, and fails at random: it leaves messages without an
// acknowledgment, so they are delivered again.
type consumer struct {
	mu    sync.Mutex
	ids   map[string]bool   // the content of events that were processed, for idempotence
	order map[string][]int  // versions of each object, in the order of their first processing
	keys  map[string]string // ID by object and version
}

// run consumes until ctx ends.
func (c *consumer) run(t *testing.T, ctx context.Context, client js.JetStream, random *dice) {
	for ctx.Err() == nil {
		r, err := client.CreateOrUpdateConsumer(ctx, jetstream.DefaultStream, js.ConsumerConfig{Durable: "test", AckPolicy: js.AckExplicitPolicy, AckWait: 200 * time.Millisecond, MaxAckPending: 1, Replicas: 3})
		if err != nil {
			wait(ctx, 50*time.Millisecond)
			continue
		}
		batch, err := r.Fetch(10, js.FetchMaxWait(300*time.Millisecond))
		if err != nil {
			wait(ctx, 50*time.Millisecond)
			continue
		}
		for m := range batch.Messages() {
			if random.roll(20) == 0 {
				break // the consumer fails before it has processed the message
			}
			c.process(t, m)
			if random.roll(20) == 0 {
				break // the consumer fails before it acknowledges the message
			}
			_ = m.DoubleAck(ctx) // otherwise the message is delivered again
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d): // an input: the pace of the disturbance
	}
}

// connect returns a client of the test that connects again.
func connect(t *testing.T, urls []string) js.JetStream {
	t.Helper()
	conn, err := nats.Connect(strings.Join(urls, ","), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	client, err := js.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// process handles a message idempotently: it ignores the IDs that it has seen.
func (c *consumer) process(t *testing.T, m js.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := m.Headers().Get("ce-id")
	if c.ids[id] {
		return
	}
	c.ids[id] = true
	key, version, _ := strings.Cut(id, ".")
	var v int
	if _, err := fmt.Sscanf(version, "%d", &v); err != nil {
		t.Error(err)
	}
	if other, ok := c.keys[key+"/"+version]; ok && other != id {
		t.Errorf("%s and %s are one transition", id, other)
	}
	c.keys[key+"/"+version] = id
	c.order[key] = append(c.order[key], v)
}

func (c *consumer) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ids)
}

// TestCluster kills each of three servers in turn, and streamers at random, while transitions
// are written. A consumer that fails at random too sees every transition at least once, none
// under two IDs, and those of an object in their order.
func TestCluster(t *testing.T) {
	h := historytest.Open(t, dbtest.First(t))
	brokers := cluster(t, 3)
	for _, b := range brokers {
		b.Start(t)
	}
	t.Cleanup(func() {
		for _, b := range brokers {
			b.Stop(t)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	t.Cleanup(work.Wait)
	t.Cleanup(cancel)
	c := &consumer{ids: map[string]bool{}, order: map[string][]int{}, keys: map[string]string{}}
	client := connect(t, servers(brokers))
	random := &dice{random: testinput.Rand(t)}
	work.Go(func() { c.run(t, ctx, client, random) })
	for range 2 {
		work.Go(func() { succession(t, ctx, h, servers(brokers), random) })
	}
	const objects = 10
	version := wire.Version(0)
	write := func(rounds int) {
		for range rounds {
			version++
			var all []historytest.Revision
			for o := range objects {
				all = append(all, historytest.Revision{UID: fmt.Sprint("o", o), Version: version, State: []job.State{job.Queued, job.Running}[version%2], Body: "{}"})
			}
			if err := h.Write(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			wait(ctx, 20*time.Millisecond)
		}
	}
	write(10)
	patience.Until(t, "the first transitions", func() string {
		if c.count() == 0 {
			return "none was read"
		}
		return incomplete(t, client)
	})
	for _, b := range brokers {
		b.Stop(t)
		write(20)
		b.Start(t)
		patience.Until(t, "the cluster is complete", func() string { return incomplete(t, client) })
	}
	for read, all := c.count(), objects*int(version); read < all; {
		before := read
		patience.Until(t, "more transitions are read", func() string {
			if read = c.count(); read == before {
				return fmt.Sprintf("%d of %d", read, all)
			}
			return ""
		})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, versions := range c.order {
		for i, v := range versions {
			if v != i+1 {
				t.Fatalf("%s: got versions %v", key, versions)
			}
		}
	}
}

// incomplete says what is missing until the stream has a leader and two followers that are
// up to date.
func incomplete(t *testing.T, client js.JetStream) (problem string) {
	// While no server leads the stream, nothing answers; the next call asks again.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // an input: a call that nothing answers; the next one asks again
	defer cancel()
	s, err := client.Stream(ctx, jetstream.DefaultStream)
	if err != nil {
		return err.Error()
	}
	c := s.CachedInfo().Cluster
	if c == nil || c.Leader == "" || len(c.Replicas) != 2 {
		return fmt.Sprintf("%+v", c)
	}
	for _, r := range c.Replicas {
		if !r.Current || r.Offline {
			return fmt.Sprintf("%+v", r)
		}
	}
	return ""
}

// succession runs streamers that end at random and are followed by others, until ctx ends.
func succession(t *testing.T, ctx context.Context, h *historytest.Database, urls []string, random *dice) {
	for ctx.Err() == nil {
		s, err := jetstream.New(jetstream.Config{Servers: urls, Replicas: 3})
		if err != nil {
			t.Error(err)
			return
		}
		streamer, err := stream.New(stream.Config{DB: h.DB, Sink: s, Logger: slog.New(slog.DiscardHandler), Lease: time.Second})
		if err != nil {
			t.Error(err)
			return
		}
		life, kill := context.WithTimeout(ctx, time.Duration(500+random.roll(3000))*time.Millisecond) // an input: the life of a streamer
		if err := streamer.Run(life); err != nil {
			t.Error(err)
		}
		kill()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
