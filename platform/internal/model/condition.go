package model

import "time"

// Condition is one condition of a filter on objects.
type Condition struct {
	// SQL refers to the row o of objects. Args are the arguments of its placeholders.
	SQL  string
	Args []any
	// Terms are terms of the transition index: an object that meets the condition has at
	// least one of them. Without terms the index cannot evaluate the condition.
	Terms []Term
}

// fieldIs returns the condition that a column of objects has a value.
func fieldIs(column, kind, value string) Condition {
	return Condition{column + " = ?", []any{value}, []Term{termOf(kind, "", value)}}
}

// rowIs returns the condition that a column of objects has one of several row IDs.
func rowIs(column, kind string, ids []int64) Condition {
	c := Condition{SQL: column + " IN " + inList(ids)}
	for _, id := range ids {
		c.Terms = append(c.Terms, numberTerm(kind, id))
	}
	return c
}

// join returns all conditions as SQL that begins with AND, and their arguments.
func join(conditions []Condition) (text string, args []any) {
	for i := range conditions {
		text += " AND " + conditions[i].SQL
		args = append(args, conditions[i].Args...)
	}
	return text, args
}

// CreatedSince selects objects that were created at a time or later.
func CreatedSince(at time.Time) Condition {
	return Condition{SQL: "o.created_at >= ?", Args: []any{Micros(at)}}
}
