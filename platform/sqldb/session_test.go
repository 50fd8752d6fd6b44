package sqldb_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestClockInRepeatedHour: when summer time ends, one hour of local time comes twice. The clock
// of the server is right in both.
func TestClockInRepeatedHour(t *testing.T) {
	if dbtest.Selected("mariadb") != "mariadb" {
		return // PostgreSQL has no such conversion
	}
	server := dbtest.StartMariaDB(t)
	now := time.Now().Unix()
	for id, ended := range map[int]int64{901: now - 1800, 902: now + 1800} {
		zone := fmt.Sprintf("Test/Zone%d", id)
		server.Exec(t,
			fmt.Sprintf("INSERT INTO mysql.time_zone VALUES (%d, 'N')", id),
			fmt.Sprintf("INSERT INTO mysql.time_zone_name VALUES ('%s', %d)", zone, id),
			fmt.Sprintf("INSERT INTO mysql.time_zone_transition_type VALUES (%d, 0, 3600, 0, 'CET'), (%[1]d, 1, 7200, 1, 'CEST')", id),
			fmt.Sprintf("INSERT INTO mysql.time_zone_transition VALUES (%[1]d, %[2]d, 1), (%[1]d, %[3]d, 0)", id, ended-180*86400, ended),
			"SET GLOBAL time_zone = '"+zone+"'")
		db, err := sqldb.Open(t.Context(), server.Empty(t))
		if err != nil {
			t.Fatal(err)
		}
		at, err := db.Clock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Until(at).Abs(); d > 10*time.Minute {
			t.Errorf("summer time ends at %v: the clock of the server is off by %v", time.Unix(ended, 0), d)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSettingsOfServer: no setting of a server changes the meaning of statements: a value
// that does not fit is refused instead of cut, a list is complete, and text with quotes and
// backslashes stays as it is.
func TestSettingsOfServer(t *testing.T) {
	if dbtest.Selected("mariadb") != "mariadb" {
		return
	}
	server := dbtest.StartMariaDB(t, "--sql-mode=ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH", "--autocommit=0", "--completion-type=CHAIN",
		"--character-set-server=latin1", "--skip-character-set-client-handshake")
	server.Exec(t, "SET GLOBAL sql_select_limit = 2", "SET GLOBAL sql_safe_updates = 1")
	d := things(t, server.Empty(t))
	exec(t, d, "ALTER TABLE things CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	text := `a\' "b" || \\ ; -- 训练`
	transact(t, d, func(tx *sqldb.Tx) error {
		return tx.Insert(t.Context(), "things", columns, append(some(0, 10), []any{int64(10), int64(0), int16(0), text, []byte(text)}))
	})
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Insert(t.Context(), "things", columns, [][]any{{int64(11), int64(0), int16(0), strings.Repeat("x", 64), []byte{}}})
	})
	if err == nil || !d.Rejects(err) {
		t.Errorf("a value of 64 characters in a column of 63: got error %v, want that it is rejected", err)
	}
	transact(t, d, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE things SET small = small + 1 WHERE data <> ?", []byte{})
		return err
	})
	var names []string
	err = d.Query(t.Context(), "SELECT name FROM things ORDER BY id", nil, func(rows *sql.Rows) error {
		var name string
		defer func() { names = append(names, name) }()
		return rows.Scan(&name)
	})
	if err != nil || len(names) != 11 || names[10] != text {
		t.Errorf("got %q and error %v, want 11 names, the last one %q", names, err, text)
	}
}
