package why_test

import (
	"testing"

	"github.com/vedette-io/vedette/conformance/portal/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
