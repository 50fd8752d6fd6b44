package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/records"
)

// Flags name a database, or a portal.
type Flags struct {
	DB      string
	Server  ServerFlags
	Settled *settings.Settings
}

// AddFlags adds the flags. The command may have one source.
func (s *Flags) AddFlags(cmd *cobra.Command) {
	s.Settled = settings.AddDatabase(cmd, &s.DB)
	s.Server.AddFlags(cmd)
}

// Named reports whether the flags name a source.
func (s *Flags) Named() bool { return s.DB != "" || s.Server.URL != "" }

// choose leaves one source. A flag overrides the environment, which overrides the file. A file
// with both belongs to a recorder, so its database is used.
//
// Errors: flags name two sources, or the environment does.
func (s *Flags) choose() error {
	if s.DB == "" || s.Server.URL == "" || s.Settled == nil {
		return nil
	}
	db, server := s.Settled.Origin("db"), s.Settled.Origin("server")
	switch of := rankOf("db", db) - rankOf("server", server); {
	case of > 0, of == 0 && rankOf("db", db) == 0:
		s.Server.URL = ""
	case of < 0:
		s.DB = ""
	default:
		return fmt.Errorf("a database (%s) and a portal (%s) are named: use one of --db and --server", db, server)
	}
	return nil
}

// rankOf returns 2 for a setting from a flag, 1 for the environment, and 0 for a file.
func rankOf(name, origin string) int {
	switch origin {
	case "--" + name:
		return 2
	case settings.Variable(name):
		return 1
	}
	return 0
}

// Portal returns a client of the portal; nil if the flags name a database or no source.
func (s *Flags) Portal() (*client.Client, error) {
	if err := s.choose(); err != nil || s.Server.URL == "" {
		return nil, err
	}
	return s.Server.Client()
}

// Open opens the history that the flags name.
func (s *Flags) Open(ctx context.Context) (*History, error) {
	c, err := s.Portal()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return &History{records.New(c), func() {}}, nil
	}
	if s.DB == "" {
		return nil, ErrNone
	}
	return OpenHistory(ctx, s.DB)
}

// ErrNone means that neither a database nor a portal is named.
var ErrNone = errors.New(settings.ErrNoDatabase.Error() + "; or name a portal: --server https://…, or VEDETTE_SERVER")
