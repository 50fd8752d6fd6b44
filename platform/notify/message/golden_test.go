package message_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/platform/notify/message"
)

var update = flag.Bool("update", false, "write the golden files")

// describe writes all visible parts of a message, one per line.
func describe(m *message.Message) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, text)
		}
	}
	line("title", m.Title)
	if m.ShortTitle != m.Title {
		line("short", m.ShortTitle)
	}
	line("head", m.Head)
	line("state", string(m.State)+" "+m.StateWord)
	line("sentence", m.Sentence)
	if m.ShortSentence != m.Sentence {
		line("short", m.ShortSentence)
	}
	for _, f := range m.Facts {
		line("fact", strings.TrimSuffix(f.Label+": "+f.Value+" | "+f.Note, " | "))
	}
	for _, s := range m.Strip {
		line("strip", fmt.Sprintf("%-10s %4.1f%% %s", s.State, s.Share*100, s.Label))
	}
	line("strip", m.StripEnd)
	if len(m.Log) > 0 {
		line("log", m.LogTitle+", "+m.LogNote)
	}
	for _, text := range m.Log {
		line("log", text)
	}
	for _, s := range m.Sections {
		line("section", fmt.Sprintf("[%s] %s (%d)", s.State, s.Title, s.Count))
		for _, r := range s.Rows {
			line("row", strings.Join([]string{r.Name, r.Owner, r.GPUs, r.Text, r.Time}, " | "))
		}
	}
	line("more", m.More)
	for _, button := range m.Buttons {
		line("button", fmt.Sprintf("%s %s %v", button.Text, button.URL, button.Primary))
	}
	line("footer", m.Footer.Text())
	line("mute", m.Footer.Mute.URL)
	line("rule", m.Footer.Change.URL)
	line("note", m.Footer.Note)
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got, -update writes it):\n%s", file, diff)
	}
}

func TestMessages(t *testing.T) {
	for _, language := range []string{message.English, message.Chinese} {
		for name, sample := range map[string]func(message.Kind) message.Notice{"full": full, "minimal": minimal} {
			var all strings.Builder
			for _, kind := range message.Kinds() {
				if kind == message.Digest {
					continue
				}
				n := sample(kind)
				m, err := message.Compose(&n, options(language))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "== %s\n%s\n", kind, describe(m))
			}
			golden(t, name+"_"+language+".txt", all.String())
		}
	}
}
