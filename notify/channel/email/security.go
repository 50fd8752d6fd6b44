package email

// Security is how a connection is encrypted.
type Security int

const (
	// StartTLS begins without encryption and demands STARTTLS before anything else.
	StartTLS Security = iota
	// ImplicitTLS encrypts from the first byte. URLs with smtps:// mean it.
	ImplicitTLS
	// Opportunistic uses STARTTLS if the server offers it. Somebody on the way can prevent
	// it, so it takes no password.
	Opportunistic
	// Plaintext never encrypts, for a relay on the same machine. It takes no password.
	Plaintext
)
