package email

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// part is a leaf part of a mail.
type part struct {
	kind, id string
	body     []byte
}

// parsed is a mail in the form that a reader sees.
type parsed struct {
	header mail.Header
	parts  []part
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// read builds the mail of a message, and parses it.
func read(t failer, m *message.Message, subject Subject, to string) (parsed, *content) {
	t.Helper()
	c, err := render(m, subject)
	if err != nil {
		t.Fatalf("%v", err)
	}
	built, err := build(envelope{"Vedette <vedette@gpu-west.example>", to, idOf(m, to), threadOf(m), inHeader(m.Footer.Mute.URL), inHeader(m.Footer.Unsubscribe), time.Unix(1e9, 0)}, c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var raw bytes.Buffer
	if _, err := built.WriteTo(&raw); err != nil {
		t.Fatalf("%v", err)
	}
	for line := range strings.SplitSeq(raw.String(), "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Fatalf("a line that SMTP does not take: %.200q", line)
		}
	}
	read, err := mail.ReadMessage(&raw)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := parsed{header: read.Header}
	if err := p.walk(read.Header.Get("Content-Type"), read.Header.Get("Content-Transfer-Encoding"), read.Header.Get("Content-ID"), read.Body); err != nil {
		t.Fatalf("%v", err)
	}
	return p, c
}

func (p *parsed) walk(contentType, encoding, id string, body io.Reader) error {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	if strings.HasPrefix(kind, "multipart/") {
		for r := multipart.NewReader(body, parameters["boundary"]); ; {
			next, err := r.NextRawPart()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = p.walk(next.Header.Get("Content-Type"), next.Header.Get("Content-Transfer-Encoding"), next.Header.Get("Content-ID"), next)
			}
			if err != nil {
				return err
			}
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	p.parts = append(p.parts, part{kind, id, text})
	return err
}

func (p *parsed) body(kind string) string {
	for _, part := range p.parts {
		if part.kind == kind {
			return string(part.body)
		}
	}
	return ""
}

// TestHeaders: a mail has the expected headers.
func TestHeaders(t *testing.T) {
	p, _ := read(t, failedMessage(), SubjectTitle, "liwei@example.com")
	for name, want := range map[string]string{
		"Subject": "Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337", "From": `"Vedette" <vedette@gpu-west.example>`, "To": "<liwei@example.com>",
		"References": "<0bcbde3e-8960-4961-ad34-668f0e3945bb@gpu-west.vedette>", "In-Reply-To": "<0bcbde3e-8960-4961-ad34-668f0e3945bb@gpu-west.vedette>",
		"Auto-Submitted": "auto-generated", "List-Unsubscribe": "<https://vedette.example/auth/unsubscribe/a.b>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	id := p.header.Get("Message-Id")
	if again, _ := read(t, failedMessage(), SubjectTitle, "liwei@example.com"); again.header.Get("Message-Id") != id || id == p.header.Get("References") {
		t.Errorf("a repeat has %q, and the first one %q", again.header.Get("Message-Id"), id)
	}
	if other, _ := read(t, failedMessage(), SubjectTitle, "ana@example.com"); other.header.Get("Message-Id") == id {
		t.Error("a mail to somebody else has the same Message-ID")
	}
	next := failedMessage()
	next.ID += "x"
	if other, _ := read(t, next, SubjectTitle, "liwei@example.com"); other.header.Get("Message-Id") == id || other.header.Get("References") != p.header.Get("References") {
		t.Error("the next mail of the job must have its own Message-ID and the same thread")
	}
	bare, _ := read(t, &message.Message{ID: "test/1", Kind: message.Test, Title: "Test of mail"}, SubjectTitle, "liwei@example.com")
	if bare.header.Get("References") != "" || bare.header.Get("List-Unsubscribe") != "" || !strings.HasSuffix(bare.header.Get("Message-Id"), "@vedette>") {
		t.Errorf("a mail without job and portal: %v", bare.header)
	}
}

// TestEncodedSubject: a subject in any script is shown literally, even if it looks like an
// encoded word.
func TestEncodedSubject(t *testing.T) {
	for _, subject := range []string{"已失败，OOMKilled：训练", "=?utf-8?q?=0D=0ABcc:_evil@example.com?=", "=?utf-8?b?失败?= 🚀 =?", "plain"} {
		m := failedMessage()
		m.Title = subject
		p, _ := read(t, m, SubjectTitle, "liwei@example.com")
		if got, err := new(mime.WordDecoder).DecodeHeader(p.header.Get("Subject")); err != nil || got != subject {
			t.Errorf("subject %q: got %q and error %v, want it unchanged", subject, got, err)
		}
	}
}

// TestSubjectJob: the subject is the name of the job, and the title becomes the preheader.
func TestSubjectJob(t *testing.T) {
	p, _ := read(t, failedMessage(), SubjectJob, "liwei@example.com")
	if p.header.Get("Subject") != "llama3-70b-dpo-mix-v4-seed-1337" || !strings.Contains(p.body("text/html"), ">Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337&#847;") {
		t.Errorf("got subject %q, want the name of the job, and the title in the text", p.header.Get("Subject"))
	}
}

var references = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestNothingFromOutside: the page loads only its own icons, each part is a picture, and
// all links lead to the portal.
func TestNothingFromOutside(t *testing.T) {
	for name, m := range map[string]*message.Message{"failed": failedMessage(), "digest": digestMessage()} {
		p, _ := read(t, m, SubjectTitle, "liwei@example.com")
		page := p.body("text/html")
		ids := map[string]bool{}
		for _, part := range p.parts {
			if part.kind != "image/png" {
				continue
			}
			picture, err := png.Decode(bytes.NewReader(part.body))
			if err != nil || picture.Bounds().Dx() != iconPixels || len(part.body) > 4096 {
				t.Errorf("%s: icon %s: got error %v and %d bytes, want a small picture of the right width", name, part.id, err, len(part.body))
			}
			ids[strings.Trim(part.id, "<>")] = true
		}
		used := map[string]bool{}
		for _, reference := range references.FindAllStringSubmatch(page, -1) {
			if id, ok := strings.CutPrefix(reference[1], "cid:"); ok {
				used[id] = true
			} else if !strings.HasPrefix(reference[1], "https://vedette.example/") {
				t.Errorf("%s refers to %s, want only parts of the mail and the portal", name, reference[1])
			}
		}
		if fmt.Sprint(ids) != fmt.Sprint(used) || len(ids) < 4 {
			t.Errorf("%s: got the icons %v, used %v; want the same, at least 4", name, ids, used)
		}
		for _, forbidden := range []string{"<script", "<link", "@import", "@font-face", "url(", "ZgotmplZ", "<no value>", "<form"} {
			if strings.Contains(page, forbidden) {
				t.Errorf("%s: the page has %s", name, forbidden)
			}
		}
		for _, wanted := range []string{`width="640"`, "prefers-color-scheme:dark", "color-scheme:light dark"} {
			if !strings.Contains(page, wanted) {
				t.Errorf("%s: the page lacks %s", name, wanted)
			}
		}
	}
}

// TestBothTextsSayTheSame: the plain text contains all text of the HTML.
func TestBothTextsSayTheSame(t *testing.T) {
	for _, m := range []*message.Message{failedMessage(), digestMessage()} {
		p, _ := read(t, m, SubjectTitle, "liwei@example.com")
		plain := strings.Join(strings.Fields(p.body("text/plain")), " ")
		said := []string{m.Head, m.Name, m.Sentence, m.Place, m.Footer.Why, m.Footer.Zone, m.Footer.Note, m.Footer.Mute.URL, m.Footer.Change.URL, m.StripEnd, m.LogTitle}
		for _, f := range m.Facts {
			said = append(said, f.Label+": "+f.Value)
		}
		for _, b := range m.Buttons {
			said = append(said, b.Text+": "+b.URL)
		}
		for _, l := range m.Log {
			said = append(said, strings.Join(strings.Fields(l), " "))
		}
		for _, s := range m.Sections {
			said = append(said, s.Title)
			for _, r := range s.Rows {
				said = append(said, r.Name+", "+r.Owner, r.Text, r.Time, r.URL)
			}
		}
		for _, text := range said {
			if !strings.Contains(plain, text) {
				t.Errorf("the plain text lacks %q", text)
			}
		}
	}
}

// skeleton returns a page without its text and attribute values.
func skeleton(page string) string {
	page = regexp.MustCompile(`="[^"]*"`).ReplaceAllString(page, "")
	return strings.Join(regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1), "")
}

// hostile is text that tries to be markup, a header or a link.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style><style>*{display:none}`, `<!--`, `-->`, `]]>`, `javascript:alert(1)`, `{{.ID}}`, "'", `&lt;b&gt;`, `</td></table>`,
	"\r\nBcc: evil@example.com\r\n\r\n", "=?utf-8?q?=0D=0ABcc:?=", "\x00\x1b[31m", "\u202egnp.exe", "\xff\xfe", "训练任务失败", "🚀", "@all", "https://evil.example/x", strings.Repeat("a", 300),
}

// TestUsersTextIsNoMarkup: for all texts, the page has the same elements, the mail has the
// same headers, and there is only one receiver.
func TestUsersTextIsNoMarkup(t *testing.T) {
	plain, _ := read(t, failedMessage(), SubjectTitle, "liwei@example.com")
	want := skeleton(plain.body("text/html"))
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringN(1, 100, 400)), func(s string) string { return "x" + message.Clean(s) })
		m := failedMessage()
		m.Title, m.Name, m.Head, m.Sentence, m.Place = text.Draw(t, "title"), text.Draw(t, "name"), text.Draw(t, "head"), text.Draw(t, "before")+" gpu-h100-17 "+text.Draw(t, "sentence"), text.Draw(t, "place")
		for i := range m.Facts {
			m.Facts[i] = message.Fact{Label: text.Draw(t, "label"), Value: text.Draw(t, "value")}
		}
		for i := range m.Log {
			m.Log[i] = text.Draw(t, "line")
		}
		m.LogNote, m.Footer.Why, m.ID = text.Draw(t, "note"), text.Draw(t, "why"), text.Draw(t, "ID")
		m.Thread = text.Draw(t, "UID") + "@" + text.Draw(t, "cluster")
		p, c := read(t, m, rapid.SampledFrom([]Subject{SubjectTitle, SubjectJob}).Draw(t, "subject"), "liwei@example.com")
		if got := skeleton(p.body("text/html")); got != want {
			t.Fatalf("the page has other elements:\n%s\n%s", got, want)
		}
		if len(p.header) != len(plain.header) || p.header.Get("To") != "<liwei@example.com>" || p.header.Get("Bcc") != "" {
			t.Fatalf("got headers %v, want those of a plain mail", p.header)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(p.header.Get("Subject"))
		if err != nil || subject != c.subject || printable.Columns(subject) > maxSubject {
			t.Fatalf("subject %q, want %q: %v", subject, c.subject, err)
		}
		id := strings.Trim(p.header.Get("Message-Id"), "<>")
		for _, id := range []string{id, strings.Trim(p.header.Get("References"), "<>")} {
			if !regexp.MustCompile(`^[A-Za-z0-9.-]+@[A-Za-z0-9.-]+\.vedette$`).MatchString(id) || len(id) > 200 {
				t.Fatalf("got the Message-ID %q, want a safe one of at most 200 bytes", id)
			}
		}
	})
}

