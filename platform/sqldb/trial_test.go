package sqldb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestCheckMigration checks that a migration which a server of MySQL's kind does not allow changes
// nothing, and names what is missing.
func TestCheckMigration(t *testing.T) {
	if dbtest.Selected("mariadb") != "mariadb" {
		return
	}
	rights := "CREATE, ALTER, DROP, INDEX, CREATE VIEW, SELECT, INSERT, UPDATE, DELETE"
	for _, c := range []struct{ name, option, lacks, want string }{
		{"statements in the binary log", "--log-bin=log,--binlog-format=STATEMENT", "", "binlog_format of the server is STATEMENT"},
		{"compact rows", "--skip-log-bin,--innodb-default-row-format=compact", "", ""},
		{"no index", "--skip-log-bin", "INDEX", "INDEX command denied"},
		{"no view", "--skip-log-bin", "CREATE VIEW", "CREATE VIEW command denied"},
		{"no drop", "--skip-log-bin", "DROP", "DROP command denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := dbtest.StartMariaDB(t, strings.Split(c.option, ",")...)
			url := server.Empty(t)
			if c.lacks != "" {
				list := strings.Replace(rights, c.lacks+", ", "", 1)
				server.Exec(t, "CREATE USER less", fmt.Sprintf("GRANT %s ON %s.* TO less", list, url[strings.LastIndex(url, "/")+1:]))
				url = strings.Replace(url, "root@", "less@", 1)
			}
			d := opened(t, url)
			_, err := d.Migrate(t.Context())
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "the schema was not changed") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			steps, err := d.Migrations(t.Context())
			if err != nil || steps[0].Applied {
				t.Errorf("got steps %+v and error %v", steps, err)
			}
			if err := d.CheckMigration(t.Context(), true); err == nil {
				t.Error("CheckMigration found nothing")
			}
		})
	}
}

// TestCheckMigrationOfEmpty checks that an empty database of each kind may be migrated, and that the
// check leaves nothing.
func TestCheckMigrationOfEmpty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := opened(t, url)
		for _, try := range []bool{false, true} {
			if err := d.CheckMigration(t.Context(), try); err != nil {
				t.Error(err)
			}
		}
		if _, file := sqldb.FileOf(url); file {
			return
		}
		var tables int
		if err := d.SQL().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'vedette_schema%' AND table_schema = "+map[bool]string{true: "current_schema()", false: "DATABASE()"}[strings.HasPrefix(url, "postgres")]).Scan(&tables); err != nil || tables != 0 {
			t.Errorf("got %d tables, error %v", tables, err)
		}
	})
}
