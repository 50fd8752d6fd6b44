package channeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// soon is the maximum duration of a Send after its context has ended.
const soon = 5 * time.Second

// Test runs all tests of a channel. Each test calls open for a new channel; open registers
// its cleanup with t.
func Test(t *testing.T, open func(t *testing.T) *Subject) {
	t.Run("traits", func(t *testing.T) { testTraits(t, open(t)) })
	for _, language := range []string{message.English, message.Chinese} {
		t.Run("kinds/"+language, func(t *testing.T) { testKinds(t, open(t), language) })
		t.Run("limits/"+language, func(t *testing.T) { testLimits(t, open(t), language) })
		t.Run("hostile/"+language, func(t *testing.T) { testHostile(t, open(t), language) })
	}
	t.Run("receivers", func(t *testing.T) { testReceivers(t, open(t)) })
	t.Run("errors", func(t *testing.T) { testErrors(t, open(t)) })
	t.Run("secrets", func(t *testing.T) { testSecrets(t, open(t)) })
	t.Run("canceled", func(t *testing.T) { testCanceled(t, open(t)) })
	t.Run("deadline", func(t *testing.T) { testDeadline(t, open(t)) })
	t.Run("together", func(t *testing.T) { testTogether(t, open(t)) })
	t.Run("check", func(t *testing.T) { testCheck(t, open(t)) })
	t.Run("close", func(t *testing.T) { testClose(t, open(t)) })
}

func testTraits(t *testing.T, s *Subject) {
	traits := s.Channel.Traits()
	if traits.Kind == "" || traits.Timeout <= 0 || traits.Rate.Count < 0 || traits.Rate.Count > 0 && traits.Rate.Per <= 0 {
		t.Errorf("%+v", traits)
	}
	if again := s.Channel.Traits(); again != traits {
		t.Errorf("the traits change from %+v to %+v", traits, again)
	}
}

// send sends a message that must arrive once and unchanged, and returns its payload.
func send(t *testing.T, s *Subject, m *message.Message, to channel.Receiver) string {
	t.Helper()
	s.pause(t)
	before, known := len(s.Sent()), fmt.Sprintf("%+v", *m)
	if _, err := s.Channel.Send(t.Context(), m, to); err != nil {
		t.Fatalf("%s %q: %v", m.Kind, m.Title, err)
	}
	if after := fmt.Sprintf("%+v", *m); after != known {
		t.Errorf("%s: Send changed the message:\n%s\n%s", m.Kind, known, after)
	}
	sent := s.Sent()
	if len(sent) != before+1 {
		t.Fatalf("%s: %d messages arrived", m.Kind, len(sent)-before)
	}
	payload := sent[before]
	if s.Check != nil {
		for _, found := range s.Check(payload) {
			t.Errorf("%s %q: %s", m.Kind, m.Title, found)
		}
	}
	return payload
}

func testKinds(t *testing.T, s *Subject, language string) {
	composed, err := Composed(language)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Samples(language) {
		composed = append(composed, m)
	}
	for _, m := range composed {
		payload := send(t, s, m, s.To)
		checkLinks(t, s, m, payload)
	}
}

// checkLinks checks that neither a button nor the mute link was left out.
func checkLinks(t *testing.T, s *Subject, m *message.Message, payload string) {
	t.Helper()
	if !s.Links {
		return
	}
	targets := []string{m.Footer.Mute.URL}
	for _, b := range m.Buttons {
		targets = append(targets, b.URL)
	}
	plain := strings.NewReplacer(`\u0026`, "&", "&amp;", "&").Replace(payload)
	for _, target := range targets {
		if target != "" && !strings.Contains(plain, target) {
			t.Errorf("%s %q: no link to %s in\n%s", m.Kind, m.Title, target, payload)
		}
	}
}

func testLimits(t *testing.T, s *Subject, language string) {
	for _, m := range []*message.Message{Huge(language), HugeDigest(language), Hostile(language), HostileDigest(language)} {
		payload := send(t, s, m, s.To)
		checkLinks(t, s, m, payload)
		payload = send(t, s, m, channel.Receiver{})
		checkLinks(t, s, m, payload)
	}
	bare := Failed(language) // without a portal and without facts
	bare.URL, bare.Buttons, bare.Facts, bare.Log, bare.Sentence, bare.ShortSentence = "", nil, nil, nil, "", ""
	bare.Footer = message.Footer{}
	send(t, s, bare, channel.Receiver{})
}

func testHostile(t *testing.T, s *Subject, language string) {
	for _, m := range []*message.Message{Hostile(language), HostileDigest(language), Failed(language), Digest(language)} {
		for _, to := range []channel.Receiver{s.To, {}} {
			payload := send(t, s, m, to)
			if s.Inert == nil {
				continue
			}
			for _, found := range s.Inert(payload) {
				t.Errorf("%s: %s in\n%s", m.Kind, found, payload)
			}
		}
	}
}

