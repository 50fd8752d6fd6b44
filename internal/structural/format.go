package structural

import (
	"encoding/base64"
	"net"
	"net/mail"
	"net/netip"
	"regexp"
	"time"
)

var uuidForm = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)

// formats are the formats that are checked. A server knows more of them, which are rare, and
// ignores those that it does not know.
var formats = map[string]func(string) bool{
	"date-time": func(text string) bool { _, err := time.Parse(time.RFC3339Nano, text); return err == nil },
	"date":      func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil },
	"byte":      func(text string) bool { _, err := base64.StdEncoding.DecodeString(text); return err == nil },
	"ipv4":      func(text string) bool { a, err := netip.ParseAddr(text); return err == nil && a.Is4() },
	"ipv6":      func(text string) bool { a, err := netip.ParseAddr(text); return err == nil && a.Is6() },
	"cidr":      func(text string) bool { _, _, err := net.ParseCIDR(text); return err == nil },
	"mac":       func(text string) bool { _, err := net.ParseMAC(text); return err == nil },
	"email":     func(text string) bool { _, err := mail.ParseAddress(text); return err == nil },
	"uuid":      uuidForm.MatchString,
}

// validFormat reports whether a text has a format.
func validFormat(format, text string) bool {
	valid := formats[format]
	return valid == nil || valid(text)
}
