package clientgo

import (
	"strings"

	"github.com/vedette-io/vedette/wire"
)

// wireKey returns the key of a name in the form of client-go: "namespace/name" or
// "name".
func wireKey(key string) wire.Key {
	if namespace, name, ok := strings.Cut(key, "/"); ok {
		return wire.Key{Namespace: namespace, Name: name}
	}
	return wire.Key{Name: key}
}
