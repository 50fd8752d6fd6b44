package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Label is a label of an object.
type Label struct {
	ObjectID    int64
	Name, Value string
}

// InsertLabels inserts labels. The objects must have no stored labels.
func InsertLabels(ctx context.Context, tx *sqldb.Tx, all []Label) error {
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = []any{all[i].ObjectID, all[i].Name, all[i].Value}
	}
	if err := tx.Insert(ctx, "labels", []string{"object_id", "name", "value"}, rows); err != nil {
		return fmt.Errorf("table labels: %w", err)
	}
	return nil
}

// DeleteLabels deletes all labels of objects.
func DeleteLabels(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	if _, err := execIn(ctx, tx, "DELETE FROM labels WHERE object_id IN ", objects); err != nil {
		return fmt.Errorf("table labels: %w", err)
	}
	return nil
}

// ReadLabels returns the labels of an object.
func ReadLabels(ctx context.Context, q sqldb.Querier, object int64) (map[string]string, error) {
	labels := map[string]string{}
	err := q.Query(ctx, "SELECT name, value FROM labels WHERE object_id = ?", []any{object}, func(rows *sql.Rows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		labels[name] = value
		return err
	})
	return labels, err
}

// LabelsOf returns the labels of objects by their row IDs. Objects without labels have no
// entry.
func LabelsOf(ctx context.Context, q sqldb.Querier, objects []int64) (map[int64]map[string]string, error) {
	all := map[int64]map[string]string{}
	err := queryIn(ctx, q, "SELECT object_id, name, value FROM labels WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var object int64
		var name, value string
		if err := rows.Scan(&object, &name, &value); err != nil {
			return err
		}
		if all[object] == nil {
			all[object] = map[string]string{}
		}
		all[object][name] = value
		return nil
	})
	return all, err
}

// Labeled is the condition that an object has a label with one of several values, or had it before
// its deletion. No values mean any value.
func Labeled(name string, values ...string) Condition {
	c := Condition{SQL: "EXISTS (" + labelRows(values) + ")", Args: labelArgs(name, values)}
	for _, value := range values {
		c.Terms = append(c.Terms, termOf(byLabel, name, value))
	}
	return c
}

// Unlabeled is the opposite of Labeled: it includes objects that lack the label.
func Unlabeled(name string, values ...string) Condition {
	return Condition{SQL: "NOT EXISTS (" + labelRows(values) + ")", Args: labelArgs(name, values)}
}

func labelRows(values []string) string {
	text := "SELECT 1 FROM labels l WHERE l.object_id = o.id AND l.name = ?"
	if len(values) > 0 {
		text += " AND l.value IN " + sqldb.Placeholders(len(values))
	}
	return text
}

func labelArgs(name string, values []string) []any {
	args := []any{name}
	for _, value := range values {
		args = append(args, value)
	}
	return args
}
