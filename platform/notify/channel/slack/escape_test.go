package slack

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func checkEscape(t interface{ Errorf(string, ...any) }, text string) {
	got := escape(text)
	if found := channeltest.FindMrkdwn(got); len(found) > 0 {
		t.Errorf("%q became %q with the markup %q, want none", text, got, found)
	}
	for name, got := range map[string]string{"plain": plain(text), "verbatim": verbatim(text)} {
		rest := strings.NewReplacer("&lt;", "", "&gt;", "", "&amp;", "").Replace(got)
		if strings.ContainsAny(rest, "<>&@") || name == "verbatim" && strings.Contains(got, "```") {
			t.Errorf("%s: %q became %q, want no markup and no mention", name, text, got)
		}
	}
	label := link(text, "https://vedette.example/x|y>z")
	if strings.Count(label, "|") != 1 || strings.Count(label, ">") != 1 || strings.Count(label, "<") != 1 {
		t.Errorf("%q became the link %q", text, label)
	}
}

func TestEscape(t *testing.T) {
	for _, text := range append(channeltest.Hostiles, ":tada:", ":+1::100:", "> quote", "•", "a:b") {
		checkEscape(t, text)
	}
	if got := escape("llama3-70b, 10:21:42 – AT&T"); got != "llama3-70b, 10:21:42 – AT&amp;T" {
		t.Errorf("got %q, want %q", got, "llama3-70b, 10:21:42 – AT&amp;T")
	}
	testinput.Check(t, func(t *rapid.T) { checkEscape(t, channeltest.Markup().Draw(t, "text")) })
}

func FuzzEscape(f *testing.F) {
	for _, text := range channeltest.Hostiles {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if clean := message.Clean(text); clean == text {
			checkEscape(t, text)
		}
	})
}
