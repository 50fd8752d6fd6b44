package apitest

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// listMeta is the metadata of a list. apimachinery has the shard only since 0.36.
type listMeta struct {
	metav1.ListMeta

	Shard *shardInfo `json:"shardInfo,omitempty"`
}

// shardInfo is the selector of a list that has a part of the objects (KEP-5866).
type shardInfo struct {
	Selector string `json:"selector"`
}

func listMetaOf(version uint64) listMeta {
	return listMeta{ListMeta: metav1.ListMeta{ResourceVersion: formatVersion(version)}}
}
