package teams

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

const user = "liwei@example.com"

func open(t *testing.T, s *channeltest.Server) *Channel {
	t.Helper()
	c, err := New(Options{URL: s.URL, Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChannel(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewTeams(t)
		s := server.Subject(open(t, server), channel.Receiver{Address: user, Name: "Li Wei"})
		s.Inert = func(payload string) []string { return channeltest.TeamsMarkup(payload, user) }
		s.Check = func(payload string) []string {
			if len(payload) > maxBody {
				return []string{"too large"}
			}
			return nil
		}
		return s
	})
}

// TestOldWebhook checks the answers of connectors, which report failures with HTTP 200.
func TestOldWebhook(t *testing.T) {
	for body, want := range map[string]channel.ErrorKind{
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x": channel.Throttled,
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with ContextId x": channel.Permanent,
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 503 with ContextId x": channel.Temporary,
	} {
		if got := kindOf(body); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x"))
	}))
	defer server.Close()
	c, err := New(Options{URL: server.URL + "/webhookb2/x", Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err = c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Throttled {
		t.Errorf("got %v, want it throttled", err)
	}
}

func TestStyles(t *testing.T) {
	for s, want := range map[job.State]string{
		job.Failed: "attention", job.Succeeded: "good", job.Queued: "warning", job.Running: "accent", job.Aborted: "emphasis", "": "emphasis",
	} {
		if got := style(s); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"": "missing", "https://prod-1.westeurope.logic.azure.com": "no path", "http://prod-1.westeurope.logic.azure.com/workflows/x": "https://",
		"https://prod-1.westeurope.logic.azure.com:443/workflows/x/triggers/manual/paths/invoke?sig=y": "",
	} {
		c, err := New(Options{URL: url})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}
