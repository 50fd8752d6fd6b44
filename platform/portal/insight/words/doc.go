// Package words has the sentences of package insight in all languages.
//
// # Data flow
//
//	key, names and values of placeholders -> Speaker of a language -> sentence
//
// # Ownership
//
// A Speaker does not change, so any goroutine may use it.
//
// # Guarantees
//
// All languages have the same keys, and a key has the same placeholders in each. A value is
// inserted unchanged and not expanded, so the text of a user cannot insert a placeholder.
//
// # Limits
//
// The languages are English and Chinese. English has two plural forms, and Chinese one.
//
// # Errors
//
// There are none. An unknown language means English, and an unknown key an empty sentence; a
// test finds keys that do not exist.
package words
