package submit

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
)

// DefaultPatience is how long a call repeats a request whose outcome is unknown.
const DefaultPatience = time.Minute

// DefaultAttempt is how long a call waits for the answer to one request. It is longer
// than the 34 s after which a server gives up a write, so an answer is not missed.
const DefaultAttempt = 40 * time.Second

// Config configures a Client. The zero value works.
type Config struct {
	// User is the submitter of jobs and the actor of cancellations. By default it is the
	// name by which the server knows the credentials of the cluster. Set it only where
	// one program acts for several people, as the portal does.
	User string
	// Namespace is that of jobs that name none; default that of the cluster's configuration.
	Namespace string
	// Patience bounds the time in which failed requests are repeated; default
	// DefaultPatience. Attempt bounds one request; default DefaultAttempt.
	Patience, Attempt time.Duration
	// Logger gets a line for each failure after which a request is repeated; default none.
	Logger *slog.Logger
}

// Client takes in jobs, finds them, cancels them and retries them, in one cluster. Any
// number of goroutines may use it.
type Client struct {
	cluster *kube.Cluster
	cfg     Config

	mu   sync.Mutex
	user string // "" until the server was asked
}

// New returns a client for a cluster, which the caller closes. It sends nothing.
func New(cluster *kube.Cluster, cfg Config) *Client {
	cfg.Namespace = cmp.Or(cfg.Namespace, cluster.Namespace())
	cfg.Patience = cmp.Or(cfg.Patience, DefaultPatience)
	cfg.Attempt = cmp.Or(cfg.Attempt, DefaultAttempt)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Client{cluster: cluster, cfg: cfg, user: cfg.User}
}

// Cluster returns the cluster of the client.
func (c *Client) Cluster() *kube.Cluster { return c.cluster }

// User returns the submitter or actor: Config.User, or the name that the server gives to
// the credentials. It asks the server once.
//
// Errors: *kube.RequestError; the server names nobody.
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
