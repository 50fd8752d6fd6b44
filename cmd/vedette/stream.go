package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/metrics/streammetrics"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// streamOptions are the flags of stream.
type streamOptions struct {
	db, listen   string
	sink         sinkFlags
	cursor, from string
	only         stream.Selection
	start        startup
}

func newStream() *cobra.Command {
	var o streamOptions
	cmd := &cobra.Command{
		Use:   "stream",
		Short: "Send every transition to NATS JetStream or Kafka",
		Long: "The command sends the transitions that recorders write as CloudEvents until Ctrl-C. None is lost: it continues where it\n" +
			"stopped, and waits while the broker or the database does not answer. An event may be sent twice, with the same ID. Several may run at once:\n" +
			"one sends, and another one takes over when it stops. Streams with other names (--cursor) are independent.",
		Example: "  # To a stream of NATS JetStream, and to a topic of Kafka\n" +
			"  vedette stream --to nats://localhost:4222 --db sqlite:history.db\n" +
			"  vedette stream --to kafka://localhost:9092/jobs --types jobs.batch --cursor jobs\n\n" +
			"  # With a login, three copies of each event, and metrics\n" +
			"  vedette stream --to 'tls://nats-1,nats-2/VEDETTE?replicas=3' --credentials nats.creds --listen 0.0.0.0:8081\n\n" +
			"  # What happened before\n" +
			"  vedette stream backfill --to nats://localhost:4222 --since 720h\n\n" +
			"  # The schema of the events\n" +
			"  vedette stream schema",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.sink.addFlags(cmd)
	f := cmd.Flags()
	o.start.addFlags(f)
	f.StringVar(&o.cursor, "cursor", "default", "name of this stream in the database")
	f.StringVar(&o.from, "from", "oldest", "where a new stream begins: with the oldest transition in the feed (oldest), or with the next one (now)")
	f.StringSliceVar(&o.only.Types, "types", nil, "only these types, such as jobs.batch,pods (default: all)")
	f.StringSliceVar(&o.only.Clusters, "clusters", nil, "only these clusters, by name or UID (default: all)")
	f.StringSliceVar(&o.only.Namespaces, "namespaces", nil, "only these namespaces (default: all)")
	f.StringVar(&o.listen, "listen", "", "address for /healthz, /readyz and /metrics, such as 127.0.0.1:8081 (default: none)")
	cmd.AddCommand(newStreamBackfill(), newStreamReset(), newStreamDivide(), newStreamSchema())
	return cmd
}

func (o *streamOptions) run(ctx context.Context, con *console.Console) error {
	from, err := parseStart(o.from)
	if err != nil {
		return err
	}
	sink, err := o.sink.open()
	if err != nil {
		return err
	}
	defer func() { _ = sink.Close() }()
	log := o.start.logger(con)
	var running runningStream
	ready := func(context.Context) error {
		if s, _ := running.get(); s != nil {
			return streamReady(s)
		}
		return o.start.notReady("the stream is starting")
	}
	return httpserver.ServeWhile(ctx, httpserver.Config{Addr: o.listen, Ready: ready}, con, func(ctx context.Context) error {
		d, err := o.start.database(ctx, o.db, log)
		if err != nil {
			return err
		}
		defer d.Close()
		s, err := stream.New(stream.Config{DB: d, Sink: sink, Name: o.cursor, Start: from, Only: o.only, Logger: log})
		if err != nil {
			return err
		}
		running.set(s, d)
		con.Say("transitions of %s go to %s\nCtrl-C ends it", d, sink)
		err = s.Run(ctx)
		if errors.Is(err, feed.ErrExpired) {
			return fmt.Errorf("%w: or run `vedette stream reset`, and `vedette stream backfill` for the missed transitions", err)
		}
		return err
	}, streammetrics.New(running.stats, running.behind))
}

// streamReady returns an error while the broker refuses events.
func streamReady(s *stream.Streamer) error {
	if since := s.Stats().FailingSince; !since.IsZero() {
		return fmt.Errorf("the broker has refused events since %v; see the log", since.Round(0))
	}
	return nil
}

// runningStream is the stream of a command with its database, once they exist. Any goroutine may
// use it.
type runningStream struct {
	mu sync.Mutex
	s  *stream.Streamer
	d  *sqldb.DB
}

func (r *runningStream) set(s *stream.Streamer, d *sqldb.DB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.s, r.d = s, d
}

func (r *runningStream) get() (*stream.Streamer, *sqldb.DB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.s, r.d
}

func (r *runningStream) stats() stream.Stats {
	if s, _ := r.get(); s != nil {
		return s.Stats()
	}
	return stream.Stats{}
}

func (r *runningStream) behind(ctx context.Context) (int64, error) {
	s, d := r.get()
	if s == nil {
		return 0, errors.New("the stream is starting")
	}
	return behind(ctx, d, s.Cursor())
}
