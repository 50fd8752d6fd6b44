package rules

import (
	"strings"
	"sync/atomic"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/vedette-io/vedette/job"
)

// Rules are the rules of a file. The zero value has no rules.
type Rules struct {
	types  map[string][]clause // by group and kind
	kinds  []*job.Kind         // of the rules with a resource
	failed atomic.Uint64
}

// clause is one of the states of a type.
type clause struct {
	when                 cel.Program
	state                job.State
	raw, reason, message cel.Program // nil if not set
	at                   cel.Program
}

// Of returns the status of an object with the given fields, as in JSON. A cancelled job is
// Aborted, as in job.Cancelled, whatever the result of its rule. r may be nil.
func (r *Rules) Of(object map[string]any) job.Status {
	if r == nil || len(r.types) == 0 {
		return job.ReadStatus(object)
	}
	name := job.Object(object).Type()
	for _, k := range r.kinds {
		if k.Group+"/"+k.Name == name {
			return k.ReadStatus(object)
		}
	}
	if s, told := r.clauseOf(name, object); told {
		return job.Cancelled(object, s)
	}
	return job.ReadStatus(object)
}

// Define makes the kinds of the file known to package job, so that the whole program treats
// their objects as jobs. A program calls it once, when it starts.
//
// Errors: a kind that is built in.
func (r *Rules) Define() error {
	all := make([]job.Kind, len(r.kinds))
	for i, k := range r.kinds {
		all[i] = *k
	}
	return job.Define(all...)
}

// statusOf returns the rule of a type. The status of an object that no clause fits is that of
// otherwise.
func (r *Rules) statusOf(name string, otherwise func(job.Object) job.Status) func(job.Object) job.Status {
	return func(o job.Object) job.Status {
		if s, told := r.clauseOf(name, o); told {
			return s
		}
		return otherwise(o)
	}
}

// clauseOf returns the status by the first clause of a type whose condition is true.
func (r *Rules) clauseOf(name string, object map[string]any) (job.Status, bool) {
	for _, c := range r.types[name] {
		if !r.holds(c.when, object) {
			continue
		}
		s := job.Status{State: c.state, Raw: r.text(c.raw, object), Reason: r.text(c.reason, object), Message: r.text(c.message, object), At: r.moment(c.at, object)}
		if c.raw == nil {
			s.Raw = job.Object(object).Text("status", "phase")
		}
		return s, true
	}
	return job.Status{}, false
}

// Failed is the number of evaluations that failed for other reasons than a missing field or
// item, such as a number instead of a text, or a cost beyond the limit.
func (r *Rules) Failed() uint64 { return r.failed.Load() }

// Types returns the types that have rules, as "kind.group", in no order.
func (r *Rules) Types() []string {
	var names []string
	for name := range r.types {
		group, kind, _ := strings.Cut(name, "/")
		names = append(names, strings.TrimSuffix(kind+"."+group, "."))
	}
	return names
}

func (r *Rules) holds(p cel.Program, object map[string]any) bool {
	out, _, err := p.Eval(map[string]any{"object": object})
	if err != nil {
		r.note(err)
		return false
	}
	yes, ok := out.Value().(bool)
	if !ok {
		r.failed.Add(1)
	}
	return ok && yes
}

func (r *Rules) text(p cel.Program, object map[string]any) string {
	if p == nil {
		return ""
	}
	out, _, err := p.Eval(map[string]any{"object": object})
	if err != nil {
		r.note(err)
		return ""
	}
	text, ok := out.ConvertToType(types.StringType).Value().(string)
	if !ok {
		r.failed.Add(1)
	}
	return text
}

// moment evaluates an expression that is a timestamp, or a text with one.
func (r *Rules) moment(p cel.Program, object map[string]any) time.Time {
	if p == nil {
		return time.Time{}
	}
	out, _, err := p.Eval(map[string]any{"object": object})
	if err != nil {
		r.note(err)
		return time.Time{}
	}
	switch v := out.Value().(type) {
	case time.Time:
		return v.UTC()
	case string:
		at, err := time.Parse(time.RFC3339Nano, v)
		if err == nil {
			return at.UTC()
		}
		if v == "" {
			return time.Time{}
		}
	}
	r.failed.Add(1)
	return time.Time{}
}

// note counts a failure, except a missing field or item, which is normal. CEL has no error
// type for it.
func (r *Rules) note(err error) {
	if text := err.Error(); !strings.Contains(text, "no such key") && !strings.Contains(text, "index out of bounds") {
		r.failed.Add(1)
	}
}
