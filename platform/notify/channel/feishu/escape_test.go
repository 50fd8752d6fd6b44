package feishu

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func checkEscape(t interface{ Errorf(string, ...any) }, text string) {
	got := escape(text)
	if found := channeltest.FindLark(got); len(found) > 0 {
		t.Errorf("%q became %q with the markup %q, want none", text, got, found)
	}
	// A reader sees the original text.
	if back := html.UnescapeString(got); back != message.NoMentions(message.Defang(text)) && !strings.ContainsAny(text, "\x00\r\u0080") && utf8.ValidString(text) {
		t.Errorf("%q is shown as %q", text, back)
	}
	log := verbatim(text)
	if strings.Contains(log, "`") || strings.Contains(strings.ToLower(log), "<at") || strings.Contains(log, "@") {
		t.Errorf("%q became %q, want no code mark and no mention", text, log)
	}
}

func TestEscape(t *testing.T) {
	for _, text := range append(channeltest.Hostiles, "1.", "12. x", "-", "    code", "gpu-h100-17") {
		checkEscape(t, text)
	}
	if got := escape("llama3-70b-dpo, 10:21:42. 试"); got != "llama3-70b-dpo, 10:21:42. 试" {
		t.Errorf("got %q, want %q", got, "llama3-70b-dpo, 10:21:42. 试")
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
