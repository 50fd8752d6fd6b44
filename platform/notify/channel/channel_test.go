package channel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/message"
)

func TestFooterLine(t *testing.T) {
	text := func(s string) string { return "(" + s + ")" }
	link := func(label, target string) string { return label + "=" + target }
	full := message.Footer{
		Place: "gpu-west / team-llm", Why: "You get this as owner.", Mute: message.Link{Text: "Mute", URL: "m"}, Change: message.Link{Text: "Change", URL: "c"}, Zone: "UTC", Note: "gap",
	}
	for want, f := range map[string]message.Footer{
		"(gpu-west / team-llm. You get this as owner.) Mute=m · Change=c · (UTC) · (gap)": full,
		"Mute=m": {Mute: message.Link{Text: "Mute", URL: "m"}},
		"(UTC)":  {Zone: "UTC", Mute: message.Link{Text: "Mute"}},
		"":       {},
	} {
		if got := FooterLine(f, text, link); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRowText(t *testing.T) {
	for want, r := range map[string]message.Row{
		"liwei, 32 GPUs, OOMKilled":    {Owner: "liwei", GPUs: "32 GPUs", Text: "OOMKilled"},
		"liwei, OOMKilled, found late": {Owner: "liwei", GPUs: "–", Text: "OOMKilled", Late: true},
		"":                             {},
	} {
		if got := RowText(r, message.English); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := RowText(message.Row{Owner: "liwei", Late: true}, message.Chinese); got != "liwei，补录" {
		t.Errorf("RowText: got %q, want %q", got, "liwei，补录")
	}
}

func TestCheckMention(t *testing.T) {
	for _, id := range []string{"ou_7d8a", "U024BE7LH", "13800138000", "+86-13800138000", "li.wei", "liwei@example.com", "alles"} {
		if err := CheckMention(id); err != nil {
			t.Errorf("mention %q: got %v, want it accepted", id, err)
		}
	}
	for _, id := range []string{"", "all", "ALL", "@all", "!here", "here", "Channel", "everyone", "@everyone@", "a b", "a>", "x></at><at id=all", "ａ", "a\n", strings.Repeat("a", 129)} {
		if CheckMention(id) == nil {
			t.Errorf("%q may be mentioned", id)
		}
	}
}

func TestLinkTarget(t *testing.T) {
	for in, want := range map[string]string{
		"https://vedette.example/jobs?state=Failed&from=2026-11-22T02%3A00%3A00Z#x": "https://vedette.example/jobs?state=Failed&from=2026-11-22T02%3A00%3A00Z#x",
		"https://vedette.example/a b(c)<d>[e]|\"'`*~":                               "https://vedette.example/a%20b%28c%29%3Cd%3E%5Be%5D%7C%22%27%60%2A%7E",
		"https://vedette.example/作\n":                                               "https://vedette.example/%E4%BD%9C%0A",
	} {
		if got := LinkTarget(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPayload(t *testing.T) {
	got, err := Payload(map[string]string{"a": "<&>\u2028"})
	if err != nil || string(got) != `{"a":"<&>\u2028"}` {
		t.Errorf("got %s and error %v, want nothing escaped", got, err)
	}
	if _, err := Payload(func() {}); err == nil {
		t.Error("a function is JSON")
	}
}

func TestErrorText(t *testing.T) {
	cause := fmt.Errorf("cause")
	for want, e := range map[string]*Error{
		"code 1: cause":   {Status: "code 1", Err: cause},
		"code 1":          {Status: "code 1"},
		"cause":           {Err: cause},
		"throttled error": {Kind: Throttled},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if e := ErrorOf(cause); e.Kind != Temporary || e.Err != cause || ErrorOf(nil) != nil {
		t.Errorf("got %+v, want a temporary error with the cause", e)
	}
	if e := ErrorOf(fmt.Errorf("outer: %w", &Error{Kind: Disabled})); e.Kind != Disabled {
		t.Errorf("got %+v, want the kind Disabled", e)
	}
}
