package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// sendTimeout is the timeout of SendOnce if the channel sets none.
const sendTimeout = 30 * time.Second

// Address is the destination of the messages of a subscription.
type Address struct {
	To Receiver
	// Known is set if the address is the person's own in the table of people, or if
	// everybody may name it. Other addresses must be verified.
	Known bool
}

// String names the address with its channel.
func (a Address) String() string {
	if a.To.Address == "" {
		return a.To.Channel
	}
	return a.To.Channel + ":" + a.To.Address
}

// ReceiverOf returns the receiver that a word names on a channel: a person of the file, or
// an address. An empty word means the channel itself.
//
// Errors: the channel has no such receiver.
func ReceiverOf(c *Config, ch *Channel, word string) (Receiver, error) {
	if word != "" && !ch.HasAddresses() {
		return Receiver{}, fmt.Errorf("channel %s is of type %s, which has no addresses: leave out %s", ch.Name, ch.Kind, word)
	}
	t := rule.Target{Kind: rule.Channel, Channel: ch.Name, Address: word}
	if p := c.People[word]; p != nil {
		if p.On(ch) == "" {
			return Receiver{}, fmt.Errorf("%s has no address on channel %s: add it to people in %s", word, ch.Name, c.Path)
		}
		t = rule.Target{Kind: rule.Channel, Channel: ch.Name, Person: word}
	}
	found, _ := c.Receivers([]rule.Target{t}, nil, Named{})
	if len(found) == 0 {
		return Receiver{}, fmt.Errorf("channel %s has no receiver %q", ch.Name, word)
	}
	return found[0], nil
}

// FindAddress returns the destination of messages for a person on a channel. word is an
// address or a person of the file. If it is empty, the destination is the person's address
// in the file, or the channel itself if all jobs of the subscription may name it: those of a
// cluster and a namespace, of which empty ones mean all.
//
// Errors: the file has no address for the person; other people see the messages of the
// channel, so an address there cannot be verified; the channel sends no codes to its domain.
func FindAddress(file *Config, ch *Channel, cluster, namespace, person, word string) (a Address, err error) {
	p := file.People[person]
	own := ""
	if p != nil {
		own = p.On(ch)
	}
	if other := file.People[word]; other != nil && word != person {
		return a, fmt.Errorf("%s is another person of %s: subscribe with your own address", word, file.Path)
	}
	if word == person {
		word = ""
	}
	switch {
	case word == "" && own != "", word != "" && word == own:
		a.To, err = ReceiverOf(file, ch, person)
		a.Known = true
		return a, err
	case word == "" && ch.NamedByJobs.Allows(cluster, namespace):
		a.To, err = ReceiverOf(file, ch, "")
		a.Known = true
		return a, err
	case word == "" && !ch.HasAddresses():
		return a, fmt.Errorf("%s may not use channel %s: choose another one, or ask an operator for named-by-jobs in %s", jobsOf(namespace), ch.Name, file.Path)
	case word == "":
		return a, fmt.Errorf("%s has no address for %s on %s: name yours, as in --to %[3]s:ADDRESS", file.Path, person, ch.Name)
	case !ch.HasAddresses():
		a.To, err = ReceiverOf(file, ch, word)
		return a, err
	case ch.Direct() && !file.confirms(ch, person, word):
		return a, fmt.Errorf("channel %s sends no codes to %s: add its domain to domains of the channel in %s, or the address to people", ch.Name, word, file.Path)
	case !ch.Direct():
		return a, fmt.Errorf("%s shows its messages to more people than %s, so the address cannot be verified: add it to people in %s", ch.Name, word, file.Path)
	}
	a.To, err = ReceiverOf(file, ch, word)
	return a, err
}

// jobsOf describes the jobs of a subscription.
func jobsOf(namespace string) string {
	if namespace == "" {
		return "a subscription to all namespaces"
	}
	return "jobs of the namespace " + namespace
}

// Confirmation returns the message with the code that verifies an address. user requested
// the subscription with the number id; about describes its jobs.
func Confirmation(user, about string, id int64, code string, to Receiver) *message.Message {
	title := "Confirm your address: " + code
	sentence := fmt.Sprintf("%s wants the messages about %s to come here. To confirm, run: vedette subscribe verify %d %s. Otherwise ignore this message.", user, about, id, code)
	if to.Language == message.Chinese {
		title = "确认你的地址：" + code
		sentence = fmt.Sprintf("%s 希望在此接收 %s 的消息。如需确认，请运行：vedette subscribe verify %d %s。否则请忽略本消息。", user, about, id, code)
	}
	title, sentence = message.Clean(title), message.CleanLine(sentence)
	return &message.Message{
		ID: fmt.Sprintf("subscription/%d/%d", id, time.Now().UnixMicro()), Kind: message.Test, Language: to.Language, Happened: time.Now(),
		Notice: &message.Notice{Kind: message.Test, Happened: time.Now(), Probe: &message.Probe{Channel: to.Channel, Actor: user}},
		Title:  title, Head: title, ShortTitle: title, Sentence: sentence, ShortSentence: sentence,
	}
}

// SendOnce sends a message immediately, and returns how long that took.
//
// Errors: the channel cannot be opened, or does not accept the message.
func SendOnce(ctx context.Context, ch *Channel, m *message.Message, to Receiver) (receipt channel.Receipt, took time.Duration, err error) {
	opened, err := ch.Open()
	if err != nil {
		return receipt, 0, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opened.Traits().Timeout, sendTimeout))
	defer cancel()
	began := time.Now()
	receipt, err = opened.Send(ctx, m, channel.Receiver{Address: to.Address, Name: to.Person, Person: to.Person, Private: to.Private})
	took = time.Since(began)
	if refused := channel.ErrorOf(err); refused != nil {
		return receipt, took, fmt.Errorf("channel %s did not take the message: %s", ch.Name, strings.Join(strings.Fields(refused.Error()), " "))
	}
	return receipt, took, nil
}
