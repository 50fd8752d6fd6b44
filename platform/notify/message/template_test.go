package message_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ name, title, sentence, wantTitle, wantSentence string }{
		{
			"fields", "[{{.Queue}}] {{.Job}}", "{{.Pod}} on {{.Node}}: {{.ExitCode}}, {{.GPUs}} GPUs, {{.From}} to {{.To}}", "[gpu-h100] llama3-70b-dpo-mix-v4-seed-1337",
			"llama3-70b-dpo-mix-v4-seed-1337-worker-2 on gpu-h100-17: 137, 32 GPUs, Running to Failed",
		},
		{
			"default words", "SEV2 {{.Title}}", "", "SEV2 Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337",
			"Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. Attempts 2 and 3 ended the same way; no retries were left.",
		},
		{
			"conditions", `{{if gt .GPUs 16}}big{{else}}small{{end}} {{with .Queue}}{{.}}{{end}} {{printf "%03d" .Attempt}}`, "", "big gpu-h100 003",
			"Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. Attempts 2 and 3 ended the same way; no retries were left.",
		},
		{"lines are joined", "a\n\tb", "x\r\ny", "a b", "x y"},
		{"no links", "{{.Job}}", "see https://wiki.example/x", "llama3-70b-dpo-mix-v4-seed-1337", "see hxxps://wiki[.]example/x"},
	} {
		templates, err := message.ParseTemplates(map[message.Kind]message.Source{message.Failed: {Title: c.title, Sentence: c.sentence}})
		if err != nil {
			t.Fatalf("%s: the template does not parse: %v", c.name, err)
		}
		n, o := full(message.Failed), options("en")
		o.Templates = templates
		m, err := message.Compose(&n, o)
		if err != nil || m.Title != c.wantTitle || m.Sentence != c.wantSentence {
			t.Errorf("%s: got %q, %q and error %v, want %q and %q", c.name, m.Title, m.Sentence, err, c.wantTitle, c.wantSentence)
		}
	}
}

// TestTemplatesThatAreRefused: parsing refuses templates that could always fail or run
// forever.
func TestTemplatesThatAreRefused(t *testing.T) {
	for source, want := range map[string]string{
		"{{.Job":                                           "unclosed action",
		"{{.Nmae}}":                                        "there is no field .Nmae",
		"{{$.Nmae}}":                                       "there is no field .Nmae",
		"{{.Job.Name}}":                                    "there is no field .Job.Name",
		"{{if false}}{{.Secret}}{{end}}":                   "there is no field .Secret",
		"{{with $x := .Job}}{{$x.Y}}{{end}}":               "$x has no fields",
		"{{(print .Job).Y}}":                               "there is no field",
		"{{range 1000000000}}x{{end}}":                     "range is not allowed",
		`{{define "a"}}{{template "a"}}{{end}}`:            "templates within templates",
		`{{block "a" .}}x{{end}}`:                          "templates within templates",
		`{{template "title"}}`:                             "templates within templates",
		"{{exec .Job}}":                                    `function "exec" not defined`,
		strings.Repeat("x", 5000):                          "4096 are allowed",
		`{{if .Late}}{{else}}{{range .Job}}{{end}}{{end}}`: "range is not allowed",
	} {
		if _, err := message.ParseTemplates(map[message.Kind]message.Source{"": {Title: source}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", source, err, want)
		}
	}
	_, err := message.ParseTemplates(map[message.Kind]message.Source{message.Failed: {Title: "{{", Sentence: "{{.X}}"}, "Odd": {}})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not all mistakes: %v", err)
	}
}

// TestTemplatesThatFail: the message reports the failure, and has the default title and
// the links.
func TestTemplatesThatFail(t *testing.T) {
	for name, source := range map[string]message.Source{
		"an index":       {Title: `{{slice .Queue 50 90}}`},
		"no text":        {Title: `{{if .Late}}x{{end}}`},
		"megabytes":      {Sentence: `{{printf "%999d%999d%999d" 1 1 1}}`},
		"width":          {Sentence: `{{printf "%999999d" 1}}`},
		"given width":    {Sentence: `{{printf "%*d" 999999 1}}`},
		"growing":        {Sentence: `{{$a := print .Job .Job .Job .Job .Job .Job .Job .Job}}{{$b := print $a $a $a $a $a $a $a $a}}{{$c := print $b $b $b $b $b $b}}short`},
		"much output":    {Sentence: strings.Repeat(`{{.Job}}`, 500)},
		"escapes":        {Sentence: `{{html (html (html (print .Job "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<")))}}{{print .Job .Job .Job .Job .Job .Job}}`},
		"a bad function": {Title: `{{index .Job 1000}}`},
	} {
		templates, err := message.ParseTemplates(map[message.Kind]message.Source{"": source})
		if err != nil {
			t.Fatalf("%s: the template does not parse: %v", name, err)
		}
		for _, kind := range []message.Kind{message.Failed, message.Digest} {
			n, o := full(message.Failed), options("en")
			o.Templates = templates
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := message.Compose(&n, o)
			title := "Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337"
			if kind == message.Digest {
				m, err = message.ComposeDigest([]message.Notice{n}, at("09:42:00"), at("10:42:00"), o)
				title = "1 failed since 09:42"
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
				t.Errorf("%s used %d bytes, want at most 1 MiB", name, used)
			}
			if kind == message.Digest && err == nil && m.TemplateError == "" {
				continue // a digest has no job
			}
			if err == nil || m.Title != title || !strings.HasPrefix(m.Sentence, "The template of rule “my failures” failed: ") || m.TemplateError == "" || m.URL == "" || m.Facts != nil || m.Log != nil {
				t.Errorf("%s: got error %v, title %q, sentence %q; want the usual title and the name of the rule", name, err, m.Title, m.Sentence)
			}
			if len(m.Sentence) > 400 {
				t.Errorf("%s: got %d bytes, want at most 400", name, len(m.Sentence))
			}
		}
	}
}

// TestTemplatesOfUsers: every template gives a message that is safe to show.
func TestTemplatesOfUsers(t *testing.T) {
	parts := []string{"{{.Job}}", "{{.Message}}", "{{.Title}}", "{{if .Late}}", "{{else}}", "{{end}}", "{{with .Queue}}", "{{.}}", "\n", "\u202e", "http://x.y ", "{{printf \"%q\" .Job}}", "{{len .Job}}", "{{html .Job}}"}
	testinput.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), hostileText), 0, 6).Draw(t, "source"), "")
		templates, err := message.ParseTemplates(map[message.Kind]message.Source{"": {Title: source, Sentence: source}})
		if err != nil {
			return
		}
		n, o := full(message.Failed), options("en")
		n.Job.Name, n.Message = hostileText.Draw(t, "name"), hostileText.Draw(t, "message")
		o.Templates = templates
		m, err := message.Compose(&n, o)
		if (err != nil) != (m.TemplateError != "") || errors.Unwrap(err) == nil && err != nil {
			t.Fatal(err)
		}
		checkMessage(t, m)
	})
}

// TestTemplatesUseLittleMemory: a template of 4 KiB with wide numbers does not use memory
// for them.
func TestTemplatesUseLittleMemory(t *testing.T) {
	templates, err := message.ParseTemplates(map[message.Kind]message.Source{"": {Sentence: `{{printf "` + strings.Repeat("%999999d", 400) + `" 1}}`}})
	if err != nil {
		t.Fatal(err)
	}
	n, o := full(message.Failed), options("en")
	o.Templates = templates
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = message.Compose(&n, o)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 1<<20 {
		t.Errorf("used %d bytes, error %v; want at most 1 MiB and an error", used, err)
	}
}
