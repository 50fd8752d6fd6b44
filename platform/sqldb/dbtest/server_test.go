package dbtest

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// TestKill: committed rows exist after the server was killed and restarted.
func TestKill(t *testing.T) {
	for _, kind := range Kinds() {
		s := Of(t, kind)
		if s == nil {
			continue
		}
		db, err := s.admin()
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		name := Empty(t, kind)
		for i := range 3 {
			if _, err := db.ExecContext(t.Context(), "CREATE DATABASE kept_"+string(rune('a'+i))); err != nil {
				t.Fatalf("create of a database failed: %s: %v", name, err)
			}
			s.Kill()
			if err := s.answers(t.Context()); err == nil {
				t.Fatalf("%s answers after it was killed", kind)
			}
			if err := s.Start(t.Context()); err != nil {
				t.Fatalf("%s does not start again: %v", kind, err)
			}
			db.SetMaxIdleConns(0) // connections to the killed server are useless
			var n int
			row := db.QueryRowContext(t.Context(), map[string]string{
				"postgres": "SELECT COUNT(*) FROM pg_database WHERE datname LIKE 'kept%'",
				"mariadb":  "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE 'kept%'",
			}[Family(kind)])
			if err := row.Scan(&n); err != nil || n != i+1 {
				t.Errorf("%s has %d of %d databases: %v", kind, n, i+1, err)
			}
		}
	}
}