// testReceivers checks that an address that could mention everybody, or break the syntax,
// mentions nobody.
func testReceivers(t *testing.T, s *Subject) {
	for _, address := range []string{"all", "@all", "here", "channel", "everyone", "x></at><at id=all", "!channel", "\"", "a b", "\n", strings.Repeat("x", 4096)} {
		to := s.To
		to.Address = address
		for _, m := range []*message.Message{Failed(message.English), Digest(message.English)} {
			testReceiver(t, s, m, to)
		}
	}
}

func testReceiver(t *testing.T, s *Subject, m *message.Message, to channel.Receiver) {
	t.Helper()
	s.pause(t)
	before := len(s.Sent())
	if _, err := s.Channel.Send(t.Context(), m, to); err != nil {
		if kind := channel.ErrorOf(err).Kind; kind != channel.Permanent {
			t.Errorf("to %q: %v error: %v", to.Address, kind, err)
		}
		return
	}
	for _, payload := range s.Sent()[before:] {
		if s.Inert == nil {
			continue
		}
		for _, found := range s.Inert(payload) {
			t.Errorf("to %q: %s in\n%s", to.Address, found, payload)
		}
	}
}

func testErrors(t *testing.T, s *Subject) {
	if s.Fail == nil {
		return
	}
	for _, kind := range s.Kinds {
		for _, wait := range []time.Duration{0, 7 * time.Second} {
			s.Fail(Fault{Kind: kind, RetryAfter: wait})
			s.pause(t)
			_, err := s.Channel.Send(t.Context(), Failed(message.English), s.To)
			var e *channel.Error
			if !errors.As(err, &e) || e.Kind != kind {
				t.Errorf("%v: %v", kind, err)
			} else if kind == channel.Throttled && e.RetryAfter < wait {
				t.Errorf("the receiver asks to wait %s, and the error says %s", wait, e.RetryAfter)
			}
			send(t, s, Failed(message.English), s.To)
		}
	}
	s.Fail(Fault{Cut: true})
	if _, err := s.Channel.Send(t.Context(), Failed(message.English), s.To); err == nil || channel.ErrorOf(err).Kind != channel.Temporary {
		t.Errorf("after a broken connection: %v", err)
	}
	send(t, s, Failed(message.English), s.To)
}

func testSecrets(t *testing.T, s *Subject) {
	if s.Fail == nil {
		return
	}
	var all []error
	for _, f := range []Fault{{Kind: channel.Permanent, Echo: true}, {Kind: channel.Temporary, Echo: true}, {Cut: true}} {
		s.Fail(f)
		s.pause(t)
		_, err := s.Channel.Send(t.Context(), Failed(message.English), s.To)
		all = append(all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Channel.Send(ctx, Failed(message.English), s.To)
	for _, err := range append(all, err, s.Channel.Check(ctx)) {
		if err == nil {
			t.Error("no error")
			continue
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			checkSecrets(t, s, e)
		}
	}
}

// checkSecrets checks the text of an error, in all formats that a log may use.
func checkSecrets(t *testing.T, s *Subject, err error) {
	t.Helper()
	asJSON, _ := json.Marshal(err) //nolint:errchkjson // an error that is no JSON shows nothing
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), string(asJSON)} {
		for _, secret := range s.Secrets {
			if secret != "" && strings.Contains(text, secret) {
				t.Errorf("the error shows a secret: %s", text)
			}
		}
	}
}

func testCanceled(t *testing.T, s *Subject) {
	if s.Fail == nil {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Fail(Fault{Stall: true})
	done := make(chan error, 1)
	go func() {
		_, err := s.Channel.Send(ctx, Failed(message.English), s.To)
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		if err == nil || channel.ErrorOf(err).Kind != channel.Temporary {
			t.Errorf("%v", err)
		}
		checkSecrets(t, s, err)
	case <-time.After(soon):
		t.Fatal("Send did not return after its context was canceled")
	}
}

func testDeadline(t *testing.T, s *Subject) {
	if s.Fail == nil {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	s.Fail(Fault{Stall: true})
	start := time.Now()
	_, err := s.Channel.Send(ctx, Failed(message.English), s.To)
	if !errors.Is(err, context.DeadlineExceeded) || channel.ErrorOf(err).Kind != channel.Temporary || time.Since(start) > soon {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
}

func testTogether(t *testing.T, s *Subject) {
	const senders = 4
	s.pause(t)
	if s.Pause != nil {
		s.Pause(time.Hour)
	}
	languages := []string{message.English, message.Chinese}
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			if _, err := s.Channel.Send(t.Context(), Failed(languages[i%2]), s.To); err != nil {
				t.Errorf("sender %d: %v", i, err)
			}
		})
	}
	group.Wait()
	if n := len(s.Sent()); n != senders {
		t.Errorf("%d of %d messages arrived", n, senders)
	}
}

func testCheck(t *testing.T, s *Subject) {
	if err := s.Channel.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(s.Sent()); n != 0 {
		t.Errorf("Check sent %d messages", n)
	}
}

func testClose(t *testing.T, s *Subject) {
	send(t, s, Failed(message.English), s.To)
	if err := s.Channel.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(s.Sent())
	if _, err := s.Channel.Send(t.Context(), Failed(message.English), s.To); err == nil || len(s.Sent()) != before {
		t.Errorf("a closed channel sends: %v", err)
	}
}
