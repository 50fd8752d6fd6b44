package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Server is a database server of this process. One goroutine at a time may kill and
// start it.
type Server struct {
	// URL has one verb, for the name of a database.
	URL    string
	admin  func() (*sql.DB, error)
	number int
	dir    string
	quit   os.Signal // ends the process without regard to its data
	make   func() *exec.Cmd
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
}

var (
	postgres = sync.OnceValues(startPostgres)
	mariaDB  = sync.OnceValues(startMariaDB)
	mySQL    = sync.OnceValues(startMySQL)
	started  []*Server
	mu       sync.Mutex
)

// Postgres returns the PostgreSQL server.
func Postgres(t *testing.T) *Server { return usable(t, "PostgreSQL", postgres) }

// MariaDB returns the MariaDB server.
func MariaDB(t *testing.T) *Server { return usable(t, "MariaDB", mariaDB) }

// MySQL returns the MySQL server.
func MySQL(t *testing.T) *Server { return usable(t, "MySQL", mySQL) }

// Stop stops all servers; for TestMain.
func Stop() {
	mu.Lock()
	defer mu.Unlock()
	for _, s := range started {
		_ = s.cmd.Process.Signal(s.quit) // it may have ended already
		<-s.ended
		_ = os.RemoveAll(s.dir)
	}
	started = nil
}

// ErrAbsent is the error of a server that is not installed.
var ErrAbsent = errors.New("is not installed: run `make setup`")

func usable(t *testing.T, name string, get func() (*Server, error)) *Server {
	t.Helper()
	testinput.Uncached(t)
	s, err := get()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// Empty creates an empty database, and returns its URL.
func (s *Server) Empty(t *testing.T) string {
	t.Helper()
	url, err := s.empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func (s *Server) empty(ctx context.Context) (url string, err error) {
	mu.Lock()
	s.number++
	name := "test_" + strconv.Itoa(s.number)
	mu.Unlock()
	return fmt.Sprintf(s.URL, name), s.exec(ctx, "CREATE DATABASE "+name)
}

// Exec executes statements as the administrator, each by itself.
func (s *Server) Exec(t *testing.T, statements ...string) {
	t.Helper()
	if err := s.exec(t.Context(), statements...); err != nil {
		t.Fatal(err)
	}
}

// Kill ends the server like a crash. Its data stay.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.ended
}

// Start starts a killed server, at the same port and with the same data, and returns when
// it answers.
//
// Errors: it does not answer within a minute, with its output; the cause of ctx.
func (s *Server) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("it does not answer"))
	defer cancel()
	if err := s.launch(); err != nil {
		return err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("%w: %w\n%s", context.Cause(ctx), err, said)
		}
		select {
		case <-s.ended: // remains of the previous server may have prevented the start
			if err := s.launch(); err != nil {
				return err
			}
		default:
		}
	}
}

func (s *Server) answers(ctx context.Context) error {
	db, err := s.admin()
	if err != nil {
		return err
	}
	return errors.Join(db.PingContext(ctx), db.Close())
}

// launch starts the process.
func (s *Server) launch() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, ended := s.make(), make(chan struct{})
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.ended = cmd, ended
	go func() {
		_ = cmd.Wait() // it was killed, or its log has the reason
		close(ended)
	}()
	return nil
}

// first starts the server for the first time.
func (s *Server) first() (*Server, error) {
	if err := s.Start(context.Background()); err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	started = append(started, s)
	return s, nil
}

// exec runs statements, each by itself.
func (s *Server) exec(ctx context.Context, statements ...string) error {
	db, err := s.admin()
	if err != nil {
		return err
	}
	defer db.Close()
	for _, one := range statements {
		if _, err := db.ExecContext(ctx, one); err != nil {
			return fmt.Errorf("%s: %w", one, err)
		}
	}
	return nil
}
