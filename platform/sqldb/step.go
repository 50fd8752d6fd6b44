package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

//go:embed schema/*.sql
var migrationFiles embed.FS

// step is one numbered change of the schema, in the SQL of one dialect.
type step struct {
	version int64
	name    string // of its file
	text    string // with the annotations of Goose
}

// readSteps returns the steps of the schema in the order of their numbers.
//
// Errors: a step has no number, or the dialect does not define a variable of a step.
func readSteps(d *Dialect) ([]step, error) {
	names, err := fs.Glob(migrationFiles, "schema/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var all []step
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s := step{name: path.Base(name)}
		number, _, _ := strings.Cut(s.name, "_")
		if s.version, err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("the schema: %s has no number: %w", s.name, err)
		}
		s.text = os.Expand(string(text), func(variable string) string {
			value, ok := d.expand(variable)
			if !ok {
				err = fmt.Errorf("the schema: the dialect of %s does not define ${%s}, which %s uses", d.Name, variable, s.name)
			}
			return value
		})
		if err != nil {
			return nil, err
		}
		s.text = strings.ReplaceAll(s.text, ") ;", ");")
		all = append(all, s)
	}
	return all, nil
}

// apply executes the statements of the step in a transaction.
func (s step) apply(ctx context.Context, tx *sql.Tx) error {
	for i, statement := range s.statements() {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("statement %d of %s: %w", i+1, s.name, err)
		}
	}
	return nil
}

// statements returns the statements of the step. Each ends with a semicolon at the end
// of a line, or is between the annotations StatementBegin and StatementEnd.
func (s *step) statements() (all []string) {
	text, _, _ := strings.Cut(s.text, "-- +goose Down")
	var b strings.Builder
	whole := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "-- +goose StatementBegin":
			whole = true
			continue
		case trimmed == "-- +goose StatementEnd":
			whole = false
		case trimmed == "" || strings.HasPrefix(trimmed, "--"):
			continue
		default:
			b.WriteString(line)
			if whole || !strings.HasSuffix(trimmed, ";") {
				continue
			}
		}
		all = append(all, strings.TrimSuffix(strings.TrimSpace(b.String()), ";"))
		b.Reset()
	}
	return all
}
