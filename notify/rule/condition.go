package rule

// Condition is an expression in CEL over old and new, compiled.
type Condition struct{ text string }

// String returns the expression as it was written.
func (c *Condition) String() string { return c.text }

// Holds evaluates the expression.
//
// Errors: the evaluation failed or cost too much. A label that is missing is no error:
// the expression does not hold.
func (c *Condition) Holds(in *Input) (bool, error) { return false, nil }
