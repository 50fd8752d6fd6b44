// Package jsontext reads JSON texts that are in memory, without decoding them.
//
// A [Cursor] moves over a text value by value. [ValueEnd] and the other functions find the
// end of a value or of a part of one; package wire uses them for texts of which only a
// part has arrived. A [Mask] copies an object without some of its fields.
//
// # Guarantees
//
// All of them check the grammar of RFC 8259 in the values that they read, at any nesting
// depth. They do not check that strings are UTF-8.
package jsontext
