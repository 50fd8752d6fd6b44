package clientgo_test

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/vedette-io/vedette/internal/stocktime" // stock informers run in bubbles
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
