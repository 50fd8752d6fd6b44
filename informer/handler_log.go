package informer

import (
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
)

// handlerLog monitors the calls of one handler.
type handlerLog struct {
	mu    sync.Mutex
	hangs *faultlog.Reporter
	timer *time.Timer // runs during a call
}

func (l *handlerLog) stop() {
	l.timer.Stop()
	l.hangs.Stop()
}
