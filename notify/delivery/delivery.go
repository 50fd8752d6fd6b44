package delivery

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// State says how far a delivery is. The numbers are stored in the database.
type State int16

// The states of a delivery. Held, Behind, Waiting and Sending are unsent; a delivery
// leaves the other states only by Replay or Recover.
const (
	// Held waits for the end of a window: a digest that collects items, or quiet hours.
	Held State = iota + 1
	// Behind waits for an earlier delivery of its lane.
	Behind
	// Waiting is the first of its lane. NextAt says when it may be sent.
	Waiting
	// Sending is claimed by a worker. NextAt says when the claim ends.
	Sending
	// Sent was accepted by the channel.
	Sent
	// Dead failed for good, or after the last try. It is a dead letter.
	Dead
	// Superseded was replaced by a later delivery before it was sent.
	Superseded
	// Dropped was a dead letter, until a person decided that nobody needs it.
	Dropped
)

// states are the names of the states by their numbers.
var states = [...]string{"unknown", "held", "behind", "waiting", "sending", "sent", "dead", "superseded", "dropped"}

// String returns the name of the state in lower case.
func (s State) String() string {
	if s < Held || s > Dropped {
		return states[0]
	}
	return states[s]
}

// Delivery is one message for one receiver of one channel. The package does not change
// a Delivery that it returned.
type Delivery struct {
	// ID is the number of the row. A smaller number of a lane is sent earlier.
	ID int64
	// Key names the message. It never changes, and no two deliveries have the same.
	Key string
	// Kind is the kind of the message, and Rule the name of the rule that called for it.
	Kind, Rule string
	// Channel is the name of the channel, and Receiver the address there; it may be empty.
	Channel, Receiver string
	// Person is the name in the table of people, and Role why the receiver gets it.
	Person, Role string
	// Object is the number of the object; 0 if the message is not about one object.
	Object int64
	// Lane is the order that the delivery belongs to. Create computes it from object,
	// channel and receiver if it is 0. A replay has a negative lane of its own.
	Lane int64
	// Position is the position in the feed of the transition that caused the delivery.
	Position int64
	// Event is the notice as JSON, as notify/message stores it.
	Event []byte
	State State
	// Attempts counts the tries that the channel answered, or that timed out.
	Attempts int
	// NextAt is when the delivery may be sent; in state Held when its window ends, in state
	// Sending when the claim ends, and in the states after that when it ended.
	NextAt time.Time
	// Due is, of a claimed delivery, when it was to be sent. A broken channel is tried earlier.
	Due time.Time
	// CreatedAt is when the delivery was created, and SentAt when a channel accepted it.
	CreatedAt, SentAt time.Time
	// Token is the fencing token of the claim, and ClaimedBy the worker that has it.
	Token     int64
	ClaimedBy string
	// Status is the last answer of the channel, and LastError its last error. Ref is what the
	// channel calls the message.
	Status, LastError, Ref string
	// Late says that the message must say that it is late. Replay says that a person sent it
	// again.
	Late, Replay bool
	// EscalateAt is when somebody else must be told if nobody acknowledged; zero if never.
	EscalateAt time.Time
	// AckedBy acknowledged at AckedAt.
	AckedBy string
	AckedAt time.Time
}

// LaneOf returns the lane of the messages about an object for a receiver. It is positive.
func LaneOf(object int64, channel, receiver string) int64 {
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(object))
	return positive(digestOf("lane", string(number[:]), channel, receiver))
}

// receiverHash returns the number by which deliveries of a receiver are found.
func receiverHash(channel, receiver string) int64 {
	return positive(digestOf("receiver", channel, receiver))
}

// digestOf returns the hash of some texts.
func digestOf(texts ...string) []byte {
	h := sha256.New()
	for _, t := range texts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(t)))
		h.Write(length[:])
		h.Write([]byte(t))
	}
	return h.Sum(nil)[:16]
}

// positive returns the first bits of a hash as a number from 1.
func positive(hash []byte) int64 {
	return max(1, int64(binary.BigEndian.Uint64(hash)&math.MaxInt64))
}

// micros returns a time as the database stores it: microseconds since 1970, or 0 for the
// zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// moment is the inverse of micros.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

// Limits of texts in bytes. MariaDB and MySQL refuse longer ones.
const (
	maxKind = 63
	maxWord = 250
	maxText = 4096
	maxKey  = 60_000
)

// cut returns a text that every database stores: valid UTF-8 without zero bytes, and at
// most limit bytes long.
func cut(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
