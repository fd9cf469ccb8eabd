package health

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// oldAfter is the age from which a snapshot is worth a word.
const oldAfter = 7 * 24 * time.Hour

// catalog reads all of a connection's last snapshot: a damage is found now, not
// when an agent needs that table.
func (k *check) catalog(ctx context.Context, c connection.Connection) {
	subject := "catalog " + string(c.ID)
	snapshot, err := k.service.config.Catalogs.Of(string(c.ID)).Latest()
	if sdk.KindOf(err) == sdk.KindNotFound {
		k.warn(subject, "never scanned: agents find nothing of it", "loam scan "+string(c.ID))
		return
	}
	if err == nil {
		err = readAll(ctx, snapshot)
	}
	if err != nil {
		k.found(subject, "", err)
		return
	}
	k.found(subject, fmt.Sprintf("%s, %s, scanned %s", text.Count(snapshot.Counts.Tables, "table"), text.Count(snapshot.Counts.Columns, "column"), text.Ago(snapshot.ExtractedAt)), nil)
	if snapshot.Source != "" && snapshot.Source != c.Source() {
		k.warn(subject, "loam.yaml leads to another warehouse than the one that was scanned", "loam scan "+string(c.ID))
	}
	if time.Since(snapshot.ExtractedAt) > oldAfter {
		k.warn(subject, "what was scanned is old: "+text.Clock(snapshot.ExtractedAt), "loam scan "+string(c.ID))
	}
	if n := len(snapshot.Coverage.Warnings); n > 0 {
		k.warn(subject, "the last scan ended with "+text.Count(n, "warning"), "see them: loam catalog list")
	}
	k.decisions(ctx, c, snapshot)
}

// readAll reads every block of a snapshot.
func readAll(ctx context.Context, snapshot *catalog.Snapshot) error {
	for i := range snapshot.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := snapshot.At(i); err != nil {
			return err
		}
		if _, err := snapshot.Profile(i); err != nil {
			return err
		}
	}
	attached, err := snapshot.Attachment()
	if err != nil {
		return err
	}
	_, err = relationship.Decode(attached)
	return err
}

// decisions looks for what a person decided of tables and columns that are gone.
func (k *check) decisions(ctx context.Context, c connection.Connection, snapshot *catalog.Snapshot) {
	subject := "relationships " + string(c.ID)
	all, err := k.service.config.Review.List(ctx, review.Scope{Connection: c.ID, Snapshot: snapshot})
	if err != nil {
		k.found(subject, "", err)
		return
	}
	for _, l := range all {
		if l.Stale {
			k.warn(subject, "a decision is about tables or columns that are gone: "+l.Text(),
				fmt.Sprintf("loam catalog relationships forget -c %s %s", c.ID, l.ID))
		}
	}
}
