package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
	"github.com/vedette-io/vedette/platform/portal/ui"
)

func insightWords(t *testing.T) surface {
	return wordsOf(t, folderOf[words.Speaker](t))
}

func messageWords(t *testing.T) surface { return wordsOf(t, folderOf[message.Message](t)) }

// wordsOf returns the texts of the variables english and chinese of a package.
func wordsOf(t *testing.T, dir string) surface {
	t.Helper()
	s := surface{}
	l := literalsOf(t, parseFolder(t, dir))
	for name, language := range map[string]string{"english": "en", "chinese": "zh"} {
		before := len(s)
		if l[name] != nil {
			flatten(t, l[name], "", func(path, text string) { s.add(t, strings.TrimSpace(path)+" "+language, text) })
		}
		if len(s) == before {
			t.Errorf("%s has no words in the variable %s", dir, name)
		}
	}
	return s
}

// dictionary finds the beginning of an object with the words of a language.
var dictionary = regexp.MustCompile(`(?m)^(?:export )?const (en|zh)(?:: [^=]+)? = \{`)

// pageWords returns the words in the sources of the pages, by the folder of the page.
func pageWords(t *testing.T) surface {
	s := surface{}
	root := filepath.Join(folderOf[ui.Pages](t), "src")
	if err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".ts" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range dictionary.FindAllStringSubmatchIndex(string(text), -1) {
			language := string(text[m[2]:m[3]])
			page := filepath.Base(filepath.Dir(file))
			r := &typeScript{text: string(text[m[1]:])}
			r.object(page, func(path, value string) { s.add(t, path+" "+language, value) })
			if r.failed != "" {
				t.Errorf("%s: %s", file, r.failed)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// converted is a type after an object.
var converted = regexp.MustCompile(`^\s*(?:(?:as|satisfies) [\w.]+(?:<[^>]*>)?)?\s*`)

// typeScript reads object literals of TypeScript.
type typeScript struct {
	text   string // the rest
	failed string // the first mistake
}

// object reads the rest of an object after its "{", and calls add for each value in it that is not
// an object.
func (r *typeScript) object(path string, add func(path, value string)) {
	for {
		r.space()
		if r.failed != "" || strings.HasPrefix(r.text, "}") {
			r.text = strings.TrimPrefix(r.text, "}")
			return
		}
		key := strings.TrimSpace(r.until(":,}"))
		if key == "" {
			r.failed = "an object has no key before " + r.text[:min(len(r.text), 40)]
			return
		}
		if word, err := strconv.Unquote(key); err == nil {
			key = word
		}
		at := path + "." + key
		switch {
		case !strings.HasPrefix(r.text, ":"): // a variable with the name of the key
			add(at, key)
		default:
			r.text = r.text[1:]
			if r.space(); strings.HasPrefix(r.text, "{") {
				r.text = r.text[1:]
				r.object(at, add)
				r.text = r.text[len(converted.FindString(r.text)):]
			} else {
				add(at, strings.TrimSpace(r.until(",}")))
			}
		}
		r.text = strings.TrimPrefix(r.text, ",")
	}
}

// space skips spaces and comments.
func (r *typeScript) space() {
	for {
		r.text = strings.TrimLeft(r.text, " \t\r\n")
		switch {
		case strings.HasPrefix(r.text, "//"):
			_, r.text, _ = strings.Cut(r.text, "\n")
		case strings.HasPrefix(r.text, "/*"):
			_, r.text, _ = strings.Cut(r.text, "*/")
		case r.text == "":
			r.failed = "an object has no end"
			return
		default:
			return
		}
	}
}

// until reads up to one of the characters in ends that is in no string and in no brackets.
func (r *typeScript) until(ends string) string {
	from, depth := r.text, 0
	for r.text != "" {
		c := r.text[0]
		switch {
		case depth == 0 && strings.IndexByte(ends, c) >= 0:
			return from[:len(from)-len(r.text)]
		case c == '"' || c == '\'' || c == '`':
			r.quoted(c)
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		_, size := utf8.DecodeRuneInString(r.text)
		r.text = r.text[size:]
	}
	r.failed = "a value has no end"
	return from
}

// quoted reads a string. A template may contain expressions, with strings in them.
func (r *typeScript) quoted(mark byte) {
	r.text = r.text[1:]
	for r.text != "" {
		switch {
		case r.text[0] == mark:
			r.text = r.text[1:]
			return
		case r.text[0] == '\\':
			r.text = r.text[min(2, len(r.text)):]
		case mark == '`' && strings.HasPrefix(r.text, "${"):
			r.text = r.text[2:]
			r.until("}")
			r.text = strings.TrimPrefix(r.text, "}")
		default:
			r.text = r.text[1:]
		}
	}
	r.failed = "a string has no end"
}
