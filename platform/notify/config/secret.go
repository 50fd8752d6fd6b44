package config

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden replaces a secret in texts.
const hidden = "(hidden)"

// Secret is a text that logs, errors and output do not show. Only Reveal returns it.
type Secret struct{ text string }

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.text == "" }

// String implements fmt.Stringer without the text.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return hidden
}

// GoString implements fmt.GoStringer without the text.
func (s Secret) GoString() string { return s.String() }

// Format implements fmt.Formatter without the text, for all verbs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText implements encoding.TextMarshaler, and so JSON and YAML, without the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements slog.LogValuer without the text.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
