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

// choose leaves one source: that of a flag before that of the environment, and that before one
// of the file. A file with both is that of a recorder, so its database is read.
//
// Errors: two sources, both of flags or both of the environment.
func (s *sourceFlags) choose() error {
	if s.db == "" || s.server.url == "" || s.settled == nil {
		return nil
	}
	db, server := s.settled.origin("db"), s.settled.origin("server")
	switch of := rankOf("db", db) - rankOf("server", server); {
	case of > 0, of == 0 && rankOf("db", db) == 0:
		s.server.url = ""
	case of < 0:
		s.db = ""
	default:
		return fmt.Errorf("a database (%s) and a portal (%s) are named: use one of --db and --server", db, server)
	}
	return nil
}

// rankOf returns 2 for a setting of a flag, 1 for one of the environment, and 0 for one of a
// file.
func rankOf(name, origin string) int {
	switch origin {
	case "--" + name:
		return 2
	case variable(name):
		return 1
	}
	return 0
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
