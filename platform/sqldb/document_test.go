package sqldb_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var (
	documentedTable  = regexp.MustCompile(`(?m)^### (\w+)$`)
	documentedColumn = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| \\S")
	documentedQuery  = regexp.MustCompile("(?s)```sql\n(.*?)```")
)

// TestSchemaDocument: docs/schema.md has every table and view with all of their columns in
// order, and no others, and its queries run.
func TestSchemaDocument(t *testing.T) {
	testinput.Uncached(t)
	text, err := os.ReadFile("../../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := columnsOf(t, d), map[string][]string{}
	places := documentedTable.FindAllStringSubmatchIndex(string(text), -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		name := string(text[p[2]:p[3]])
		for _, c := range documentedColumn.FindAllStringSubmatch(string(text[p[1]:end]), -1) {
			got[name] = append(got[name], c[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.Equal(got[name], want[name]) {
			t.Errorf("%s has the columns %q, and docs/schema.md has %q", name, want[name], got[name])
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("docs/schema.md has %s, which the schema does not have", name)
	}
	for _, block := range documentedQuery.FindAllStringSubmatch(string(text), -1) {
		for query := range strings.SplitSeq(strings.TrimSpace(block[1]), ";\n\n") {
			if err := d.Query(t.Context(), strings.TrimSuffix(query, ";"), nil, func(*sql.Rows) error { return nil }); err != nil {
				t.Errorf("the query fails: %v\n%s", err, query)
			}
		}
	}
}

// columnsOf returns the columns of the tables and views of a database, without those of tools.
func columnsOf(t *testing.T, d *sqldb.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	var names []string
	const query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%' AND name NOT LIKE 'schema_progress%'"
	err := d.Query(t.Context(), query, nil, func(r *sql.Rows) error {
		var name string
		err := r.Scan(&name)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		err := d.Query(t.Context(), fmt.Sprintf("SELECT name FROM pragma_table_info('%s') ORDER BY cid", name), nil, func(r *sql.Rows) error {
			var column string
			err := r.Scan(&column)
			all[name] = append(all[name], column)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
