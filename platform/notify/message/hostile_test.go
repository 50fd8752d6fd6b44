package message_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// hostile are texts of an attacker.
var hostile = []string{
	"<script>alert(1)</script>", "a\nb\r\nc", "\x1b]52;c;ZXZpbA==\a", "\u202egnp.exe", "\u2066x\u2069", "@all <!channel> <@U123>", "\xff\xfe\xc3(", "https://evil.example/x?a=b",
	"HTTP://EVIL.example", "www.evil.example", "ftp://a.b", "hhttp://http://x.y", "javascript://%0aalert(1)", strings.Repeat("A", 1<<20), strings.Repeat("内存", 1<<10),
	strings.Repeat("\u202e", 1<<10), "\u0000", "{{.Job}}", "a\u0301\u0301\u0301", "👩‍👩‍👧‍👦", "\u2028\u2029", "\\x1b", "\u200b\ufeff", "e\xcc", "…", "*_~`[](x)",
}

var hostileText = rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }))

// spoil replaces every text in a value with a hostile text.
func spoil(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[message.Kind]() {
			v.SetString(hostileText.Draw(t, "text"))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(t, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(t, v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			spoil(t, field)
		}
	}
}

// texts returns all text of a message that a channel shows.
func texts(m *message.Message) (all []string) {
	all = append(all, m.Title, m.ShortTitle, m.Head, m.Name, m.Sentence, m.ShortSentence, m.LogTitle, m.LogNote, m.StateWord, m.StripEnd, m.More, m.Rule, m.Role, m.Place,
		m.TemplateError, m.Footer.Text(), m.Footer.Note)
	all = append(all, m.Log...)
	for _, f := range m.Facts {
		all = append(all, f.Label, f.Value, f.Note)
	}
	for _, s := range m.Strip {
		all = append(all, s.Label)
	}
	for _, b := range m.Buttons {
		all = append(all, b.Text)
	}
	for _, s := range m.Sections {
		all = append(all, s.Title)
		for _, r := range s.Rows {
			all = append(all, r.Name, r.Owner, r.GPUs, r.Text, r.Time)
		}
	}
	return all
}

var liveAddress = regexp.MustCompile(`(?i)(https?|ftp)://|(^|[^a-z0-9])www\.`)

// checkText fails unless a text is safe to show.
func checkText(t *rapid.T, text string) {
	if !utf8.ValidString(text) {
		t.Fatalf("got invalid UTF-8, want valid text: %q", text)
	}
	if len(text) > 2200 { // a sentence with several values
		t.Fatalf("got %d bytes, want at most 2200: %q…", len(text), text[:100])
	}
	if found := liveAddress.FindString(text); found != "" {
		t.Fatalf("a link: %q in %q", found, text)
	}
	for _, r := range text {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 || r == 0x200e || r == 0x200f || r == 0x200b || r == 0xfeff {
			t.Fatalf("got the character %U in %q, want no control characters", r, text)
		}
	}
}

func checkMessage(t *rapid.T, m *message.Message) {
	for _, text := range texts(m) {
		checkText(t, text)
	}
	addresses := []string{m.URL, m.Footer.Mute.URL, m.Footer.Change.URL}
	for _, b := range m.Buttons {
		addresses = append(addresses, b.URL)
	}
	for _, s := range m.Sections {
		for _, r := range s.Rows {
			addresses = append(addresses, r.URL)
		}
	}
	for _, address := range addresses {
		if address != "" && !strings.HasPrefix(address, "https://vedette.example/") || strings.Contains(address, "/../") || strings.ContainsAny(address, " \n\"<>") {
			t.Fatalf("got the address %q, want none outside of the portal", address)
		}
	}
	if len(m.Facts) > 6 || len(m.Buttons) > 3 || len(m.Log) > 20 || m.Title == "" {
		t.Fatalf("%d facts, %d buttons, %d lines, title %q", len(m.Facts), len(m.Buttons), len(m.Log), m.Title)
	}
}

// TestHostileContent: for all texts of users, all text of the message is safe to show.
func TestHostileContent(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		n := full(rapid.SampledFrom(message.Kinds()).Draw(t, "kind"))
		spoil(t, reflect.ValueOf(&n).Elem())
		o := options(rapid.SampledFrom([]string{"en", "zh", "", "de"}).Draw(t, "language"))
		o.Rule, o.Role = hostileText.Draw(t, "rule"), hostileText.Draw(t, "role")
		m, err := message.Compose(&n, o)
		if err != nil {
			t.Fatal(err)
		}
		checkMessage(t, m)
		if len(m.Dedup) > 255 {
			t.Fatalf("the key has %d bytes", len(m.Dedup))
		}
	})
}

