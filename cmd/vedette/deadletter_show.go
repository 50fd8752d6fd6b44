package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func newDeadletterShow() *cobra.Command {
	var db, output string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show the text of a message, its tries and the last response",
		Long:  "The message may be in any state. The command uses the time zone and the language of this terminal.",
		Example: "  vedette deadletter show 17 --db sqlite:history.db\n\n" +
			"  # With its content as the database has it\n" +
			"  vedette deadletter show 17 -o json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return showDelivery(cmd.Context(), db, args, output, con)
		},
	}
	settings.AddDatabase(cmd, &db)
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: json or yaml (default: text)")
	return cmd
}

// shownDelivery is the machine-readable form of one delivery with its content.
type shownDelivery struct {
	deliveryview.Document
	Event json.RawMessage   `json:"event"`
	Items []json.RawMessage `json:"items,omitempty"`
}

func showDelivery(ctx context.Context, db string, args []string, output string, con *console.Console) error {
	if _, err := listing.ParseFormat(output, "json", "yaml"); err != nil {
		return err
	}
	ids, err := parseNumbers(args)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	one, items, err := delivery.Show(ctx, d, ids[0])
	if err != nil {
		return err
	}
	m := deliveryview.Message(&one, items, time.Now())
	if output == "" {
		return con.Print(deliveryText(&one, m))
	}
	doc := shownDelivery{Document: deliveryview.NewDocument(&one, m), Event: rawOf(one.Event)}
	for _, item := range items {
		doc.Items = append(doc.Items, rawOf(item.Event))
	}
	if output == "yaml" {
		text, err := objectyaml.Marshal(doc)
		if err != nil {
			return err
		}
		return con.Document(text)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "    ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return con.Document(text.String())
}

// rawOf returns content as JSON. Content that is not JSON becomes a string.
func rawOf(event []byte) json.RawMessage {
	if json.Valid(event) {
		return event
	}
	text, _ := json.Marshal(string(event)) // encoding a string returns no error
	return text
}

// deliveryText describes a delivery.
func deliveryText(d *delivery.Delivery, m *message.Message) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(message.Plain(m, columnsOfText), "\n")) {
		b.WriteString(printable.Line(strings.TrimSuffix(line, "\n")) + "\n")
	}
	b.WriteString("\n")
	rows := [][]string{
		{"to", strings.TrimSpace(deliveryview.Recipient(d) + " " + inBrackets(d.Receiver, d.Person != ""))},
		{"rule", d.Rule},
		{"state", stateOf(d)},
		{"tries", triesOf(d)},
		{"created", units.Local(d.CreatedAt)},
		{"key", d.Key},
	}
	if d.AckedBy != "" {
		rows = append(rows, []string{"acknowledged", units.Local(d.AckedAt) + " by " + d.AckedBy})
	}
	b.WriteString(table.Lay(rows...))
	if d.State == delivery.Dead {
		fmt.Fprintf(&b, "\nSend it again:  vedette deadletter replay %d\nGive it up:     vedette deadletter drop %[1]d\n", d.ID)
	}
	return b.String()
}

// columnsOfText is the width of text for people.
const columnsOfText = 100

func inBrackets(text string, ok bool) string {
	if text == "" || !ok {
		return ""
	}
	return "(" + text + ")"
}

func stateOf(d *delivery.Delivery) string {
	switch d.State {
	case delivery.Held:
		return "held until " + units.Local(d.NextAt)
	case delivery.Waiting:
		return "waiting; the next try is at " + units.Local(d.NextAt)
	case delivery.Behind:
		return "waiting for an earlier message about the same object"
	case delivery.Sending:
		return "being sent by " + d.ClaimedBy
	}
	return d.State.String() + " at " + units.Local(d.NextAt)
}

func triesOf(d *delivery.Delivery) string {
	text := fmt.Sprint(d.Attempts)
	if said := deliveryview.Answer(d); said != "" {
		text += "; the last answer: " + said
	}
	return text
}
