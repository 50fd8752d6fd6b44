package email

// Security selects the encryption of a connection.
type Security int

const (
	// StartTLS connects without encryption and requires STARTTLS before any other command.
	StartTLS Security = iota
	// ImplicitTLS encrypts from the first byte. URLs with smtps:// imply it.
	ImplicitTLS
	// Opportunistic uses STARTTLS if the server offers it. An attacker on the network can
	// prevent that, so it is not allowed with a password.
	Opportunistic
	// Plaintext never encrypts, for a relay on the same machine. It is not allowed with a
	// password.
	Plaintext
)