func TestHostileDigest(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		var items []message.Notice
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(message.Kinds()), 0, 8).Draw(t, "kinds") {
			n := full(kind)
			spoil(t, reflect.ValueOf(&n).Elem())
			items = append(items, n)
		}
		m, err := message.ComposeDigest(items, at("09:42:00"), at("10:42:00"), options(rapid.SampledFrom([]string{"en", "zh"}).Draw(t, "language")))
		if err != nil {
			t.Fatal(err)
		}
		checkMessage(t, m)
	})
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "内存 ok": "内存 ok", "a\x1bb": `a\x1bb`, "\u202e": `\u202e`, "\xff": `\xff`, "a\nb": `a\nb`, "": "",
		strings.Repeat("a", 257): strings.Repeat("a", 253) + "…", strings.Repeat("内", 100): strings.Repeat("内", 84) + "…",
		strings.Repeat("a", 256):             strings.Repeat("a", 256),
		strings.Repeat("a", 250) + "\u202e!": strings.Repeat("a", 250) + "…",
	} {
		if got := message.Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := message.CleanLine("a\tb\n"); got != "a    b" {
		t.Errorf("a line: got %q, want spaces for the tab and no line break", got)
	}
}

func TestDefang(t *testing.T) {
	for text, want := range map[string]string{
		"see https://a.b.c/d.e?f=g.h": "see hxxps://a[.]b[.]c/d.e?f=g.h", "HTTP://X.Y": "hxxp://X[.]Y", "s3://bucket/a.b": "s3[:]//bucket/a.b", "WWW.a.b/c": "WWW[.]a[.]b/c",
		"a.b/c": "a.b/c", "http://a.b,http://c.d": "hxxp://a[.]b,http[:]//c[.]d", "http://http://a.b": "hxxp://http[:]//a[.]b", "://": "[:]//", "wwww.a": "wwww.a", ".www.a.b": ".www[.]a[.]b", "www.https://a": "www[.]https[:]//a",
	} {
		if got := message.Defang(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzClean: clean text is safe and short, and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := message.Clean(text)
		if !utf8.ValidString(got) || len(got) > 256 || message.Clean(got) != got {
			t.Errorf("%q: %q, again %q", text, got, message.Clean(got))
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("got the character %U in %q, want no control characters", r, got)
			}
		}
		safe := message.Defang(text)
		if found := liveAddress.FindString(safe); found != "" || message.Defang(safe) != safe {
			t.Errorf("%q: %q has the address %q, want none", text, safe, found)
		}
	})
}

func FuzzPortal(f *testing.F) {
	f.Add("https://vedette.example", "a/../b", "..")
	f.Add("javascript:alert(1)", "x", "y")
	f.Fuzz(func(t *testing.T, root, cluster, uid string) {
		n := full(message.Failed)
		n.Job.Cluster, n.Job.UID = cluster, uid
		o := options("en")
		o.Portal = root
		m, err := message.Compose(&n, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.Buttons {
			if !strings.HasPrefix(b.URL, "http://") && !strings.HasPrefix(b.URL, "https://") {
				t.Errorf("got the link %q, want http:// or https://", b.URL)
			}
		}
	})
}