// TestLimits: a mail with much text stays within the limits, keeps state, reason, links
// and the mute, and is valid.
func TestLimits(t *testing.T) {
	m := failedMessage()
	m.Title = "Failed, OOMKilled: " + strings.Repeat("训练", 200)
	m.Log = nil
	for i := range 500 {
		m.Log = append(m.Log, fmt.Sprint(i, strings.Repeat("&", 290)))
	}
	p, c := read(t, m, SubjectTitle, "liwei@example.com")
	if n := len(c.html) + len(c.text); n > maxBody || !utf8.ValidString(c.html) || printable.Columns(c.subject) > maxSubject || !strings.Contains(c.html, "499&amp;") || strings.Contains(c.html, ">479&amp;") {
		t.Errorf("got %d bytes and subject %q, want both within the limits, and only the last lines of the log", n, c.subject)
	}
	if !strings.Contains(p.body("text/html"), m.Footer.Mute.URL) || !strings.Contains(p.body("text/html"), m.Buttons[0].URL) {
		t.Error("a link is missing")
	}
	d := digestMessage()
	for i := range 2000 {
		d.Sections[4].Rows = append(d.Sections[4].Rows, message.Row{Name: fmt.Sprint("train-", i), Owner: "ines", GPUs: "–", Text: "ran 3h", Time: "10:00:00"})
	}
	if c, err := render(d, SubjectTitle); err != nil || len(c.html)+len(c.text) > maxBody || !strings.Contains(c.html, "llama3-70b") {
		t.Errorf("a long digest: got error %v, want it within the limit", err)
	}
}

