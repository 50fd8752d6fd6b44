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

// tooLarge is the error for a version that does not exist yet. A real server waits three seconds before it returns it.
func tooLarge(asked, have uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, have), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	return err
}

// tooOld is the error for a version after which some events are no longer in the window.
func tooOld(asked, floor uint64) error {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", asked, floor))
}
