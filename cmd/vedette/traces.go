package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// tracesFlags are the flags for the export of jobs as traces.
type tracesFlags struct{ url, headers string }

func (o *tracesFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.url, "traces", "", "OTLP endpoint to which jobs that end are sent as traces, such as http://collector:4318, or env for OTEL_EXPORTER_OTLP_ENDPOINT (default: none)")
	f.StringVar(&o.headers, "traces-headers", "", "file with headers for --traces, with a line \"Name: value\" for each")
}

// used reports whether jobs are exported.
func (o *tracesFlags) used() bool { return o.url != "" }

// config returns the settings, and the zero value if no jobs are exported.
//
// Errors: all mistakes, each with the origin of its setting, without headers.
func (o *tracesFlags) config(from *settings.Settings) (c jobtrace.Config, err error) {
	if !o.used() {
		if o.headers != "" {
			return c, fmt.Errorf("%s: the headers need --traces", from.Origin("traces-headers"))
		}
		return c, nil
	}
	c.Endpoint = o.url
	if o.headers != "" {
		text, err := os.ReadFile(o.headers)
		if err == nil {
			c.Header, err = jobtrace.ParseHeader(text)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %s: %w", from.Origin("traces-headers"), o.headers, err)
		}
	}
	if err := c.Environment(os.Getenv); err != nil {
		return c, err
	}
	if err := c.Check(); err != nil {
		return c, fmt.Errorf("%s: %w", from.Origin("traces"), err)
	}
	return c, nil
}

// exporter returns the exporter of the jobs of a database, nil without one.
func (o *tracesFlags) exporter(d *sqldb.DB, from *settings.Settings, log *slog.Logger) (*jobtrace.Exporter, error) {
	c, err := o.config(from)
	if err != nil || !o.used() {
		return nil, err
	}
	c.DB, c.Logger = d, log
	return jobtrace.New(c)
}

// runTraces runs an exporter, and returns a function that waits for its end.
func runTraces(ctx context.Context, e *jobtrace.Exporter, log *slog.Logger) (wait func()) {
	if e == nil {
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := e.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			log.Error("the export of traces ended", "err", err)
		}
	}()
	return func() { <-ended }
}
