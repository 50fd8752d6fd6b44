package jobfilter

import (
	"slices"
	"strings"
	"time"
)

// Test is a compiled term. It is immutable and safe for concurrent use.
type Test struct {
	op      Op
	texts   []pattern // text values, or names of labels
	values  []pattern // values of labels; without parts: any value
	fold    bool      // ignore case
	numbers []int64
	times   []interval
}

// Compile returns the test of a term. Ages and times of today are relative to now. Values
// that Parse rejects match nothing.
func (t Term) Compile(now time.Time) *Test {
	c := &Test{op: t.Op}
	k, _ := kindOf(t.Key)
	c.fold = k == stateKind || t.Key == Kind
	for _, v := range t.Values {
		switch k {
		case textKind, stateKind, flagKind:
			if c.fold {
				v = strings.ToLower(v)
			}
			c.texts = append(c.texts, newPattern(v))
		case labelKind:
			name, value, has := strings.Cut(v, "=")
			of := pattern{}
			if has {
				of = newPattern(value)
			}
			c.texts, c.values = append(c.texts, newPattern(name)), append(c.values, of)
		case numberKind:
			if n, err := parseNumber(v); err == nil {
				c.numbers = append(c.numbers, n)
			}
		case durationKind, windowKind:
			if d, err := parseDuration(v); err == nil {
				c.numbers = append(c.numbers, d.Microseconds())
			}
		case timeKind:
			if i, err := parseTime(v, now); err == nil {
				c.times = append(c.times, i)
			}
		}
	}
	return c
}

// Text reports whether a text passes a term with a text key.
func (c *Test) Text(text string) bool {
	if c.fold {
		text = strings.ToLower(text)
	}
	return slices.ContainsFunc(c.texts, func(p pattern) bool { return p.matches(text) }) == (c.op == Is)
}

// Label reports whether a term with the key Label names a label and its value.
func (c *Test) Label(name, value string) bool {
	for i, p := range c.texts {
		if p.matches(name) && (c.values[i].parts == nil || c.values[i].matches(value)) {
			return true
		}
	}
	return false
}

// Names reports whether a term with the key Label may name a label with this name.
func (c *Test) Names(name string) bool {
	return slices.ContainsFunc(c.texts, func(p pattern) bool { return p.matches(name) })
}

// Labels reports whether labels pass a term with the key Label.
func (c *Test) Labels(labels map[string]string) bool {
	found := false
	for name, value := range labels {
		found = found || c.Label(name, value)
	}
	return found == c.Wanted()
}

// Wanted reports whether the term requires its values, instead of excluding them.
func (c *Test) Wanted() bool { return c.op == Is }

// Number reports whether a number passes a term on GPUs, pods or tries, or a duration in
// microseconds. An unknown number passes only a term that excludes.
func (c *Test) Number(n int64, known bool) bool {
	if !known {
		return c.op == Not
	}
	switch c.op {
	case Is, Not:
		return slices.Contains(c.numbers, n) == (c.op == Is)
	}
	for _, limit := range c.numbers {
		switch {
		case c.op == Greater && n <= limit, c.op == AtLeast && n < limit, c.op == Less && n >= limit, c.op == AtMost && n > limit:
			return false
		}
	}
	return len(c.numbers) > 0
}

// Duration is like Number, for a duration. Is and Not compare whole seconds.
func (c *Test) Duration(d time.Duration) bool {
	if c.op == Is || c.op == Not {
		d = d.Truncate(time.Second)
	}
	return c.Number(d.Microseconds(), true)
}

// Time reports whether an instant in microseconds since 1970 passes. 0 means no instant,
// and passes only a term that excludes.
func (c *Test) Time(at int64) bool {
	if at == 0 {
		return c.op == Not
	}
	switch c.op {
	case Is, Not:
		return slices.ContainsFunc(c.times, func(i interval) bool { return i.holds(Is, at) }) == (c.op == Is)
	}
	for _, i := range c.times {
		if !i.holds(c.op, at) {
			return false
		}
	}
	return len(c.times) > 0
}

// Window returns the longest duration of a term with the key Window.
func (c *Test) Window() time.Duration {
	if len(c.numbers) == 0 {
		return 0
	}
	return time.Duration(slices.Max(c.numbers)) * time.Microsecond
}

// Words is the compiled form of the words of a filter.
type Words struct{ wanted, unwanted []pattern }

// CompileWords returns the test of the words.
func (f Filter) CompileWords() Words {
	var w Words
	for _, word := range f.Words {
		if rest, not := strings.CutPrefix(word, "!"); not {
			w.unwanted = append(w.unwanted, newPattern(rest))
		} else {
			w.wanted = append(w.wanted, newPattern(word))
		}
	}
	return w
}

// Name reports whether a name has all words, in any case.
func (w Words) Name(name string) bool { return w.Lower(strings.ToLower(name)) }

// Lower is like Name, for a name without capital letters.
func (w Words) Lower(name string) bool {
	for _, p := range w.wanted {
		if !p.within(name) {
			return false
		}
	}
	return !slices.ContainsFunc(w.unwanted, func(p pattern) bool { return p.within(name) })
}
