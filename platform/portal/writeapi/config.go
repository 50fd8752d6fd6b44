package writeapi

import (
	"context"
	"log/slog"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// Config configures the operations. DB, Index and Access are required.
type Config struct {
	// DB is the database of a recorder, with the rights to write.
	DB     *sqldb.DB
	Index  *jobindex.Index
	Access *access.Access
	// Audit gets each write; default a log in DB.
	Audit *audit.Log
	// Templates are the templates of jobs; default the built-in ones.
	Templates *template.Set
	// Types are the types that may be submitted, as "jobs.batch"; default job.Types.
	Types []string
	// Notify is the file of notifications; nil for none. Without its secrets, no code and no
	// test message can be sent.
	Notify *config.Config
	// Forecast predicts the start of a job that is not submitted; may be nil. See
	// insight.Insight.Forecast.
	Forecast func(context.Context, insight.Planned, insight.Viewer) (*api.Forecast, error)
	// EndSessions ends all sessions of a person; nil: nobody signs in.
	EndSessions func(ctx context.Context, person string) error
	Logger      *slog.Logger // default: slog.Default()
}

// withDefaults returns the configuration with its defaults.
func (c Config) withDefaults() Config {
	if c.Audit == nil {
		c.Audit = audit.New(c.DB, 0)
	}
	if c.Templates == nil {
		c.Templates = template.Builtin()
	}
	if c.Types == nil {
		c.Types = job.Types()
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}
