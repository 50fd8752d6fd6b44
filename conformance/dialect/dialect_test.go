// Package dialect runs the tests of drivers on go-mysql-server, a second implementation of
// MySQL's dialect. It parses and runs the statements of the schema, of the recorder, of
// queries and of retention.
package dialect

import (
	"flag"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/sirupsen/logrus"

	"github.com/vedette-io/vedette/platform/record/recordtest"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// unlike are the tests that this server cannot pass, and its differences from MySQL. Tables in
// memory have no row locks, and concurrent transactions do not wait for each other.
var unlike = []string{
	"rows/inserts_of_any_number_of_rows$", // SUM of integers is a floating-point number
	"rows/new_rows_only$",                 // a duplicate within one statement is not found
	"rows/updates$",                       // an UPDATE with a JOIN of 1,203 rows takes more than sqldb.Timeout
	"errors/rejected_data_are_distinguished_from_other_errors$", // a violated CHECK has the code of an unknown error
	"space/the_size_grows_with_the_history$",                    // ANALYZE NO_WRITE_TO_BINLOG is a syntax error
	"recording/retention_removes_rows_that_are_due$",            // the same
	"transactions/a_wait_ends_with_its_context$",                // this one and the rest: no row locks
	"locks/a_transaction_that_waited_sees_the_commit$",
	"locks/rows_are_locked_in_order$",
	"recording/every_transition_is_recorded_once$",
	"feed/of_two_updates_with_one_condition,_one_takes_effect$",
	"feed/replicas_handle_each_transition_once$",
}

// lockTimeout is a variable of sessions in MySQL, with values up to 2^30. This server has it
// for all sessions only, with the value 1. It has no row locks, so the value does not matter.
var lockTimeout = &sql.MysqlSystemVariable{
	Name: "innodb_lock_wait_timeout", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
	Type: types.NewSystemIntType("innodb_lock_wait_timeout", 1, 1<<30, false), Default: int64(50),
}

func TestMain(m *testing.M) {
	flag.Parse()
	variables.InitSystemVariables()
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{lockTimeout})
	if err := flag.Set("test.skip", "^TestDialect$/"+strings.Join(unlike, "|^TestDialect$/")); err != nil {
		panic(err)
	}
	logrus.SetOutput(io.Discard) // the server logs each failed statement
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// TestDialect runs the tests that each driver must pass.
func TestDialect(t *testing.T) {
	recordtest.Run(t, func(t *testing.T) *sqldb.DB {
		db := memory.NewDatabase("history")
		db.EnablePrimaryKeyIndexes()
		provider := memory.NewDBProvider(db)
		s, err := server.NewServer(server.Config{Protocol: "tcp", Address: "127.0.0.1:0"}, sqle.NewDefault(provider), sql.NewContext, memory.NewSessionBuilder(provider), nil)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Start() }()
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			<-done
		})
		d, err := sqldb.Open(t.Context(), "mysql://root@"+s.Listener.Addr().String()+"/history")
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}
