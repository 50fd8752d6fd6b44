package wecom

import (
	"flag"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden renders failures with a mention, as Markdown, and the others without, as cards
// if they can be.
func TestGolden(t *testing.T) {
	channeltest.Golden(t, *update, func(m *message.Message) any {
		if m.Kind == message.Failed && m.Language == message.Chinese {
			return render(m, channel.Receiver{Address: user, Name: "Li Wei"})
		}
		return render(m, channel.Receiver{})
	})
}
