package delivery

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// State is the progress of a delivery. The numbers are stored in the database.
type State int16

// The states of a delivery. Held, Behind, Waiting and Sending are unsent; only Replay and
// Recover change the other states.
const (
	// Held: the delivery waits for the end of a window, of a digest or of quiet hours.
	Held State = iota + 1
	// Behind: it waits for an earlier delivery of its lane.
	Behind
	// Waiting: it is the first of its lane. NextAt is the time when it may be sent.
	Waiting
	// Sending: a worker has claimed it. NextAt is the end of the claim.
	Sending
	// Sent: the channel accepted it.
	Sent
	// Dead: it failed permanently, or in its last try. It is a dead letter.
	Dead
	// Superseded: a later delivery replaced it before it was sent.
	Superseded
	// Dropped: it was a dead letter, and a person dropped it.
	Dropped
	// Silenced: a silence held it back. It is part of a summary, and NextAt is the planned
	// end of the silence.
	Silenced
)

// states are the names of the states, by number.
var states = [...]string{"unknown", "held", "behind", "waiting", "sending", "sent", "dead", "superseded", "dropped", "silenced"}

// States returns all states, in the order of their numbers.
func States() (all []State) {
	for s := Held; int(s) < len(states); s++ {
		all = append(all, s)
	}
	return all
}

// String returns the name of the state in lower case.
func (s State) String() string {
	if s < Held || int(s) >= len(states) {
		return states[0]
	}
	return states[s]
}

// Delivery is one message for one receiver on one channel. The package does not change a
// returned Delivery.
type Delivery struct {
	// ID is the row ID. Within a lane, smaller IDs are sent earlier.
	ID int64
	// Key identifies the message. It never changes, and is unique.
	Key string
	// Kind is the kind of the message, and Rule the name of its rule.
	Kind, Rule string
	// Channel is the name of the channel, and Receiver the address there; it may be empty.
	Channel, Receiver string
	// Person is the name in the table of people, and Role the reason why the receiver gets
	// the message.
	Person, Role string
	// Object is the row ID of the object; 0 if the message is not about one object.
	Object int64
	// Lane is the lane of the delivery. If it is 0, Create computes it from object,
	// channel and receiver. A replay has its own, negative lane.
	Lane int64
	// Position is the position in the feed of the transition that caused the delivery.
	Position int64
	// Event is the notice as JSON, as platform/notify/message stores it.
	Event []byte
	State State
	// Attempts is the number of tries that the channel answered, or that timed out.
	Attempts int
	// NextAt is the time when the delivery may be sent. In state Held it is the end of the
	// window, in state Sending the end of the claim, and in later states the time of the
	// end.
	NextAt time.Time
	// Due is the time when a claimed delivery was due. A broken channel is tried earlier.
	Due time.Time
	// CreatedAt is the time of creation, and SentAt the time when the channel accepted the
	// message.
	CreatedAt, SentAt time.Time
	// Token is the fencing token of the claim, and ClaimedBy its worker.
	Token     int64
	ClaimedBy string
	// Status is the last answer of the channel, and LastError its last error. Ref
	// identifies the message at the channel.
	Status, LastError, Ref string
	// Late is set if the message must say that it is late, and Replay if a person sent it
	// again.
	Late, Replay bool
	// EscalateAt is the time of the escalation if nobody acknowledged the message; zero
	// means never.
	EscalateAt time.Time
	// AckedBy is the person who acknowledged the message at AckedAt.
	AckedBy string
	AckedAt time.Time
}

// LaneOf returns the lane of the messages about an object for a receiver. It is positive.
func LaneOf(object int64, channel, receiver string) int64 {
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(object))
	return positive(digestOf("lane", string(number[:]), channel, receiver))
}

// receiverHash returns the number that indexes the deliveries of a receiver.
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

// positive returns the first bits of a hash as a positive number.
func positive(hash []byte) int64 {
	return max(1, int64(binary.BigEndian.Uint64(hash)&math.MaxInt64))
}

// micros converts a time to the format of the database: microseconds since 1970, or 0 for
// the zero time.
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

// Maximum lengths of texts in bytes. MariaDB and MySQL refuse longer texts.
const (
	maxKind = 63
	maxWord = 250
	maxText = 4096
	maxKey  = 60_000
)

// cut returns a text that every database accepts: valid UTF-8 without zero bytes, and at
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
