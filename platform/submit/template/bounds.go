package template

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

var errEmpty = errors.New("is empty")

// check reports whether a value of the parameter's Go type is allowed.
func (p *Parameter) check(v any) error {
	switch v := v.(type) {
	case string:
		return p.checkString(v)
	case int64:
		return p.within(v, "")
	case float64:
		return p.withinFloat(v)
	case []string:
		if err := p.within(int64(len(v)), "items"); err != nil {
			return err
		}
		if p.Required && len(v) == 0 {
			return errEmpty
		}
		if len(v) > maxItems {
			return fmt.Errorf("has %d items; at most %d are allowed", len(v), maxItems)
		}
		for i, item := range v {
			if err := p.checkText(item); err != nil {
				return fmt.Errorf("item %d %w", i+1, err)
			}
		}
	case map[string]string:
		if err := p.within(int64(len(v)), "entries"); err != nil {
			return err
		}
		if p.Required && len(v) == 0 {
			return errEmpty
		}
		if len(v) > maxItems {
			return fmt.Errorf("has %d entries; at most %d are allowed", len(v), maxItems)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "" || !isText(name) || len(name) > maxText {
				return fmt.Errorf("has the name %s, which is empty, too long, or has control characters", clip(name))
			}
			if err := p.checkText(v[name]); err != nil {
				return fmt.Errorf("entry %s %w", clip(name), err)
			}
		}
	}
	return nil
}

func (p *Parameter) checkString(v string) error {
	switch p.Type {
	case Quantity:
		return p.checkQuantity(v)
	case Choice:
		if !slices.Contains(p.Choices, v) {
			return fmt.Errorf("must be %s, not %s", p.wants(), clip(v))
		}
		return nil
	}
	if err := p.checkText(v); err != nil {
		return err
	}
	if p.Required && strings.TrimSpace(v) == "" {
		return errEmpty
	}
	return p.within(int64(utf8.RuneCountInString(v)), "characters")
}

func (p *Parameter) checkText(v string) error {
	switch {
	case len(v) > maxText:
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(v), maxText)
	case !isText(v):
		return fmt.Errorf("has control characters, or is not UTF-8: %s", clip(v))
	case p.pattern != nil && !p.pattern.MatchString(v):
		return fmt.Errorf("is %s, which does not match %s", clip(v), p.Pattern)
	}
	return nil
}

func (p *Parameter) checkQuantity(v string) error {
	q, ok := parseQuantity(v)
	if !ok {
		return fmt.Errorf("must be %s, not %s", p.wants(), clip(v))
	}
	if bound, ok := p.Min.(string); ok {
		if low, _ := parseQuantity(bound); q.Cmp(low) < 0 {
			return fmt.Errorf("is %s; the least is %s", v, bound)
		}
	}
	if bound, ok := p.Max.(string); ok {
		if high, _ := parseQuantity(bound); q.Cmp(high) > 0 {
			return fmt.Errorf("is %s; the most is %s", v, bound)
		}
	}
	return nil
}

// within checks a number, or the number of items of a value.
func (p *Parameter) within(n int64, of string) error {
	verb, unit := "is", ""
	if of != "" {
		verb, unit = "has", " "+of
	}
	return bounded(n, p.Min, p.Max, func(side string, bound any) error {
		return fmt.Errorf("%s %d%s; the %s is %v", verb, n, unit, side, bound)
	})
}

func (p *Parameter) withinFloat(f float64) error {
	return bounded(f, p.Min, p.Max, func(side string, bound any) error {
		return fmt.Errorf("is %v; the %s is %v", f, side, bound)
	})
}

func bounded[T cmp.Ordered](v T, low, high any, fail func(side string, bound any) error) error {
	if low, ok := low.(T); ok && v < low {
		return fail("least", low)
	}
	if high, ok := high.(T); ok && v > high {
		return fail("most", high)
	}
	return nil
}
