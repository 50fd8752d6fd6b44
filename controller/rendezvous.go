package controller

import (
	"hash/fnv"

	"github.com/vedette-io/vedette/wire"
)

// beatsAll reports whether one has a key among several that share, itself left
// out: the one whose hash with the key is the highest (rendezvous hashing). If one
// comes or goes, only the keys move that it gets or had.
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

// score mixes a member with a key. FNV alone would not do: members that differ in
// their last letter only would get shares of very different sizes.
func score(member string, key uint64) uint64 { return mix(mix(textHash(member)) ^ key) }

func keyHash(k wire.Key) uint64 {
	return mix(textHash(k.Cluster + "\x00" + k.Namespace + "\x00" + k.Name))
}

func textHash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // it can not fail
	return h.Sum64()
}

// mix spreads each bit over all others (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
