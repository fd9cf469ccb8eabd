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
	image, err := k.service.config.Catalogs.Of(string(c.ID)).Latest()
	if sdk.KindOf(err) == sdk.KindNotFound {
		k.warn(subject, "never scanned: agents find nothing of it", "loam scan "+string(c.ID))
		return
	}
	if err == nil {
		err = readAll(ctx, image)
	}
	if err != nil {
		k.found(subject, "", err)
		return
	}
	k.found(subject, fmt.Sprintf("%s, %s, scanned %s", text.Count(image.Counts.Tables, "table"), text.Count(image.Counts.Columns, "column"), text.Ago(image.ExtractedAt)), nil)
	if image.Source != "" && image.Source != c.Source() {
		k.warn(subject, "loam.yaml leads to another warehouse than the one that was scanned", "loam scan "+string(c.ID))
	}
	if time.Since(image.ExtractedAt) > oldAfter {
		k.warn(subject, "what was scanned is old: "+text.Clock(image.ExtractedAt), "loam scan "+string(c.ID))
	}
	if n := len(image.Coverage.Warnings); n > 0 {
		k.warn(subject, "the last scan ended with "+text.Count(n, "warning"), "see them: loam catalog list")
	}
	k.decisions(ctx, c, image)
}

// readAll reads every block of a snapshot.
func readAll(ctx context.Context, image *catalog.Image) error {
	for i := range image.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := image.At(i); err != nil {
			return err
		}
		if _, err := image.Profile(i); err != nil {
			return err
		}
	}
	attached, err := image.Attachment()
	if err != nil {
		return err
	}
	_, err = relationship.Decode(attached)
	return err
}

// decisions looks for what a person decided of tables and columns that are gone.
func (k *check) decisions(ctx context.Context, c connection.Connection, image *catalog.Image) {
	subject := "relationships " + string(c.ID)
	all, err := k.service.config.Review.List(ctx, review.Snapshot{Connection: c.ID, Image: image})
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
