package apitest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// call is a request while it is handled.
type call struct {
	Request
	table    *table
	list     *internalversion.ListOptions // only for collections
	choice   selection
	enc      encoding
	handler  *http.Request
	cbor     bool                      // bodies may be CBOR
	warnings []string                  // for the client, in the header Warning
	admit    func(metav1.Object) error // lets Config.Admit change or reject an object
}
