package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/send/stream/jetstream"
	"github.com/vedette-io/vedette/platform/send/stream/kafka"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// sinkFlags are the flags for a connection to a message broker.
type sinkFlags struct {
	to, mode   string
	connection stream.Connection
}

func (o *sinkFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "destination: nats://HOST:4222/STREAM or kafka://HOST:9092/TOPIC, with tls:// or kafka+tls:// for TLS; several hosts are separated by commas")
	f.StringVar(&o.mode, "mode", "binary", "CloudEvents in headers (binary), or as one JSON document (structured)")
	f.StringVar(&o.connection.Credentials, "credentials", "", "file with user:password; for NATS also with a token, an NKey seed, or in the format of NATS tools")
	f.StringVar(&o.connection.CA, "ca", "", "file with the authorities for the certificate of the broker (default: those of the system)")
	f.StringVar(&o.connection.Cert, "cert", "", "file with the certificate of this client")
	f.StringVar(&o.connection.Key, "key", "", "file with the key of --cert")
}

// open returns the sink that the flags name.
//
// Errors: invalid flags.
func (o *sinkFlags) open() (stream.Sink, error) {
	mode, err := stream.ParseMode(o.mode)
	if err != nil {
		return nil, fmt.Errorf("--mode: %w", err)
	}
	scheme, _, _ := strings.Cut(o.to, "://")
	switch {
	case o.to == "":
		return nil, errors.New("no destination is named: use --to nats://HOST:4222 or --to kafka://HOST:9092")
	case scheme == "nats", scheme == "tls":
		c, err := jetstream.Parse(o.to)
		if err != nil {
			return nil, fmt.Errorf("--to: %w", err)
		}
		c.Mode, c.Connection = mode, o.connection
		return jetstream.New(c)
	}
	c, err := kafka.Parse(o.to)
	if scheme != "kafka" && scheme != "kafka+tls" && err != nil {
		_, err = stream.ParseAddress(o.to, "1")
		if err == nil {
			err = errors.New("the destination is unknown: want nats://, tls://, kafka:// or kafka+tls://")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	c.Mode, c.Connection = mode, o.connection
	return kafka.New(c)
}

// parseStart returns the start with a name.
func parseStart(name string) (feed.Start, error) {
	switch name {
	case "oldest":
		return feed.Oldest, nil
	case "now":
		return feed.Now, nil
	}
	return 0, fmt.Errorf("--from is %q: want oldest or now", name)
}

// behind returns the number of transitions that a cursor has not reached.
func behind(ctx context.Context, d *sqldb.DB, cursor string) (int64, error) {
	all, err := feed.Cursors(ctx, d)
	if err != nil {
		return 0, err
	}
	c, _ := feed.Summary(all, cursor)
	return c.Behind, nil
}
