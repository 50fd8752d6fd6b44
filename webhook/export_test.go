package webhook

import "testing"

// SelfSignedUntil is SelfSigned with the end of the certificate.
var SelfSignedUntil = selfSigned

// Patched fails the test if a patch does not fit an object.
func Patched(t testing.TB, raw, patch []byte) { patched(t, raw, patch) }
