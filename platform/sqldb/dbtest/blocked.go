package dbtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
)

// Blocked waits until a session of a database waits for a lock, or until ended, if it is not
// nil, reports that the work which should wait has ended. An SQLite database does not show
// waits; for it, Blocked returns at once.
func Blocked(t *testing.T, url string, ended func() bool) {
	t.Helper()
	var s *Server
	var query string
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "postgres":
		address, _, _ := strings.Cut(url, "?")
		s, query = Postgres(t), fmt.Sprintf("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '%s' AND wait_event_type = 'Lock'", address[strings.LastIndex(address, "/")+1:])
	case "mysql":
		// The tables of transactions in information_schema are a copy, which the server renews
		// only if nobody reads it for 100 ms. This counter is of the whole server.
		for kind, schema := range map[string]string{"mariadb": "information_schema", "mysql": "performance_schema"} {
			if !slices.Contains(Kinds(), kind) || !strings.HasPrefix(url, strings.TrimSuffix(Of(t, kind).URL, "%s")) {
				continue
			}
			s, query = Of(t, kind), "SELECT variable_value FROM "+schema+".global_status WHERE variable_name = 'Innodb_row_lock_current_waits'"
		}
	default:
		return
	}
	db, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	patience.Until(t, "a session waits for a lock", func() string {
		if ended != nil && ended() {
			return ""
		}
		var n int
		switch err := db.QueryRowContext(t.Context(), query).Scan(&n); {
		case err != nil:
			return err.Error()
		case n == 0:
			return "none waits"
		}
		return ""
	})
}
