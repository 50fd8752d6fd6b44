package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
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
func readSteps(d *Dialect) (all []step, err error) {
	own, err := fs.Sub(migrationFiles, "schema")
	if err != nil {
		return nil, err
	}
	for _, files := range []fs.FS{own, d.LaterSteps} {
		if files == nil {
			continue
		}
		names, err := fs.Glob(files, "*.sql") // sorted
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			s, err := d.readStep(files, name)
			if err != nil {
				return nil, fmt.Errorf("the schema: %s: %w", name, err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// readStep reads the file of a step.
func (d *Dialect) readStep(files fs.FS, name string) (s step, err error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return step{}, err
	}
	s.name = name
	number, _, _ := strings.Cut(name, "_")
	if s.version, err = strconv.ParseInt(number, 10, 64); err != nil {
		return step{}, fmt.Errorf("no number: %w", err)
	}
	s.text = os.Expand(string(text), func(variable string) string {
		value, ok := d.expand(variable)
		if !ok {
			err = fmt.Errorf("the dialect of %s does not define ${%s}", d.Name, variable)
		}
		return value
	})
	s.text = strings.ReplaceAll(s.text, ") ;", ");")
	return s, err
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
