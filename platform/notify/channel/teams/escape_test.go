package teams

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

func checkEscape(t interface{ Errorf(string, ...any) }, text string) {
	if got := clean(text); strings.Contains(strings.ToLower(got), "<at") || strings.Contains(strings.ToLower(got), "</at") || strings.Contains(got, "@") {
		t.Errorf("%q became %q, want no mention", text, got)
	}
	if found := channeltest.FindMarkdown(markdown(text)); len(found) > 0 {
		t.Errorf("%q became %q with %q", text, markdown(text), found)
	}
	if e, ok := mention(channel.Receiver{Address: user, Name: text}); !ok || strings.Count(e.Text, "<") != 2 || strings.Contains(e.Mentioned.Name, "<") {
		t.Errorf("%q became the mention %+v, want one without markup in the name", text, e)
	}
}

func TestEscape(t *testing.T) {
	for _, text := range append(channeltest.Hostiles, "<AT>x</AT>", "< at") {
		checkEscape(t, text)
	}
	if got := clean("loss < 0.1 _and_ *rising*"); got != "loss < 0.1 _and_ *rising*" {
		t.Errorf("got %q, want %q", got, "loss < 0.1 _and_ *rising*")
	}
	testinput.Check(t, func(t *rapid.T) { checkEscape(t, channeltest.Markup().Draw(t, "text")) })
}
