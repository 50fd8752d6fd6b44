package main

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/notify/message"
)

// address is where the messages of a subscription go.
type address struct {
	to    config.Receiver
	known bool // to be the person's, or one that everybody may name
}

// text names the address with its channel.
func (a address) text() string {
	if a.to.Address == "" {
		return a.to.Channel
	}
	return a.to.Channel + ":" + a.to.Address
}

// findAddress returns where messages for a person go on a channel. word is an address or a
// person of the file; without one it is the address that the file has for the person, or
// the channel alone if jobs may name it.
//
// Errors: the file has no address for the person; the channel shows its messages to others,
// so an address there cannot be verified.
func findAddress(file *config.Config, ch *config.Channel, person, word string) (a address, err error) {
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
		a.to, err = receiverOf(file, ch, person)
		a.known = true
		return a, err
	case word == "" && ch.NamedByJobs:
		a.to, err = receiverOf(file, ch, "")
		a.known = true
		return a, err
	case word == "" && !ch.HasAddresses():
		return a, fmt.Errorf("channel %s is not for everybody: choose another one, or set named-by-jobs in %s", ch.Name, file.Path)
	case word == "":
		return a, fmt.Errorf("%s has no address for %s on %s: name yours, as in --to %[3]s:ADDRESS", file.Path, person, ch.Name)
	case !ch.HasAddresses():
		a.to, err = receiverOf(file, ch, word)
		return a, err
	case !ch.Direct():
		return a, fmt.Errorf("%s shows its messages to more people than %s, so the address cannot be verified: add it to people in %s", ch.Name, word, file.Path)
	}
	a.to, err = receiverOf(file, ch, word)
	return a, err
}

// confirmation returns the message with the code that verifies an address.
func confirmation(user, job string, id int64, code string, to config.Receiver) *message.Message {
	title := "Confirm your address: " + code
	sentence := fmt.Sprintf("%s wants the messages about %s to come here. To confirm, run: vedette subscribe verify %d %s. Otherwise ignore this message.", user, job, id, code)
	if to.Language == message.Chinese {
		title = "确认你的地址：" + code
		sentence = fmt.Sprintf("%s 希望在此接收 %s 的消息。如需确认，请运行：vedette subscribe verify %d %s。否则请忽略本消息。", user, job, id, code)
	}
	title, sentence = message.Clean(title), message.CleanLine(sentence)
	return &message.Message{
		ID: fmt.Sprintf("subscription/%d/%d", id, time.Now().UnixMicro()), Kind: message.Test, Language: to.Language, Happened: time.Now(),
		Notice: &message.Notice{Kind: message.Test, Happened: time.Now(), Probe: &message.Probe{Channel: to.Channel, Actor: user}},
		Title:  title, Head: title, ShortTitle: title, Sentence: sentence, ShortSentence: sentence,
	}
}
