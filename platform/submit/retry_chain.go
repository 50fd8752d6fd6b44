package submit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
)

// rootOf returns the UID of the first job of the chain that a job belongs to.
func rootOf(object *unstructured.Unstructured) string {
	if root := object.GetLabels()[job.RetryRootLabel]; root != "" {
		return root
	}
	return string(object.GetUID())
}

// attemptOf returns the number of a job in its chain, from 1.
func attemptOf(object *unstructured.Unstructured) int {
	return job.AttemptNumber(object.GetAnnotations()[job.AttemptAnnotation])
}

// attemptEnd matches the end of names of retries: "-r2", with a hash if that name was
// taken.
var attemptEnd = regexp.MustCompile(`-r([0-9]+)(-[a-z0-9]{` + strconv.Itoa(hashLength) + `})?$`)

// baseOf returns the name of a job without the suffix of retries.
func baseOf(object *unstructured.Unstructured) string {
	name := object.GetName()
	end := attemptEnd.FindStringSubmatch(name)
	if end == nil || object.GetLabels()[job.RetryRootLabel] == "" || end[1] != strconv.Itoa(attemptOf(object)) {
		return name
	}
	return strings.TrimSuffix(name, end[0])
}

// maxName is the maximum length of a label value; many operators use the name of a job as
// one.
const maxName = 63

// attemptName returns the name of an attempt: "train-7-r2".
func attemptName(base string, attempt int) string {
	end := fmt.Sprintf("-r%d", attempt)
	return strings.TrimRight(base[:min(len(base), maxName-len(end))], "-.") + end
}
