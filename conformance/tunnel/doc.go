// Package tunnel holds informers with the interfaces of client-go against a real API
// server: with every way to prove who one is, and every form of objects, they have the
// same objects as those of client-go. It has only tests.
package tunnel
