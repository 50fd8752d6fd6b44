package dbtest

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

var bouncer = sync.OnceValues(startPgBouncer)

// PgBouncer returns a PgBouncer in transaction mode in front of the PostgreSQL server.
func PgBouncer(t *testing.T) *Server { return usable(t, "PgBouncer", bouncer) }

// startPgBouncer starts a PgBouncer in transaction mode, with the settings of its documentation,
// in front of the PostgreSQL server. The names of its databases are those of no other server.
func startPgBouncer() (*Server, error) {
	behind, err := postgres()
	if err != nil {
		return nil, err
	}
	pooler, err := program("pgbouncer", "/usr/sbin")
	if err != nil {
		return nil, err
	}
	dir, as, err := Unprivileged("postgres")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(fmt.Sprintf(behind.URL, "postgres"))
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%s user=vedette\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\nmax_client_conn = 1000\ndefault_pool_size = 20\n", u.Port(), port)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		return nil, err
	}
	s := &Server{number: 1_000_000, dir: dir, quit: syscall.SIGKILL, URL: fmt.Sprintf("postgres://vedette@127.0.0.1:%d/%%s?sslmode=disable", port)}
	s.admin = func() (*sql.DB, error) { // it answers when it runs
		return sql.Open("pgx", fmt.Sprintf(s.URL, "postgres")+"&default_query_exec_mode=simple_protocol")
	}
	s.make = func() *exec.Cmd { return as(exec.Command(pooler, "-q", file)) }
	return s.first()
}
