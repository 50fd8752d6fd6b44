package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/record/history"
)

// attemptColumns are the columns of a chain of attempts.
var attemptColumns = columns{
	always: []string{"ATTEMPT", "NAME", "STATE", "RAN", "SUBMITTER", "WHY", "CHANGED"},
	wide:   []string{"UID"},
}

// printAttempts prints the chain of attempts that a job belongs to, unless it is the only one.
// It prints nothing in formats for programs, whose items are transitions.
func printAttempts(ctx context.Context, h *historyReader, obj history.Object, con *console, output listFlags) error {
	lp, err := newListPrinter(con, output, attemptColumns)
	if err != nil || !lp.forPeople() {
		return err
	}
	chain, err := h.Attempts(ctx, obj)
	if err != nil || len(chain) < 2 {
		return err
	}
	lp.titled = true // a line between the tables
	if err := lp.title("attempts"); err != nil {
		return err
	}
	for _, a := range chain {
		why := a.Reason + " " + oneLine(a.Message)
		err := lp.add(line{
			cells: []string{
				strconv.Itoa(a.Number), a.Object.Name, label(string(a.State), a.Object.Raw), length(a.Ran), a.Object.Submitter, strings.TrimSpace(why), changedText(&a),
				a.Object.UID,
			},
			name: nameOf(a.Object),
		})
		if err != nil {
			return err
		}
	}
	return lp.end()
}

// maxChanged is how many changes of an attempt a table shows.
const maxChanged = 3

// changedText says what an attempt changed.
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
	return oneLine(strings.Join(parts, ", "))
}
