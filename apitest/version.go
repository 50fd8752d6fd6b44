package apitest

import (
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// parseVersion reads a resource version; "" is 0.
func parseVersion(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version %q: %v", text, err))
	}
	return version, nil
}

func formatVersion(version uint64) string { return strconv.FormatUint(version, 10) }

// setVersion writes a resource version into an object.
func setVersion(obj metav1.Object, version uint64) { obj.SetResourceVersion(formatVersion(version)) }
