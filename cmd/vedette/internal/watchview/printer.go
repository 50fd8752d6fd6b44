package watchview

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// Format prints changes in the format of the flags. All types share it, and therefore the
// widths of the columns.
type Format struct {
	opts *Options
	con  *console.Console
	// status returns the state of an object.
	status func(object map[string]any) job.Status
	body   func(p *printer, ev informer.Event[Object], obj *Object) (string, error) // nil: lines
	write  func(text string) error                                                  // of a body

	// widths are minimum widths of columns beside those of minWidths.
	widths map[string]int

	mu     sync.Mutex
	layout *table.Table // nil until the header is due
}

// printer prints the changes of one type.
type printer struct {
	*Format
	resource kube.Resource
	pods     *podStates // of jobs; nil for other types
}

// ForPeople reports whether changes are printed as lines of columns.
func (f *Format) ForPeople() bool { return f.body == nil }

// Widen sets minimum widths of columns, by their names.
func (f *Format) Widen(widths map[string]int) { f.widths = widths }

// of returns the printer of a type.
func (f *Format) of(r kube.Resource) *printer { return &printer{Format: f, resource: r} }

// event prints one change. If the object cannot be shown, event prints a note instead,
// because later objects may be fine.
//
// Errors: those of the output.
func (p *printer) event(ev informer.Event[Object], at time.Time) error {
	if p.opts.sinceNow && ev.Initial() {
		return nil
	}
	err := p.change(ev, at)
	var unshown *unshownError
	if errors.As(err, &unshown) {
		p.con.Say("%s  %s %s cannot be shown: %v", units.Clock(at), p.resource.String(), ev.Key(), unshown.err)
		return nil
	}
	return err
}

// unshownError is the reason why an object cannot be shown.
type unshownError struct{ err error }

// Error implements error.
func (e *unshownError) Error() string { return e.err.Error() }

func (p *printer) change(ev informer.Event[Object], at time.Time) error {
	obj, err := ev.Object()
	if err != nil {
		return &unshownError{err}
	}
	// The items of a list of a built-in type have no apiVersion and kind.
	obj.SetAPIVersion(p.resource.APIVersion())
	obj.SetKind(p.resource.Kind)
	if p.body != nil {
		text, err := p.body(p, ev, obj)
		if err != nil {
			return &unshownError{err}
		}
		return p.write(text)
	}
	old, ok, err := ev.Old()
	if err != nil {
		return &unshownError{err}
	}
	if ok {
		old.SetAPIVersion(p.resource.APIVersion())
		old.SetKind(p.resource.Kind)
	}
	return p.line(ev, old, obj, at)
}

// line prints a change as a line of columns.
func (p *printer) line(ev informer.Event[Object], old, obj *Object, at time.Time) error {
	if p.pods != nil {
		p.pods.mu.Lock()
		defer p.pods.mu.Unlock()
	}
	change, last, why := p.transition(ev, old, obj)
	return p.row(ev, eventName(ev.Kind()), change, last, why, at)
}

// row prints a line about the object of an event.
func (p *printer) row(ev informer.Event[Object], event, change string, last job.State, why string, at time.Time) error {
	columns := []string{units.Clock(at), p.resource.String(), ev.Key().String(), change}
	names := []string{"TIME", "TYPE", "NAME", "STATE"}
	if p.opts.events {
		columns = append([]string{event}, columns...)
		names = append([]string{"EVENT"}, names...)
	}
	if p.opts.output == "wide" {
		columns = append(columns, ev.Version().String(), ev.UID())
		names = append(names, "VERSION", "UID")
	}
	columns, names = append(columns, why), append(names, "REASON")

	p.mu.Lock()
	defer p.mu.Unlock()
	text := ""
	if p.layout == nil {
		var widths []int
		for _, name := range names {
			widths = append(widths, max(minWidths[name], p.widths[name]))
		}
		p.layout = table.New(widths...)
		if !p.opts.noHeaders {
			text = p.layout.Row(names...)
		}
	}
	if !p.con.Colors {
		return p.con.Print(text + p.layout.Row(columns...))
	}
	state := slices.Index(names, "STATE")
	return p.con.Styled(text + p.layout.Styled(func(column int, padded string) string {
		if column == state {
			padded = listing.PaintState(padded, last)
		}
		return padded
	}, columns...))
}

// minWidths are the minimum widths of the columns, by name.
var minWidths = map[string]int{"EVENT": 8, "TIME": 12, "TYPE": 10, "NAME": 32, "STATE": 22, "VERSION": 8, "UID": 36}

// transition returns the old and new state of an object, and the reason.
func (p *printer) transition(ev informer.Event[Object], old, obj *Object) (change string, last job.State, why string) {
	now := p.status(obj.Object)
	var before job.Status
	known := false
	if p.pods != nil {
		now, before, known = p.pods.see(ev, obj, now, func(change string, last job.State, why string, at time.Time) error {
			return p.row(ev, eventName(store.Updated), change, last, why, at)
		})
	}
	why = now.Reason
	if ev.Kind() == store.Deleted {
		now, why = job.Status{State: job.Deleted}, ""
		if ev.Missed() {
			why = "found gone"
		}
	}
	to := now.String()
	if to == "" {
		to = "-"
	}
	if old == nil {
		return to, now.State, why
	}
	if !known {
		before = p.status(old.Object)
	}
	from := before.String()
	if from == "" || from == to {
		return to, now.State, why
	}
	return from + " -> " + to, now.State, why
}

func eventName(k store.ChangeKind) string {
	switch k {
	case store.Added:
		return "ADDED"
	case store.Updated:
		return "MODIFIED"
	}
	return "DELETED"
}
