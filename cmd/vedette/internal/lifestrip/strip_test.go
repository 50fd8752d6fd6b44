package lifestrip_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

var begin = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// life parses "Queued 5, Running 10, gap 3, Failed": states with minutes, and the end.
func life(t *testing.T, text string) (l lifestrip.Life) {
	t.Helper()
	at := begin
	for part := range strings.SplitSeq(text, ", ") {
		word, minutes, timed := strings.Cut(part, " ")
		if !timed {
			l.End = job.State(word)
			continue
		}
		d, err := time.ParseDuration(minutes + "m")
		if err != nil {
			t.Fatal(err)
		}
		s := lifestrip.Span{State: job.State(word), From: at, To: at.Add(d), Gap: word == "gap"}
		l.Spans, at = append(l.Spans, s), s.To
	}
	return l
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		life        string
		width       int
		want, ascii string
	}{
		{"Submitted 1", 12, "╌╌╌╌╌╌╌╌╌╌╌▏", "...........|"},
		{"Queued 30, Starting 5, Running 65", 20, "━━━━━━▚████████████▏", "------+############|"},
		{"Queued 30, Starting 5, Running 65, Succeeded", 20, "━━━━━▚████████████ ✓", "-----+############ v"},
		{"Queued 1, Running 1000, Failed", 10, "━███████ ✗", "-####### x"},
		{"Running 10, Restarting 0, Running 10, Aborted", 10, "████▌███ ■", "####!### a"},
		{"Running 10, gap 10, Running 10, Suspended 10", 13, "███╱╱╱███═══▏", "###///###===|"},
		{"Queued 10, Queued 10, Running 20, Deleted", 10, "━━━━████ ⊖", "----#### d"},
		{"Succeeded", 10, "         ✓", "         v"},
		{"Nonsense 5, Running 5", 9, "····████▏", "????####|"},
		{"Queued 0", 4, "━━━▏", "---|"},
		{"Running 1, Restarting 1, Running 5, Restarting 2, Running 9, Restarting 3, Running 1", 6, "█▌█▌█▏", "#!#!#|"},
		{"Queued 1, Starting 2, Running 3", 1, "▚█▏", "+#|"},
	} {
		if got := (lifestrip.Style{}).Draw(life(t, c.life), c.width); got != c.want {
			t.Errorf("%s in %d cells:\n got %q\nwant %q", c.life, c.width, got, c.want)
		}
		if got := (lifestrip.Style{ASCII: true}).Draw(life(t, c.life), c.width); got != c.ascii {
			t.Errorf("%s in %d cells, as ASCII:\n got %q\nwant %q", c.life, c.width, got, c.ascii)
		}
	}
}

func TestColors(t *testing.T) {
	l := life(t, "Queued 1, Running 1, Failed")
	for _, c := range []struct {
		style lifestrip.Style
		want  string
	}{
		{lifestrip.Style{Colors: lifestrip.Sixteen}, "\x1b[33m━━\x1b[0m\x1b[34m██\x1b[0m\x1b[31m ✗\x1b[0m"},
		{lifestrip.Style{Colors: lifestrip.Indexed}, "\x1b[38;5;221m━━\x1b[0m\x1b[38;5;33m██\x1b[0m\x1b[38;5;202m ✗\x1b[0m"},
		{lifestrip.Style{Colors: lifestrip.True}, "\x1b[38;2;243;197;88m━━\x1b[0m\x1b[38;2;59;137;251m██\x1b[0m\x1b[38;2;242;73;20m ✗\x1b[0m"},
		{lifestrip.Style{Colors: lifestrip.True, Light: true, ASCII: true}, "\x1b[38;2;193;134;0m--\x1b[0m\x1b[38;2;36;111;222m##\x1b[0m\x1b[38;2;205;51;11m x\x1b[0m"},
	} {
		if got := c.style.Draw(l, 6); got != c.want {
			t.Errorf("%+v:\n got %q\nwant %q", c.style, got, c.want)
		}
	}
}

