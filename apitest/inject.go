package apitest

import (
	"fmt"
)

// Inject arms a fault. Faults that are due at the same point strike in the order in which they were injected.
//
// Errors: ErrFault if the fault has no Action, if counts are negative, or if 1,000 faults are already armed.
func (s *Server) Inject(f Fault) (*Injection, error) {
	switch {
	case f.Action.kind == actNothing:
		return nil, fmt.Errorf("%w: Action is not set", ErrFault)
	case f.After < 0 || f.Times < Always:
		return nil, fmt.Errorf("%w: After is %d and Times is %d", ErrFault, f.After, f.Times)
	}
	if f.Times == 0 {
		f.Times = 1
	}
	return s.faults.arm(f)
}
