package preflight

import (
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/internal/printable"
)

// Verdict is the outcome of a check.
type Verdict string

const (
	// Passed means that the check found no problem.
	Passed Verdict = "ok"
	// Warning means that recording works with a restriction.
	Warning Verdict = "warning"
	// Failed means that recording cannot work.
	Failed Verdict = "failed"
)

// Check is the result of one check.
type Check struct {
	Verdict Verdict `json:"status"`
	// Check is the name of the check, and Of the cluster or database that it examined.
	Check string `json:"check"`
	Of    string `json:"of,omitempty"`
	// Found is the finding. Remedy is the action that fixes it.
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// maxSkew is the maximum difference of clocks without a warning. An API server
// reports its clock in whole seconds.
const maxSkew = 2 * time.Second

// Findings collects the results of checks.
type Findings struct {
	Of  string
	All []Check
}

func (f *Findings) note(v Verdict, name, found, remedy string) {
	f.All = append(f.All, Check{v, name, f.Of, printable.OneLine(found), remedy})
}

// OK adds a check that passed.
func (f *Findings) OK(name, format string, args ...any) {
	f.note(Passed, name, fmt.Sprintf(format, args...), "")
}

// Fail adds an error, which contains its remedy.
func (f *Findings) Fail(name string, err error) { f.note(Failed, name, explain.Line(err), "") }

// clock compares a clock with the local one. uncertain bounds the error of at.
func (f *Findings) clock(at time.Time, uncertain time.Duration) {
	skew := time.Until(at).Round(time.Millisecond)
	switch {
	case skew.Abs() <= maxSkew+uncertain:
		f.OK("clock", "agrees with the local clock to %v", max(skew.Abs(), uncertain).Round(time.Millisecond))
	case skew > 0:
		f.note(Warning, "clock", fmt.Sprintf("is %v ahead of the local clock", skew), skewRemedy)
	default:
		f.note(Warning, "clock", fmt.Sprintf("is %v behind the local clock", -skew), skewRemedy)
	}
}

const skewRemedy = "synchronize both with NTP: times and durations in the history are wrong by as much"

// Access is the right of a check to write to the database. The check rolls back its writes.
type Access uint8

const (
	// ReadOnly checks write nothing.
	ReadOnly Access = iota
	// TryWrites checks write a row and roll it back.
	TryWrites
)

// Result returns an error if a check has failed.
func Result(all []Check) error {
	n := 0
	for _, c := range all {
		if c.Verdict == Failed {
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return errors.New("one check has failed")
	}
	return fmt.Errorf("%d checks have failed", n)
}
