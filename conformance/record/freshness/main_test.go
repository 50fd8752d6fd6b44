package freshness_test

import (
	"testing"

	"github.com/vedette-io/vedette/conformance/record/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
