package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

const goTypes = `package api

import "time"

// Prefix begins all paths.
const Prefix = "/api/v1"

// Mood is a word.
type Mood string

const (
	Good Mood = "good"
	Bad  Mood = "bad"
)

// Outer has everything.
type Outer struct {
	Inner
	// When it happened.
	When   time.Time         ` + "`json:\"when,omitzero\"`" + `
	Next   *Outer            ` + "`json:\"next,omitempty\"`" + `
	Words  map[string][]Mood ` + "`json:\"words\"`" + `
	N      int64             ` + "`json:\"n\"`" + ` // how many
	Raw    []byte            ` + "`json:\"raw\"`" + `
	Hidden string            ` + "`json:\"-\"`" + `
	Any    any               ` + "`json:\"any\"`" + `
	Twice  float64           ` + "`json:\"twice\"`" + `
}

// Inner is embedded.
type Inner struct {
	Twice string ` + "`json:\"twice\"`" + `
	Once  bool   ` + "`json:\"once\"`" + `
}

type unexported struct{}
`

const wantTypes = `export const Prefix = "/api/v1";

// Mood is a word.
export type Mood = "good" | "bad";

// Outer has everything.
export interface Outer extends Omit<Inner, "twice"> {
  // When it happened.
  when?: string;
  next?: Outer;
  words: { [key: string]: Mood[] };
  // how many
  n: number;
  raw: string;
  any: unknown;
  twice: number;
}

// Inner is embedded.
export interface Inner {
  twice: string;
  once: boolean;
}
`

func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTypeScript(t *testing.T) {
	got, err := typeScript(write(t, goTypes))
	if err != nil {
		t.Fatal(err)
	}
	if _, got, _ = strings.Cut(got, "\n"); got != wantTypes {
		t.Errorf("got\n%s\nwant\n%s", got, wantTypes)
	}
}

func TestTypesWithoutTypeScript(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"type T struct{ F chan int `json:\"f\"` }", "no TypeScript"},
		{"type T struct{ F int }", "field F has no name for JSON"},
		{"type T struct{ F int `yaml:\"f\"` }", "field F has no name for JSON"},
	} {
		if _, err := typeScript(write(t, "package api\n"+c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestGenerated compares src/api.ts with package platform/portal/api.
func TestGenerated(t *testing.T) {
	want, err := typeScript("../../api")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../src/api.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("src/api.ts is not what platform/portal/api gives; run make ui")
	}
}

func TestSize(t *testing.T) {
	o := output{"a.js": []byte(strings.Repeat("a", 1000)), licenses: []byte("x")}
	if err := o.manifest(); err != nil {
		t.Fatal(err)
	}
	random := testinput.Rand(t)
	for len(o["big"]) < maxSize+1000 { // noise, which cannot be compressed
		o["big"] = binary.LittleEndian.AppendUint64(o["big"], random.Uint64())
	}
	if err := o.manifest(); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file that is too large: %v", err)
	}
}
