// Command stream copies the ends of jobs from NATS JetStream into a table. It may be killed
// at any time: an event that arrives again changes nothing.
//
//	vedette stream --to nats://localhost:4222 --db sqlite:history.db
//	go run ./examples/stream nats://localhost:4222 ends.db
package main

import (
	"context"
	"database/sql"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	_ "modernc.org/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 3 {
		log.Fatal("usage: stream SERVER FILE")
	}
	db := must(sql.Open("sqlite", "file:"+os.Args[2]+"?_pragma=busy_timeout(10000)"))
	must(db.Exec(`CREATE TABLE IF NOT EXISTS ends (id TEXT PRIMARY KEY, job TEXT, at TEXT)`))
	client := must(js.New(must(nats.Connect(os.Args[1], nats.MaxReconnects(-1)))))
	ends := []string{"vedette.*.*.jobs_batch.Succeeded", "vedette.*.*.jobs_batch.Failed"}
	messages := must(must(client.CreateOrUpdateConsumer(ctx, "VEDETTE", js.ConsumerConfig{Durable: "ends", FilterSubjects: ends, AckWait: 5 * time.Second})).Messages())
	context.AfterFunc(ctx, messages.Stop)
	for {
		m, err := messages.Next()
		if ctx.Err() != nil {
			return
		}
		h := must(m, err).Headers() // the source and the ID identify an event
		must(db.Exec(`INSERT INTO ends VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`, h.Get("ce-source")+"#"+h.Get("ce-id"), h.Get("ce-subject"), h.Get("ce-time")))
		must(m, m.Ack())
	}
}

// must ends the program after an error. Whatever it did not acknowledge arrives again.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
