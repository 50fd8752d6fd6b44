package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// spec is a test in Ginkgo's report.
type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	Failure                 struct {
		Message  string
		Location struct {
			FileName   string
			LineNumber int
		}
	}
}

func (s spec) name() string {
	return strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " ")
}

// readSpecs returns the numbers of passed and skipped specs of a report, and the failures
// by name.
func readSpecs(path string) (passed, skipped int, failed map[string]string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, nil, err
	}
	var reports []struct{ SpecReports []spec }
	if err := json.Unmarshal(text, &reports); err != nil {
		return 0, 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	failed = map[string]string{}
	for _, report := range reports {
		for _, s := range report.SpecReports {
			switch {
			case s.State == "passed" && s.LeafNodeType == "It":
				passed++
			case s.State == "skipped", s.State == "pending":
				skipped++
			case s.State != "passed":
				at := s.Failure.Location
				failed[s.name()] = fmt.Sprintf("%s: %s:%d: %s", s.State, at.FileName, at.LineNumber, s.Failure.Message)
			}
		}
	}
	return passed, skipped, failed, nil
}
