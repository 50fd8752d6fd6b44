package stdout

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func failed() *message.Message {
	return &message.Message{
		ID: "key", Kind: message.Failed, State: job.Failed, StateWord: "Failed", Title: "Failed, OOMKilled: llama3-70b", Name: "llama3-70b", Rule: "my failures",
		Sentence: "Worker 2 used all of its 480.5 GiB of memory on gpu-h100-17 and was killed. Attempts 2 and 3 ended the same way; no retries were left.",
	}
}

var at = time.Date(2026, 11, 22, 10, 21, 42, 418e6, time.UTC)

// TestTheDesign: messages are printed in the documented layout.
func TestTheDesign(t *testing.T) {
	var b strings.Builder
	p := Printer{Out: &b, Location: time.UTC}
	if err := p.Print(at, failed(), &Delivery{Receiver: "liwei", Channel: "feishu", Took: 310 * time.Millisecond, Rule: "my failures"}, "vedette logs job/llama3-70b -n team-llm"); err != nil {
		t.Fatal(err)
	}
	wait := &message.Message{State: job.Queued, StateWord: "Queued", Title: "Waiting 1h 05m, 7th in line: reward-model", Sentence: "需要 32 GPU。用 16 GPU 预计 10:58 开始。"}
	if err := p.Print(at, wait, &Delivery{Receiver: "llm-oncall", Channel: "mail", Err: errors.New("451 try again later"), Try: 1, Tries: 10, Next: at.Add(29 * time.Second)}, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Print(at, &message.Message{Title: "Test of x"}, &Delivery{Channel: "x", Err: errors.New("no"), Try: 10, Tries: 10}, ""); err != nil {
		t.Fatal(err)
	}
	want := `10:21:42.418  message           Failed, OOMKilled: llama3-70b
              Worker 2 used all of its 480.5 GiB of memory on gpu-h100-17 and was killed.
              Attempts 2 and 3 ended the same way; no retries were left.
              sent to liwei by feishu in 310 ms, rule "my failures"; next: vedette logs job/llama3-70b -n team-llm
10:21:42.418  message           Waiting 1h 05m, 7th in line: reward-model
              需要 32 GPU。
              用 16 GPU 预计 10:58 开始。
              not sent to llm-oncall by mail: 451 try again later, try 2 of 10 at 10:22:11
10:21:42.418  message           Test of x
              not sent by x: no, after 10 tries
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestColors: the word of the state has its color and the rest of the title is bold.
// Without colors, the output has no escape sequences.
func TestColors(t *testing.T) {
	var b strings.Builder
	p := Printer{Out: &b, Style: Style{Color: true}, Location: time.UTC}
	if err := p.Print(at, failed(), nil, ""); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[90m10:21:42.418\x1b[0m  message           \x1b[1;91mFailed\x1b[0m\x1b[1m, OOMKilled: llama3-70b\x1b[0m\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("got %q, want it to begin with %q", b.String(), want)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if StyleOf(writer, func(string) string { return "" }).Color {
		t.Error("colors in a pipe")
	}
}

// TestUsersTextMovesNothing: no text adds a line or an escape sequence.
func TestUsersTextMovesNothing(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[2J", "a\nb", "\r", "\u202e", "\x9b31m", "Failed\x1b]0;x\x07"}))
		var b strings.Builder
		p := Printer{Out: &b, Style: Style{Color: rapid.Bool().Draw(t, "color")}, Location: time.UTC}
		m := &message.Message{
			Title: text.Draw(t, "title"), State: job.Failed, StateWord: "Failed", Sentence: strings.ReplaceAll(strings.ReplaceAll(text.Draw(t, "sentence"), ". ", ""), "。", ""),
			Log:      []string{text.Draw(t, "log")},
			Sections: []message.Section{{State: job.Failed, Title: text.Draw(t, "section"), Rows: []message.Row{{Name: text.Draw(t, "name"), Text: text.Draw(t, "text")}}}},
		}
		if err := p.Print(at, m, &Delivery{Receiver: text.Draw(t, "receiver"), Channel: "x", Err: errors.New(text.Draw(t, "error"))}, text.Draw(t, "next")); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		lines := 5
		if m.Sentence != "" {
			lines++
		}
		if n := strings.Count(out, "\n"); n != lines {
			t.Fatalf("%d lines, want %d: %q", n, lines, out)
		}
		for _, code := range []string{"1", "90", "91", "1;91", "0"} {
			out = strings.ReplaceAll(out, "\x1b["+code+"m", "")
		}
		if !p.Style.Color && out != b.String() || strings.ContainsAny(out, "\x1b\r\x07\u009b\u202e") {
			t.Fatalf("got %q, want no control characters of the user", out)
		}
	})
}

// TestBlockedWriter: Send ends with its context while the writer blocks, and no more than
// one goroutine waits.
func TestBlockedWriter(t *testing.T) {
	reader, writer := io.Pipe()
	c, err := New(Options{Out: writer})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // an input: the time that Send has
		_, err := c.Send(ctx, failed(), channel.Receiver{})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || channel.ErrorOf(err).Kind != channel.Temporary {
			t.Errorf("got %v, want a temporary error by the deadline", err)
		}
	}
	_ = reader.CloseWithError(errors.New("nobody reads"))
	if _, err := c.Send(t.Context(), failed(), channel.Receiver{}); err == nil || !strings.Contains(err.Error(), "nobody reads") {
		t.Errorf("a broken pipe: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Send(t.Context(), failed(), channel.Receiver{}); err == nil {
		t.Error("a closed channel prints")
	}
}

// TestSend: the channel prints with the receiver, the rule and the next command.
func TestSend(t *testing.T) {
	var b strings.Builder
	c, err := New(Options{Out: &b, Location: time.UTC, Next: func(m *message.Message) string { return "vedette show " + m.Name }})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Send(t.Context(), failed(), channel.Receiver{Name: "liwei"})
	if err != nil || r.Status != "printed" || c.Check(t.Context()) != nil || c.Traits().Kind != "stdout" {
		t.Fatalf("got %+v and error %v, want printed", r, err)
	}
	if !strings.Contains(b.String(), `sent to liwei by stdout, rule "my failures"; next: vedette show llama3-70b`) {
		t.Errorf("got %s, want the receiver, the rule and the next command", b.String())
	}
	if c, err := New(Options{}); err == nil {
		t.Errorf("%v without a writer", c)
	}
}
