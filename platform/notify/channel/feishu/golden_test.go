package feishu

import (
	"flag"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	channeltest.Golden(t, *update, func(m *message.Message) any {
		return render(m, channel.Receiver{Address: openID, Name: "Li Wei"})
	})
}
