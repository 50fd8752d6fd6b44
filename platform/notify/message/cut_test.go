package message_test

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limit      message.Limit
		end, mid   string
	}{
		{"fits", "abc", message.Limit{Bytes: 3}, "abc", "abc"},
		{"bytes", "abcdef", message.Limit{Bytes: 5}, "ab…", "a…f"},
		{"runes", "abcdefgh", message.Limit{Runes: 5}, "abcd…", "abc…h"},
		{"columns", "内存超过上限", message.Limit{Columns: 7}, "内存超…", "内存…限"},
		{"never inside a character", "内内", message.Limit{Bytes: 5}, "…", "…"},
		{"never inside an escape", `ab\u202ecd`, message.Limit{Runes: 8}, `ab…`, `ab…d`},
		{"never between a letter and its mark", "ae\u0301bcd", message.Limit{Runes: 4}, "ae\u0301…", "a…d"},
		{"the channel's escapes count", "a<<<<", message.Limit{Bytes: 8, Escape: html.EscapeString}, "a&lt;…", "a…&lt;"},
		{"nothing fits", "abc", message.Limit{Bytes: 2}, "", ""},
		{"no limit", "abc", message.Limit{}, "abc", "abc"},
	} {
		if got := c.limit.Cut(c.text); got != c.end {
			t.Errorf("%s: %q, want %q", c.name, got, c.end)
		}
		if got := c.limit.CutMiddle(c.text); got != c.mid {
			t.Errorf("%s, the middle: %q, want %q", c.name, got, c.mid)
		}
	}
}

// TestCutKeepsToTheLimit compares with a simple implementation that tries every length.
func TestCutKeepsToTheLimit(t *testing.T) {
	double := func(text string) string { return strings.ReplaceAll(html.EscapeString(text), "a", "a\u200b") }
	testinput.Check(t, func(t *rapid.T) {
		text := message.Clean(hostileText.Draw(t, "text"))
		l := message.Limit{
			Bytes: rapid.IntRange(0, 300).Draw(t, "bytes"), Runes: rapid.IntRange(0, 100).Draw(t, "runes"), Columns: rapid.IntRange(0, 100).Draw(t, "columns"),
			Escape: rapid.SampledFrom([]func(string) string{nil, html.EscapeString, double}).Draw(t, "escape"),
		}
		plain := message.Limit{Bytes: l.Bytes, Runes: l.Runes, Columns: l.Columns}
		for _, got := range []string{l.Cut(text), l.CutMiddle(text)} {
			if !plain.Fits(got) || !utf8.ValidString(got) {
				t.Fatalf("%q is %q, which does not fit %+v", text, got, plain)
			}
			if got == "" && text != "" && l.Fits("…") {
				t.Fatalf("nothing is left of %q", text)
			}
		}
		if l.Escape != nil {
			return
		}
		cut := l.Cut(text)
		if rest, ok := strings.CutSuffix(cut, "…"); ok && !strings.HasPrefix(text, rest) {
			t.Fatalf("%q became %q, want its beginning and an ellipsis", text, cut)
		}
		for n := len(text); n > len(cut) && cut != text; n-- { // no longer prefix of whole atoms fits
			if utf8.RuneStart(text[min(n, len(text)-1)]) && plain.Fits(text[:n]+"…") && !strings.ContainsAny(text, "\\\u200d\u0301\ufe0f") && onlyASCII(text) {
				t.Fatalf("%q is %q, but %d bytes fit", text, cut, n)
			}
		}
	})
}

func onlyASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// size is the size of a message in the channel of the test.
func size(m *message.Message) int { return len(message.Plain(m, 0)) }

