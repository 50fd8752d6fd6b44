package controller

import (
	"hash/fnv"

	"github.com/vedette-io/vedette/wire"
)

// ranksFirst reports whether one owns a key among it and others: whether its score for the
// key is the highest (rendezvous hashing). When a member joins or leaves, only the keys
// that it gains or had move.
func ranksFirst(one string, others []string, key wire.Key) bool {
	k := keyHash(key)
	x := score(one, k)
	for _, other := range others {
		if y := score(other, k); other != one && (y > x || y == x && other > one) {
			return false
		}
	}
	return true
}

// score combines a member with a key. FNV alone is not enough: members that differ only in
// their last letter would get shares of very different sizes.
func score(member string, key uint64) uint64 { return mix(mix(textHash(member)) ^ key) }

func keyHash(k wire.Key) uint64 {
	return mix(textHash(k.Cluster + "\x00" + k.Namespace + "\x00" + k.Name))
}

func textHash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // Write of a hash never returns an error
	return h.Sum64()
}

// mix spreads each bit over all others (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
