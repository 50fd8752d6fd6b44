package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/portal/client"
	"github.com/vedette-io/vedette/portal/records"
)

// sourceFlags name a database, or a portal.
type sourceFlags struct {
	db      string
	server  serverFlags
	settled *settled
}

// addFlags adds the flags. The command may have one source.
func (s *sourceFlags) addFlags(cmd *cobra.Command) {
	s.settled = addDatabase(cmd, &s.db)
	s.server.addFlags(cmd)
}

// named reports whether there is a source.
func (s *sourceFlags) named() bool { return s.db != "" || s.server.url != "" }

// choose leaves one source: that of a flag, or the only one.
//
// Errors: two sources, neither or both of which are flags.
func (s *sourceFlags) choose() error {
	if s.db == "" || s.server.url == "" || s.settled == nil {
		return nil
	}
	db, server := s.settled.origin("db"), s.settled.origin("server")
	switch {
	case db == "--db" && server != "--server":
		s.server.url = ""
	case server == "--server" && db != "--db":
		s.db = ""
	default:
		return fmt.Errorf("a database (%s) and a portal (%s) are named: use one of --db and --server", db, server)
	}
	return nil
}

// portal returns a client of the portal; nil if a database is named, or nothing.
func (s *sourceFlags) portal() (*client.Client, error) {
	if err := s.choose(); err != nil || s.server.url == "" {
		return nil, err
	}
	return s.server.client()
}

// open opens the history that the flags name.
func (s *sourceFlags) open(ctx context.Context) (*historyReader, error) {
	c, err := s.portal()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return &historyReader{records.New(c), func() {}}, nil
	}
	if s.db == "" {
		return nil, errNoSource
	}
	return openHistory(ctx, s.db)
}

var errNoSource = errors.New(errNoDatabase.Error() + "; or name a portal: --server https://…, or VEDETTE_SERVER")
