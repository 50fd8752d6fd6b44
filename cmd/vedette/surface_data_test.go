package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// emptyHistory returns a database without objects with the current schema.
func emptyHistory(t *testing.T) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "surface.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // the folder is removed
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// sqlSurface has the tables, views and columns of SQLite. Their names are the same in all
// databases.
func sqlSurface(t *testing.T) surface {
	s := surface{}
	d := emptyHistory(t)
	const columns = "SELECT m.type, m.name, p.name, p.type, p.pk FROM sqlite_master m, pragma_table_info(m.name) p " +
		"WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'"
	if err := d.Query(t.Context(), columns, nil, func(rows *sql.Rows) error {
		var kind, table, column, of string
		var key int
		if err := rows.Scan(&kind, &table, &column, &of, &key); err != nil {
			return err
		}
		if key > 0 {
			of += fmt.Sprintf(" key %d", key)
		}
		s.add(t, kind+" "+table, "")
		s.add(t, kind+" "+table+"."+column, of)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	steps, err := d.Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		s.add(t, fmt.Sprintf("step %d", step.Version), step.Name)
	}
	return s
}

func parquetSurface(t *testing.T) surface {
	s := surface{}
	for _, f := range parquet.SchemaOf(export.Row{}).Fields() {
		detail := "map of text"
		if f.Leaf() {
			detail = f.Type().String()
		}
		if f.Optional() {
			detail += " optional"
		}
		s.add(t, f.Name(), detail)
	}
	return s
}

// jsonSchema is the part of a JSON Schema that describes fields.
type jsonSchema struct {
	Type       any                    `json:"type"`
	Format     string                 `json:"format"`
	Enum       []any                  `json:"enum"`
	Required   []string               `json:"required"`
	Properties map[string]*jsonSchema `json:"properties"`
	Items      *jsonSchema            `json:"items"`
}

func (j *jsonSchema) detail() string {
	var words []string
	for _, word := range []any{j.Type, j.Format} {
		if word != nil && word != "" {
			words = append(words, fmt.Sprint(word))
		}
	}
	if j.Items != nil {
		words = append(words, "of "+j.Items.detail())
	}
	for _, v := range j.Enum {
		words = append(words, fmt.Sprintf("%q", v))
	}
	return strings.Join(words, " ")
}

// eventSurface has the fields of the JSON Schema of events. The types of package stream must have
// the same ones.
func eventSurface(t *testing.T) surface {
	s := surface{}
	s.add(t, "type "+stream.EventType, "")
	var root jsonSchema
	if err := json.Unmarshal(stream.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var visit func(prefix string, j *jsonSchema)
	visit = func(prefix string, j *jsonSchema) {
		for name, p := range j.Properties {
			detail := p.detail()
			if !slices.Contains(j.Required, name) {
				detail += " optional"
			}
			s.add(t, prefix+name, detail)
			names[prefix+name] = true
			visit(prefix+name+".", p)
			if p.Items != nil {
				visit(prefix+name+".", p.Items)
			}
		}
	}
	visit("", &root)
	code := surface{}
	addFields(t, code, "", stream.Data{})
	if inCode, inSchema := slices.Sorted(maps.Keys(code)), slices.Sorted(maps.Keys(names)); !slices.Equal(inCode, inSchema) {
		t.Errorf("the fields of stream.Data are %v; the schema has %v", inCode, inSchema)
	}
	return s
}
