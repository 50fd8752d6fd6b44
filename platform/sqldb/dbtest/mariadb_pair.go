package dbtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// MariaDBPair is a MariaDB server with a replica: a commit returns when the primary has it,
// and the replica applies it later.
type MariaDBPair struct {
	Primary, Replica *Server
}

// StartMariaDBPair starts a pair. It ends with the test.
func StartMariaDBPair(t *testing.T) *MariaDBPair {
	t.Helper()
	testinput.Uncached(t)
	p := &MariaDBPair{}
	for id, s := range []**Server{&p.Primary, &p.Replica} {
		one, err := newMariaDB(fmt.Sprint("--server-id=", id+1), "--log-bin=log")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(one.dir) })
		if err := one.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(one.Kill)
		*s = one
	}
	_, port, _ := strings.Cut(strings.TrimSuffix(p.Primary.URL, "/%s"), "127.0.0.1:")
	if err := p.Replica.exec(t.Context(), "SET GLOBAL read_only = ON", "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = "+port+", MASTER_USER = 'root', MASTER_USE_GTID = slave_pos", "START SLAVE"); err != nil {
		t.Fatal(err)
	}
	return p
}

// Pause makes the replica receive commits without applying them.
func (p *MariaDBPair) Pause(ctx context.Context) error {
	return p.Replica.exec(ctx, "STOP SLAVE SQL_THREAD")
}

// Resume ends Pause.
func (p *MariaDBPair) Resume(ctx context.Context) error {
	return p.Replica.exec(ctx, "START SLAVE SQL_THREAD")
}
