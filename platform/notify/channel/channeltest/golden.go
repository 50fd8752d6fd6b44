package channeltest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// goldens are the messages with golden files.
var goldens = map[string]func(language string) *message.Message{
	"failed": Failed, "waits": Waits, "digest": Digest, "test": Probe, "hostile": Hostile,
}

// Golden compares the output of render for a failure, a wait, a digest, a test and a
// hostile message, in both languages, with the files testdata/NAME.LANGUAGE.json. If
// update is set, it writes the files instead.
func Golden(t *testing.T, update bool, render func(m *message.Message) any) {
	t.Helper()
	for name, sample := range goldens {
		for _, language := range []string{message.English, message.Chinese} {
			payload, err := channel.Payload(render(sample(language)))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, payload, "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", name+"."+language+".json")
			if update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs; run the test with -update and read the difference:\n%s", file, got.Bytes())
			}
		}
	}
}
