package portal

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// Config configures a portal. DB is required.
type Config struct {
	// DB is the database of a recorder. Writes through the portal need write access to it.
	DB *sqldb.DB
	// Replica answers queries about the history of jobs while it is recent; nil for none. Run
	// compares it with DB.
	Replica *sqldb.Replica
	// Clusters are the clusters to which people may submit, and whose live logs they may read. They
	// have the recorder's names.
	Clusters []access.Cluster
	// Rights lets the API servers decide what a person may see and do. It needs Clusters.
	Rights bool
	// Operators are groups whose members see the operations page.
	Operators []string
	// Identity configures sign-in. New sets its TLS, Open, Review, Several and Audience.
	Identity identity.Config
	// ClusterTokens accepts bearer tokens that a cluster knows.
	ClusterTokens bool
	// CertFile and KeyFile are the certificate and the key for HTTPS in PEM. They are reloaded when
	// they change.
	CertFile, KeyFile string
	// AuditAge is how long rows of the audit are kept: at least audit.MinKeep; default
	// audit.DefaultKeep, and without a limit if it is negative.
	AuditAge time.Duration
	// Templates are the templates of the page that submits jobs; default the built-in ones.
	Templates *template.Set
	// Notify is the file of notifications, for subscriptions; nil for none.
	Notify *config.Config
	// KeepsDays is the number of days after which retention removes the history of ended jobs; 0 if
	// it removes none, or if this is unknown. With 0, pages do not show an expiration.
	KeepsDays int
	// TraceURL returns the URL of the trace of a job, for a link on its page; nil for none.
	TraceURL func(clusterUID, jobUID string) string
	// Watches returns the state of the recorder in this process; nil without one.
	Watches func() []api.Watch
	// Metrics serves /metrics without sign-in.
	Metrics bool
	// Demo marks the portal of the demo.
	Demo    bool
	Version string       // of the program
	Logger  *slog.Logger // default: slog.Default()
}

// validate returns the errors of a configuration.
func (c *Config) validate() error {
	var errs []error
	if c.DB == nil {
		errs = append(errs, errors.New("portal: Config.DB is nil"))
	}
	if (c.Rights || c.ClusterTokens) && len(c.Clusters) == 0 {
		errs = append(errs, errors.New("rights and cluster tokens need an API server: configure at least one cluster"))
	}
	names := map[string]bool{}
	for _, k := range c.Clusters {
		if k.Name == "" || names[k.Name] {
			errs = append(errs, fmt.Errorf("two clusters have the name %q, or one has none", k.Name))
		}
		names[k.Name] = true
	}
	if c.AuditAge > 0 && c.AuditAge < audit.MinKeep {
		errs = append(errs, fmt.Errorf("the audit is kept for %v; keep it for at least %v, because it has the sessions that have ended", c.AuditAge, audit.MinKeep))
	}
	if l := c.Identity.Lifetime; c.AuditAge > 0 && l > c.AuditAge {
		errs = append(errs, fmt.Errorf("a session lasts %v, and the audit is kept for %v; keep it longer, because it has the sessions that have ended", l, c.AuditAge))
	}
	if l := c.Identity.Listen; l != "" {
		if _, _, err := net.SplitHostPort(l); err != nil {
			errs = append(errs, fmt.Errorf("the address %q is not of the form HOST:PORT: %w", l, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) logger() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.Default()
}
