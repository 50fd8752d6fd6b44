package dbtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
)

// Blocked waits until a session of a database waits for a lock. An SQLite database does not
// show that; for it, Blocked returns at once.
func Blocked(t *testing.T, url string) {
	t.Helper()
	var s *Server
	var query string
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "postgres":
		s, query = Postgres(t), "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '%s' AND wait_event_type = 'Lock'"
	case "mysql":
		s, query = MariaDB(t), "SELECT COUNT(*) FROM information_schema.innodb_trx x JOIN information_schema.processlist p ON p.id = x.trx_mysql_thread_id WHERE p.db = '%s' AND x.trx_state = 'LOCK WAIT'"
	default:
		return
	}
	address, _, _ := strings.Cut(url, "?")
	query = fmt.Sprintf(query, address[strings.LastIndex(address, "/")+1:])
	db, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	patience.Until(t, "a session waits for a lock", func() string {
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