func TestStyleOf(t *testing.T) {
	for _, c := range []struct {
		env     string
		colored bool
		want    lifestrip.Style
	}{
		{"LANG=en_US.UTF-8 TERM=xterm-256color COLORTERM=truecolor", true, lifestrip.Style{Colors: lifestrip.True}},
		{"LANG=en_US.UTF-8 TERM=xterm-256color", true, lifestrip.Style{Colors: lifestrip.Indexed}},
		{"LANG=en_US.utf8 TERM=xterm COLORFGBG=0;15", true, lifestrip.Style{Colors: lifestrip.Sixteen, Light: true}},
		{"LC_ALL=C LANG=en_US.UTF-8 TERM=xterm", true, lifestrip.Style{Colors: lifestrip.Sixteen, ASCII: true}},
		{"LANG=de_DE.ISO-8859-1 TERM=dumb", true, lifestrip.Style{ASCII: true}},
		{"TERM=xterm-256color NO_COLOR=1", true, lifestrip.Style{}},
		{"TERM=xterm-256color", false, lifestrip.Style{}},
	} {
		env := map[string]string{}
		for part := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(part, "=")
			env[name] = value
		}
		if got := lifestrip.StyleOf(func(name string) string { return env[name] }, c.colored); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.env, got, c.want)
		}
	}
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;]*m")

// glyphs are the glyphs of the states without colors.
var glyphs = map[job.State]rune{
	job.Submitted: '.', job.Queued: '-', job.Starting: '+', job.Running: '#', job.Suspended: '=', job.Restarting: '!', "gap": '/',
}

// TestStrips: a strip has its width in every style, keeps the order of the states, and
// shows each state that occurred if there is room.
func TestStrips(t *testing.T) {
	words := slices.Sorted(func(yield func(job.State) bool) {
		for word := range glyphs {
			if !yield(word) {
				return
			}
		}
	})
	testinput.Check(t, func(t *rapid.T) {
		var l lifestrip.Life
		at, states, order := begin, map[rune]bool{}, []rune{}
		for range rapid.IntRange(0, 60).Draw(t, "spans") {
			word := rapid.SampledFrom(words).Draw(t, "state")
			to := at.Add(time.Duration(rapid.SampledFrom([]int64{-1, 0, 1, 1e3, 1e9, 1e12, 1e15}).Draw(t, "length")))
			l.Spans = append(l.Spans, lifestrip.Span{State: word, From: at, To: to, Gap: word == "gap"})
			at = to
			states[glyphs[word]], order = true, append(order, glyphs[word])
		}
		l.End = rapid.SampledFrom([]job.State{"", job.Succeeded, job.Failed}).Draw(t, "end")
		width := rapid.IntRange(3, 40).Draw(t, "width")
		strip := lifestrip.Style{ASCII: true}.Draw(l, width)
		for colors := lifestrip.None; colors <= lifestrip.True; colors++ {
			for _, ascii := range []bool{true, false} {
				got := sequences.ReplaceAllString(lifestrip.Style{Colors: colors, ASCII: ascii}.Draw(l, width), "")
				if n := utf8.RuneCountInString(got); n != width {
					t.Fatalf("%q has %d cells, want %d", got, n, width)
				}
			}
		}
		bar := strip[:width-2]
		if l.End == "" {
			bar = strip[:width-1]
		}
		for i, r := range slices.Compact([]rune(strings.TrimSpace(bar))) {
			next := slices.Index(order, r)
			if next < 0 {
				t.Fatalf("%q: glyph %d is out of order", strip, i)
			}
			order = order[next:]
		}
		for r := range states {
			if len(states) <= len(bar) && !strings.ContainsRune(bar, r) {
				t.Fatalf("got the strip %q, want %q in it", strip, r)
			}
		}
	})
}
