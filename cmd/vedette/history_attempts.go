package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/history"
)

// attemptColumns are the columns of a chain of attempts.
var attemptColumns = listing.Columns{
	Always: []string{"ATTEMPT", "NAME", "STATE", "RAN", "SUBMITTER", "WHY", "CHANGED"},
	Wide:   []string{"UID"},
}

// printAttempts prints the chain of attempts that a job belongs to, unless it is the only one.
// It prints nothing in formats for programs, whose items are transitions.
func printAttempts(ctx context.Context, h *source.History, obj history.Object, con *console.Console, output listing.Flags) error {
	lp, err := listing.NewPrinter(con, output, attemptColumns)
	if err != nil || !lp.ForPeople() {
		return err
	}
	chain, err := h.Attempts(ctx, obj)
	if err != nil || len(chain) < 2 {
		return err
	}
	lp.Titled = true // a line between the tables
	if err := lp.Title("attempts"); err != nil {
		return err
	}
	for _, a := range chain {
		why := a.Reason + " " + printable.OneLine(a.Message)
		err := lp.Add(listing.Item{
			Cells: []string{
				strconv.Itoa(a.Number), a.Object.Name, label(string(a.State), a.Object.Raw), units.Duration(a.Ran), a.Object.Submitter, strings.TrimSpace(why), changedText(&a),
				a.Object.UID,
			},
			Name: source.NameOf(a.Object),
		})
		if err != nil {
			return err
		}
	}
	return lp.End()
}

// maxChanged is the maximum number of changes of an attempt in a table.
const maxChanged = 3

// changedText describes the changes of an attempt.
func changedText(a *history.Attempt) string {
	switch {
	case a.RetryOf == "":
		return ""
	case !a.Compared:
		return "not recorded"
	case len(a.Changes) == 0:
		return "nothing"
	}
	var parts []string
	for i, c := range a.Changes {
		if i == maxChanged {
			parts = append(parts, fmt.Sprintf("and %d more", len(a.Changes)-maxChanged))
			break
		}
		switch {
		case c.New == "":
			parts = append(parts, "without "+c.Path)
		case c.Old == "":
			parts = append(parts, c.Path+"="+c.New)
		default:
			parts = append(parts, fmt.Sprintf("%s=%s (was %s)", c.Path, c.New, c.Old))
		}
	}
	return printable.OneLine(strings.Join(parts, ", "))
}
