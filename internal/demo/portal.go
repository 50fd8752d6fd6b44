package demo

import (
	"context"
	"log/slog"
	"net"

	"github.com/vedette-io/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal"
	"github.com/vedette-io/vedette/portal/access"
	"github.com/vedette-io/vedette/record/sqldb"
)

// portalServer is the portal of the demo; nil if the demo has no portal.
type portalServer struct {
	portal   *portal.Portal
	listener net.Listener
}

// newPortalServer returns a portal over the database of the demo. The client user
// makes its writes. If the address is taken, it listens at another port of the loopback address. An empty
// address means no portal.
func newPortalServer(o *Options, d *sqldb.DB, user *kube.Cluster) (*portalServer, error) {
	if o.Listen == "" {
		return nil, nil
	}
	cfg := portal.Config{DB: d, Clusters: []access.Cluster{{Name: "demo", Kube: user}}, Demo: true, Version: o.Version, Logger: slog.New(slog.DiscardHandler)}
	cfg.Identity.Listen = o.Listen
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
	return &portalServer{p, listener}, nil
}

// text gives the address of the portal.
func (p *portalServer) text() string {
	if p == nil {
		return ""
	}
	return "The portal shows them in the browser until the demo ends; with --jobs 0 it does not end by itself:\n  " + httpserver.Address(p.listener.Addr(), false, "") + "\n"
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
