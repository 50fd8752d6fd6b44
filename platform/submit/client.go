package submit

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
)

// DefaultPatience is the default time for which a call repeats a request with an unknown
// outcome.
const DefaultPatience = time.Minute

// DefaultAttempt is the default timeout of one request. A server gives up a write after 34
// s, so this timeout does not miss an answer.
const DefaultAttempt = 40 * time.Second

// Config configures a Client. The zero value works.
type Config struct {
	// User is the submitter of jobs and the actor of cancellations. The default is the
	// server's name for the credentials of the cluster. Set it only in a program that acts
	// for several people, such as the portal.
	User string
	// Namespace is the default namespace of jobs; default the namespace of the cluster's
	// configuration.
	Namespace string
	// Types are the types that Submit creates, as "jobs.batch"; default job.Types.
	Types []string
	// Patience is the maximum time for repeating failed requests; default DefaultPatience.
	// Attempt is the timeout of one request; default DefaultAttempt.
	Patience, Attempt time.Duration
	// Logger logs each failure after which a request is repeated; default none.
	Logger *slog.Logger
}

// Client submits jobs, finds them, cancels them and retries them, in one cluster. Any
// number of goroutines may use it.
type Client struct {
	cluster *kube.Cluster
	cfg     Config

	mu   sync.Mutex
	user string // "" until the first request
}

// New returns a client for a cluster, which the caller closes. It sends no request.
func New(cluster *kube.Cluster, cfg Config) *Client {
	cfg.Namespace = cmp.Or(cfg.Namespace, cluster.Namespace())
	cfg.Patience = cmp.Or(cfg.Patience, DefaultPatience)
	cfg.Attempt = cmp.Or(cfg.Attempt, DefaultAttempt)
	if cfg.Types == nil {
		cfg.Types = job.Types()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Client{cluster: cluster, cfg: cfg, user: cfg.User}
}

// Cluster returns the cluster of the client.
func (c *Client) Cluster() *kube.Cluster { return c.cluster }

// User returns the submitter or actor: Config.User, or the server's name for the
// credentials. It asks the server once.
//
// Errors: *kube.RequestError; the server returns no name.
func (c *Client) User(ctx context.Context) (string, error) {
	c.mu.Lock()
	user := c.user
	c.mu.Unlock()
	if user != "" {
		return user, nil
	}
	user, err := c.cluster.User(ctx)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	c.user = user
	c.mu.Unlock()
	return user, nil
}
