package words

import (
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Speaker writes sentences in one language.
type Speaker struct {
	words map[string]string
	// separator of sentences
	space string
}

var speakers = map[string]*Speaker{
	"en": {words: english, space: " "},
	"zh": {words: chinese},
}

// Of returns the speaker of a language. An unknown language is English.
func Of(language string) *Speaker {
	if s := speakers[language]; s != nil {
		return s
	}
	return speakers["en"]
}

// Say returns the sentence of a key. named are names of placeholders and their values,
// alternating. A value is inserted unchanged, so the text of a user cannot insert a
// placeholder.
func (s *Speaker) Say(key string, named ...string) string {
	var b strings.Builder
	rest := s.words[key]
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, tail, _ := strings.Cut(after, "}")
		for i := 0; i+1 < len(named); i += 2 {
			if named[i] == name {
				b.WriteString(named[i+1])
			}
		}
		rest = tail
	}
}

// Count returns a number with its noun: "1 job", "1,284 jobs".
func (s *Speaker) Count(noun string, n int64) string {
	key := noun + ".many"
	if n == 1 {
		key = noun + ".one"
	}
	return s.Say(key, "n", Thousands(n))
}

// Nth returns a place in a line: "7th".
func (s *Speaker) Nth(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return s.Say("nth", "n", Thousands(int64(n)), "suffix", suffix)
}

// Amount returns an amount of a resource: "32 GPUs", "480 GiB", "4 of example.com/nic".
func (s *Speaker) Amount(resource string, n int64) string {
	switch {
	case job.IsGPU(resource):
		return s.Count("gpu", n)
	case resource == "cpu":
		return s.Count("core", n)
	case resource == "memory":
		return job.Bytes(n)
	}
	return s.Say("amount", "n", Thousands(n), "resource", resource)
}

// Percent returns a fraction as percent: "83 %". It rounds down, so a value below a limit never
// looks equal to it.
func (s *Speaker) Percent(share float64) string {
	return s.Say("percent", "n", strconv.Itoa(int(share*100)))
}

// Join joins the sentences that are not empty.
func (s *Speaker) Join(sentences ...string) string {
	var all []string
	for _, one := range sentences {
		if one != "" {
			all = append(all, one)
		}
	}
	return strings.Join(all, s.space)
}

// List joins the items of a list within a sentence.
func (s *Speaker) List(items []string) string { return strings.Join(items, s.words["comma"]) }

// Thousands returns a number with a comma between groups of three digits.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Span returns a duration in at most two units: "2h 14m". It is the same in all languages.
func Span(d time.Duration) string {
	units := []struct {
		size  time.Duration
		name  string
		width int
	}{{24 * time.Hour, "d", 1}, {time.Hour, "h", 2}, {time.Minute, "m", 2}, {time.Second, "s", 2}}
	for i, u := range units {
		if d < u.size {
			continue
		}
		text := Thousands(int64(d/u.size)) + u.name
		if i+1 < len(units) && d%u.size >= units[i+1].size {
			second := strconv.FormatInt(int64(d%u.size/units[i+1].size), 10)
			text += " " + strings.Repeat("0", max(0, units[i+1].width-len(second))) + second + units[i+1].name
		}
		return text
	}
	return "0s"
}
