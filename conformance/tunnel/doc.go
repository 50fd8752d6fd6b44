// Package tunnel tests informers behind client-go's interfaces, with a real API server: with every
// kind of credentials, and every form of objects, they have the same objects as those of client-go.
// It has only tests.
package tunnel
