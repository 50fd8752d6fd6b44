package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/send/export/s3"
)

// exportOptions are the flags of export.
type exportOptions struct {
	db, to       string
	since, until string
	replace      bool
}

func newExport() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write transitions to Parquet files, a file for each day",
		Long: "The command writes the transitions of whole days, in UTC, to DIR/day=2026-11-01/transitions.parquet. DuckDB, Spark and\n" +
			"Trino read the folder as one table. Run it every day: it writes a day again until the day was over for 24 hours. A day\n" +
			"that retention has removed from the database stays in the files. Keys for a bucket come from AWS_ACCESS_KEY_ID and\n" +
			"AWS_SECRET_ACCESS_KEY, from ~/.aws/credentials, or from the machine or pod.",
		Example: "  # The last 30 days, and a query\n" +
			"  vedette export --since 720h --to history --db sqlite:history.db\n" +
			"  duckdb -c \"SELECT reason, count(*) FROM 'history/*/*.parquet' WHERE to_state = 'Failed' GROUP BY ALL\"\n\n" +
			"  # To buckets\n" +
			"  vedette export --since 48h --to s3://jobs/history\n" +
			"  vedette export --since 48h --to 's3://jobs?endpoint=https://minio.example:9000'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "folder, or s3://BUCKET/FOLDER with the parameters endpoint and region")
	f.StringVar(&o.since, "since", "", "first day: an age such as 720h, or a time (default: the first transition)")
	f.StringVar(&o.until, "until", "", "last day: an age or a time (default: today)")
	f.BoolVar(&o.replace, "replace", false, "also replace files of days that are over, and files that get fewer rows")
	return cmd
}

func (o *exportOptions) run(ctx context.Context, con *console.Console) error {
	now := time.Now()
	c := export.Config{Replace: o.replace, Now: now, Progress: func(day time.Time, rows int64) {
		con.Progress("%s: %s …", day.Format(time.DateOnly), units.Count(int(rows), "transition"))
	}}
	var err error
	var done func()
	if c.Store, done, err = parseStore(o.to); err != nil {
		return err
	}
	defer done()
	for _, t := range []struct {
		name, text string
		into       *time.Time
	}{{"--since", o.since, &c.Since}, {"--until", o.until, &c.Until}} {
		if t.text == "" {
			continue
		}
		if *t.into, err = units.ParseTime(t.text, now); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if c.DB, err = settings.OpenDatabase(ctx, o.db); err != nil {
		return err
	}
	defer c.DB.Close()
	days, err := export.Run(ctx, c)
	summarize(con, c.Store, days)
	if err != nil {
		return fmt.Errorf("%w; run the command again to continue", err)
	}
	return nil
}

// parseStore returns the store that --to names, and a function that closes it.
func parseStore(to string) (s export.Store, done func(), err error) {
	switch {
	case to == "":
		return nil, nil, errors.New("no destination is named: use --to DIR or --to s3://BUCKET")
	case strings.HasPrefix(to, "s3://"):
		s, err := s3.Parse(to)
		if err != nil {
			return nil, nil, fmt.Errorf("--to: %w", err)
		}
		return s, s.Close, nil
	case strings.Contains(to, "://"):
		return nil, nil, errors.New("--to: the destination is unknown: want a folder or s3://BUCKET")
	}
	return export.Folder(to), func() {}, nil
}

// summarize says what an export did.
func summarize(con *console.Console, to export.Store, days []export.Day) {
	count := map[export.Outcome]int{}
	var rows int64
	for _, d := range days {
		count[d.Outcome]++
		switch d.Outcome {
		case export.Written:
			rows += d.Rows
		case export.Kept:
			con.Say("%s: the file has %s, and the database has fewer: kept (--replace replaces it)", d.Date.Format(time.DateOnly), units.Count(int(d.Rows), "transition"))
		}
	}
	con.Say("%s of %s written to %s", units.Count(int(rows), "transition"), units.Count(count[export.Written], "day"), to)
	if n := count[export.Final]; n > 0 {
		con.Say("%s already final", units.Count(n, "day"))
	}
}
