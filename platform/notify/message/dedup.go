package message

import (
	"crypto/sha256"
	"encoding/hex"
)

const maxDedup = 255

// dedup returns the key that is the same for all alerts of a job and a rule. A key that is
// too long ends with its hash.
func dedup(j Job, rule string) string {
	key := "vedette/" + or(j.Cluster, j.ClusterUID) + "/" + j.UID + "/" + rule
	if len(key) <= maxDedup {
		return key
	}
	hash := sha256.Sum256([]byte(key))
	return "vedette/" + hex.EncodeToString(hash[:])
}