// TestFit: the result fits if any version can, parts are cut in the documented order, and
// the state, the reason and the links stay.
func TestFit(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(message.Kinds()).Draw(t, "kind")
		n := full(kind)
		n.Job.Name = strings.Repeat("train-", rapid.IntRange(1, 40).Draw(t, "name"))
		m, err := message.Compose(&n, options("en"))
		if err != nil {
			t.Fatal(err)
		}
		before := message.Plain(m, 0)
		limit := rapid.IntRange(0, len(before)+10).Draw(t, "limit")
		got := message.Fit(m, func(m *message.Message) bool { return size(m) <= limit })
		if message.Plain(m, 0) != before {
			t.Fatal("the message has changed")
		}
		if size(m) <= limit && got != m {
			t.Fatal("a message that fits was copied")
		}
		least := message.Fit(m, func(*message.Message) bool { return false })
		if size(got) > limit && size(got) > size(least) {
			t.Fatalf("%d bytes, limit %d, least %d", size(got), limit, size(least))
		}
		if len(got.Facts) < len(m.Facts) && len(got.Log) > 0 {
			t.Fatal("facts were cut before the log")
		}
		if got.Sentence == got.ShortSentence && got.Sentence != m.Sentence && len(got.Facts) > 0 {
			t.Fatal("optional parts were cut before facts")
		}
		if !strings.HasPrefix(got.Title, strings.SplitN(m.ShortTitle, ":", 2)[0]) || len(got.Buttons) != len(m.Buttons) || got.Footer != m.Footer {
			t.Fatalf("the state, the reason or a link was cut: %q", got.Title)
		}
		if got != m && len(got.Truncated) == 0 {
			t.Fatal("the message does not say what was cut")
		}
	})
}

func TestFitDigest(t *testing.T) {
	var items []message.Notice
	for i := range 40 {
		n := full([]message.Kind{message.Failed, message.Succeeded}[i%2])
		n.Job.UID, n.Job.Name = strings.Repeat("u", i+1), "train-"+strings.Repeat("7", i%20+1)
		items = append(items, n)
	}
	m, err := message.ComposeDigest(items, at("09:42:00"), at("10:42:00"), options("en"))
	if err != nil {
		t.Fatal(err)
	}
	rows := func(m *message.Message, section int) int {
		if section >= len(m.Sections) {
			return 0
		}
		return len(m.Sections[section].Rows)
	}
	some := message.Fit(m, func(m *message.Message) bool { return rows(m, 0)+rows(m, 1) <= 26 })
	if rows(some, 0) != 20 || rows(some, 1) != 6 || some.More != "and 14 more" || len(some.Items) != 26 || some.Sections[1].Count != 20 || len(some.Data().Jobs) != 26 {
		t.Errorf("%d and %d rows, %q, %d items", rows(some, 0), rows(some, 1), some.More, len(some.Items))
	}
	none := message.Fit(m, func(*message.Message) bool { return false })
	if rows(none, 0) != 0 || none.More != "and 40 more" || none.Title == "" || len(none.Buttons) != 2 {
		t.Errorf("got %+v, want no rows, and 40 more, the title and two buttons", none)
	}
	if len(m.Items) != 40 || rows(m, 1) != 20 || m.More != "" {
		t.Error("the digest has changed")
	}
}

func TestTitleWithin(t *testing.T) {
	n := full(message.WaitsLong)
	n.Job.Name = "llama3-70b-dpo-mix-v4-seed-1337-lr2e-5-bs2048-longctx-32k"
	m, err := message.Compose(&n, options("zh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		columns int
		want    string
		full    bool
	}{
		{100, "已等待 1h 05m，排第 7：llama3-70b-dpo-mix-v4-seed-1337-lr2e-5-bs2048-longctx-32k", true},
		{75, "已等待 1h 05m：llama3-70b-dpo-mix-v4-seed-1337-lr2e-5-bs2048-longctx-32k", true},
		{60, "已等待 1h 05m：llama3-70b-dpo-mix-v4-seed-1…2048-longctx-32k", false},
		{20, "已等待 1h 05m：llam…", false},
	} {
		got, full := m.TitleWithin(message.Limit{Columns: c.columns})
		if printable.Columns(got) > c.columns || full != c.full || got != c.want {
			t.Errorf("%d columns: %q (%d), in full %v", c.columns, got, printable.Columns(got), full)
		}
	}
}
