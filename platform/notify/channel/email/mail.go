package email

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wneessen/go-mail"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	maxSubject = 78       // columns
	maxBody    = 90 << 10 // bytes of HTML and plain text; Gmail clips at 102 KB
	maxLog     = 20       // lines
)

// Subject selects the content of the subject line of a mail.
type Subject int

const (
	// SubjectTitle is the title of the message, with state, reason and job.
	SubjectTitle Subject = iota
	// SubjectJob is only the name of the job. Gmail shows mails with equal subjects as one
	// thread. The title becomes the preheader.
	SubjectJob
)

// content is the readable part of a mail.
type content struct {
	subject, html, text string
	states              []job.State // whose icons the HTML shows
}

// render returns the content of a message within the limits.
func render(m *message.Message, subject Subject) (*content, error) {
	short := *m
	short.Log = m.Log[max(0, len(m.Log)-maxLog):]
	c := &content{}
	c.subject, _ = m.TitleWithin(message.Limit{Columns: maxSubject})
	preheader := m.Sentence
	if subject == SubjectJob && m.Name != "" {
		preheader = c.subject
		c.subject = message.Limit{Columns: maxSubject}.CutMiddle(m.Name)
	}
	c.subject = strings.Trim(c.subject, " ") // headers are trimmed
	var failed error
	fitting := message.Fit(&short, func(m *message.Message) bool {
		c.html, failed = html(m, c.subject, preheader)
		c.text = text(m)
		return failed != nil || len(c.html)+len(c.text) <= maxBody
	})
	if failed != nil {
		return nil, failed
	}
	if len(c.html)+len(c.text) > maxBody {
		return nil, fmt.Errorf("the mail has %d bytes, and nothing can be left out", len(c.html)+len(c.text))
	}
	c.states = statesOf(fitting)
	return c, nil
}

// statesOf returns the states whose icons a message shows.
func statesOf(m *message.Message) (all []job.State) {
	seen := map[job.State]bool{}
	add := func(s job.State) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	if len(m.Sections) == 0 && m.State != "" {
		add(m.State)
	}
	for _, s := range m.Sections {
		add(s.State)
	}
	return all
}

// envelope has all parts of a mail except its content.
type envelope struct {
	from, to   string // addresses with names
	id, thread string // Message-IDs without brackets; the thread may be empty
	mute, stop string // URLs: a page of the portal, and the address of a one-click unsubscription; may be empty
	at         time.Time
}

// build returns the mail.
func build(e envelope, c *content) (*mail.Msg, error) {
	m := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := m.From(e.from); err != nil {
		return nil, fmt.Errorf("the sender's address is not valid: %w", err)
	}
	if err := m.To(e.to); err != nil {
		return nil, fmt.Errorf("the receiver's address is not valid: %w", err)
	}
	setSubject(m, c.subject)
	m.SetDateWithValue(e.at)
	m.SetMessageIDWithValue(e.id)
	if e.thread != "" {
		m.SetGenHeader(mail.HeaderReferences, "<"+e.thread+">")
		m.SetGenHeader(mail.HeaderInReplyTo, "<"+e.thread+">")
	}
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All") // otherwise Exchange sends out-of-office replies
	m.SetGenHeader("User-Agent", "Vedette")
	if e.stop == "" || m.SetListUnsubscribeOneClick(e.stop) != nil { // one click needs https
		if e.mute != "" {
			m.SetGenHeaderPreformatted(mail.HeaderListUnsubscribe, "<"+e.mute+">")
		}
	}
	m.SetBodyString(mail.TypeTextPlain, c.text)
	m.AddAlternativeString(mail.TypeTextHTML, c.html)
	embed := func(id string, picture []byte) error {
		return m.EmbedReader(id+".png", bytes.NewReader(picture), mail.WithFileContentID(id), mail.WithFileContentType("image/png"))
	}
	for _, dark := range []bool{false, true} {
		suffix := ""
		if dark {
			suffix = "-dark"
		}
		if err := embed("logo"+suffix, logoOf(dark)); err != nil {
			return nil, err
		}
		for _, s := range c.states {
			if err := embed(contentID(s)+suffix, iconOf(s, dark)); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// setSubject sets the subject. The library does not encode ASCII. A text that looks like
// an encoded word is therefore encoded here, so that readers show it literally.
func setSubject(m *mail.Msg, subject string) {
	if !strings.Contains(subject, "=?") {
		m.Subject(subject)
		return
	}
	subject = strings.ToValidUTF8(subject, "?")
	var words []string
	for subject != "" {
		n := min(maxWord, len(subject))
		for !utf8.ValidString(subject[:n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(subject[:n]))+"?=")
		subject = subject[n:]
	}
	m.SetGenHeaderPreformatted(mail.HeaderSubject, strings.Join(words, "\r\n "))
}

const maxWord = 45 // bytes, so that an encoded word has at most 75 characters

// idOf returns the Message-ID of a message to an address. It is stable and unique.
func idOf(m *message.Message, address string) string {
	sum := sha256.Sum256([]byte(m.ID + "\x00" + address))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20])) + "@" + domainOf(m)
}

// threadOf returns the Message-ID that all mails of a job refer to, or "" for other mails.
func threadOf(m *message.Message) string {
	left, _, ok := strings.Cut(m.Thread, "@")
	if !ok {
		return ""
	}
	return atom(left) + "@" + domainOf(m)
}

// domainOf returns CLUSTER.vedette.
func domainOf(m *message.Message) string {
	_, cluster, _ := strings.Cut(m.Thread, "@")
	if cluster == "" {
		return "vedette"
	}
	return atom(cluster) + ".vedette"
}

const maxAtom = 64

// atom returns a text as a part of a Message-ID. A text with characters other than
// letters, digits, hyphens and single dots becomes its hash, so that different texts stay
// different.
func atom(text string) string {
	plain := text != "" && len(text) <= maxAtom && !strings.Contains(text, "..") && strings.Trim(text, ".") == text
	for i := range len(text) {
		c := text[i]
		plain = plain && (c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if plain {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "x" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}

// inHeader returns a URL if it is valid in a header, else "".
func inHeader(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(address) > 900 {
		return ""
	}
	return u.String()
}
