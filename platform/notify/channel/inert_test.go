package channel_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

func checkInert(t interface{ Errorf(string, ...any) }, text string) {
	got := channel.Inert(text)
	if found := channeltest.FindMarkdown(got); len(found) > 0 {
		t.Errorf("%q became %q with the markup %q, want none", text, got, found)
	}
	// In the middle of a line of the channel, it must not combine with the text around it.
	for _, line := range []string{"**label** " + got, "- " + got, "[" + got + "](https://vedette.example/x)"} {
		plain := strings.NewReplacer("**label** ", "", "- ", "", "[", "", "](https://vedette.example/x)", "").Replace(line)
		if found := channeltest.FindMarkdown(plain); len(found) > 0 {
			t.Errorf("%q in %q: got markup %q, want none", text, line, found)
		}
	}
	if utf8.ValidString(text) && !utf8.ValidString(got) {
		t.Errorf("%q became the invalid %q", text, got)
	}
}

func TestInert(t *testing.T) {
	for _, text := range channeltest.Hostiles {
		checkInert(t, text)
	}
	for _, text := range []string{"llama3-70b-dpo-mix-v4", "exit code 137", "10:21:42", "3m 41s", "节点 gpu-h100-17"} {
		if got := channel.Inert(text); got != text {
			t.Errorf("%q became %q, want it unchanged", text, got)
		}
	}
	testinput.Check(t, func(t *rapid.T) { checkInert(t, channeltest.Markup().Draw(t, "text")) })
}

func FuzzInert(f *testing.F) {
	for _, text := range channeltest.Hostiles {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.ContainsAny(text, "\n\r\v\f\x00\u2028\u2029\u0085") {
			checkInert(t, text)
		}
	})
}
