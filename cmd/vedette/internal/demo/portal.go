package demo

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// portalServer is the portal of the demo; nil if the demo has no portal.
type portalServer struct {
	portal   *portal.Portal
	listener net.Listener
	token    string // the local token
}

// newPortalServer returns a portal over the database of the demo. The client user
// makes its writes. If the address is taken, it listens at another port of the loopback address. An empty
// address means no portal.
func newPortalServer(o *Options, d *sqldb.DB, user *kube.Cluster) (*portalServer, error) {
	if o.Listen == "" {
		return nil, nil
	}
	cfg := portal.Config{DB: d, Clusters: []access.Cluster{{Name: "demo", Kube: user}}, Demo: true, Version: o.Version, Logger: slog.New(slog.DiscardHandler)}
	token, err := localtoken.Keep()
	if errors.Is(err, localtoken.ErrNotKept) {
		token, err = localtoken.New(), nil // other terminals do not find it
	}
	if err != nil {
		return nil, err
	}
	cfg.Identity.Listen, cfg.Identity.LocalToken = o.Listen, token
	p, err := portal.New(cfg)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	return &portalServer{p, listener, token}, nil
}

// announce says where the portal is.
func (p *portalServer) announce(con *console.Console) {
	if p == nil {
		return
	}
	con.Say("The portal shows them in the browser until the demo ends; with --jobs 0 it does not end by itself:")
	httpserver.Announce(con, " ", httpserver.Address(p.listener.Addr(), false, ""), p.token)
}

// start serves the portal until ctx ends, and returns a function that waits for that. It
// calls cancel with an error.
func (p *portalServer) start(ctx context.Context, cancel func(error)) (wait func() error) {
	if p == nil {
		return func() error { return nil }
	}
	ended := make(chan error, 1)
	go func() {
		err := p.portal.Serve(ctx, p.listener)
		if err != nil {
			cancel(err)
		}
		ended <- err
	}()
	return func() error { return <-ended }
}

// close closes a listener that nobody serves; otherwise it does nothing.
func (p *portalServer) close() {
	if p != nil {
		_ = p.listener.Close() // it may be closed already
	}
}
