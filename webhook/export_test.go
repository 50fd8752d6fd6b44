package webhook

// SelfSignedUntil is SelfSigned with the end of the certificate.
var SelfSignedUntil = selfSigned