// TestPlainTextIsNarrow: only links and log lines are wider than 72 columns, and no
// character is lost.
func TestPlainTextIsNarrow(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringN(0, 200, 800), rapid.StringOf(rapid.SampledFrom([]rune("训练 a，。b "))))
		source := message.Clean(text.Draw(t, "text"))
		columns := rapid.IntRange(4, 80).Draw(t, "columns")
		lines := wrap(source, columns)
		for _, l := range lines {
			if printable.Columns(l) > columns+2 || strings.Trim(l, " ") == "" || !utf8.ValidString(l) {
				t.Fatalf("%q has %d columns, more than %d", l, printable.Columns(l), columns)
			}
		}
		if got, want := strings.ReplaceAll(strings.Join(lines, ""), " ", ""), strings.ReplaceAll(source, " ", ""); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
	for l := range strings.SplitSeq(text(failedMessage()), "\n") {
		if printable.Columns(l) > textColumns && !strings.HasPrefix(l, "https://") && !strings.HasPrefix(l, "  ") {
			t.Errorf("got %d columns, want at most %d: %s", printable.Columns(l), textColumns, l)
		}
	}
}

// TestStrip: bars have their share of the width, labels never exceed the whole width, and
// no value breaks the page.
func TestStrip(t *testing.T) {
	states := []job.State{job.Submitted, job.Queued, job.Starting, job.Running, job.Suspended, job.Restarting, job.Succeeded, job.Failed, job.Aborted, job.Deleted, ""}
	testinput.Check(t, func(t *rapid.T) {
		m := failedMessage()
		m.Strip = nil
		for range rapid.IntRange(0, 30).Draw(t, "segments") {
			m.Strip = append(m.Strip, message.Segment{
				State: rapid.SampledFrom(states).Draw(t, "state"), Share: rapid.Float64Range(0, 1).Draw(t, "share"), Holds: rapid.Bool().Draw(t, "holds"),
				Gap: rapid.Bool().Draw(t, "gap"), Label: rapid.SampledFrom([]string{"", "06:20 queued", "<b>"}).Draw(t, "label"),
			})
		}
		m.StripEnd = rapid.SampledFrom([]string{"", "10:21"}).Draw(t, "end")
		p := newPage(m)
		sum := func(widths []string) (total float64) {
			for _, w := range widths {
				var share float64
				if _, err := fmt.Sscanf(w, "%f%%", &share); err != nil || share < 0 {
					t.Fatalf("got width %q, want a share in percent", w)
				}
				total += share
			}
			return total
		}
		var bars, labels []string
		for _, b := range p.Strip {
			bars = append(bars, b.Width)
		}
		for _, l := range p.Labels {
			labels = append(labels, l.Width)
		}
		if n := sum(bars); len(bars) > 0 && (n < 99 || n > 101) || sum(labels) > 101 {
			t.Fatalf("got bars %v and labels %v, want sums of about 100 and at most 101", bars, labels)
		}
		if page, err := html(m, "s", "p"); err != nil || strings.Contains(page, "ZgotmplZ") {
			t.Fatalf("got error %v, want a page without rejected values", err)
		}
	})
}
