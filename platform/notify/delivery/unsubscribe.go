package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// unsubscribeMark is the mark with the key of all tokens. Whoever reads the database may end
// messages, and nothing else, with it.
const unsubscribeMark = "unsubscribe key"

// digestPause is how long a token stops the digests of a rule. A mute without an end needs a job.
const digestPause = 30 * 24 * time.Hour

// maxToken is the maximum size of a token, in bytes.
const maxToken = 1 << 10

// unsubscription is the content of a token: the messages that it stops.
type unsubscription struct {
	Channel  string `json:"c"`
	Receiver string `json:"r"`
	Object   int64  `json:"o,omitempty"` // 0: digests
	Rule     string `json:"u,omitempty"` // of digests
}

// UnsubscribeKey returns the key of the tokens of a database. It makes the key at first.
//
// Errors: those of the database.
func UnsubscribeKey(ctx context.Context, db *sqldb.DB) ([]byte, error) {
	text, err := Mark(ctx, db, unsubscribeMark)
	if err == nil && text == "" {
		var random [32]byte
		_, _ = rand.Read(random[:]) // it never fails
		err = db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
			if err := tx.InsertNew(ctx, "notify_marks", []string{"name", "content"}, [][]any{{unsubscribeMark, hex.EncodeToString(random[:])}}, "name"); err != nil {
				return err
			}
			text, err = Mark(ctx, tx, unsubscribeMark) // another process may have been first
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}

// UnsubscribeToken returns the token that stops the messages of a delivery's kind to its receiver:
// those about the job, or the digests of the rule. It is "" for a receiver without an address,
// such as a list that several people read.
func UnsubscribeToken(key []byte, d *Delivery) string {
	if d.Receiver == "" {
		return ""
	}
	u := unsubscription{Channel: d.Channel, Receiver: d.Receiver, Object: d.Object}
	if u.Object == 0 {
		u.Rule = d.Rule
	}
	text, err := json.Marshal(u)
	if err != nil || len(text) > maxToken/2 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(tagOf(key, text))
}

func tagOf(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// UnsubscribeBy stops the messages that a token names. Stopping them again changes nothing.
//
// Errors: ErrUnknown for a token that the database did not issue; those of the database.
func UnsubscribeBy(ctx context.Context, db *sqldb.DB, token string) error {
	key, err := UnsubscribeKey(ctx, db)
	if err != nil {
		return err
	}
	u, ok := openToken(key, token)
	if !ok {
		return fmt.Errorf("the token of an unsubscription: %w", ErrUnknown)
	}
	m := Mute{Channel: u.Channel, Receiver: u.Receiver, Object: u.Object, Rule: u.Rule, Digests: u.Object == 0, CreatedBy: "the link in a mail to " + u.Receiver}
	if m.Digests {
		m.Until = db.Now().Add(digestPause)
	}
	others, err := Mutes(ctx, db, db.Now())
	if err != nil {
		return err
	}
	for _, o := range others { // a link that is sent a thousand times writes one row
		if o.Person == "" && o.Channel == m.Channel && o.Receiver == m.Receiver && o.Object == m.Object && o.Rule == m.Rule && o.Digests == m.Digests && (m.Digests || o.Until.IsZero()) {
			return nil
		}
	}
	return AddMute(ctx, db, m)
}

// openToken returns the content of a token that the key signed.
func openToken(key []byte, token string) (u unsubscription, ok bool) {
	first, second, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	tag, failed := base64.RawURLEncoding.DecodeString(second)
	if len(token) > maxToken || err != nil || failed != nil || !hmac.Equal(tag, tagOf(key, text)) {
		return u, false
	}
	return u, json.Unmarshal(text, &u) == nil && u.Channel != "" && u.Receiver != ""
}
