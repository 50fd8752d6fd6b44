package delivery

import (
	"context"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// plannedMark is the mark with the planned rules.
const plannedMark = "planned-rules"

// PlannedRules are the rules with timers of the planner that has planned last. A planner with
// other rules replaces them before it plans. So while they stay the same, no planner without
// these rules has planned.
type PlannedRules struct {
	// Changes is how often planners have replaced the rules. It is 0 before the first planner.
	Changes int64
	// Hash identifies the rules.
	Hash string
}

// ReadPlannedRules returns the planned rules.
//
// Errors: those of the database.
func ReadPlannedRules(ctx context.Context, q sqldb.Querier) (PlannedRules, error) {
	text, err := Mark(ctx, q, plannedMark)
	changes, hash, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseInt(changes, 10, 64) // a damaged mark is that of no planner
	return PlannedRules{n, hash}, err
}

// SetPlannedRules replaces the planned rules, unless they are the same. Call it in the
// transaction of a planner that excludes the others.
//
// Errors: those of the database.
func SetPlannedRules(ctx context.Context, tx *sqldb.Tx, hash string) error {
	last, err := ReadPlannedRules(ctx, tx)
	if err != nil || last.Changes > 0 && last.Hash == hash {
		return err
	}
	return SetMark(ctx, tx, plannedMark, strconv.FormatInt(last.Changes+1, 10)+" "+hash)
}
