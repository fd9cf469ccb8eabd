package discover

import (
	"context"
	"errors"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// MaxNames is the most names that a completion lists.
const MaxNames = 100

// Names are the first names that begin with a text, in order, without case. Total counts all of them.
type Names struct {
	Names []string
	Total int
}

func (n *Names) add(name func() string) {
	if n.Total++; len(n.Names) < MaxNames {
		n.Names = append(n.Names, name())
	}
}

// ConnectionIDs completes the id of a connection.
// Errors: those of warehouse.Set.Connections.
func (s *Service) ConnectionIDs(ctx context.Context, prefix string) (*Names, error) {
	connections, err := s.asked(ctx, "")
	if err != nil {
		return nil, err
	}
	n := &Names{}
	for _, c := range connections {
		if begins(string(c.ID), prefix) {
			n.add(func() string { return string(c.ID) })
		}
	}
	return n, nil
}

// TableNames completes the name of a scanned table: as it is displayed, or without its catalog and schema. A
// connection that was never scanned has none.
// Units: linear in the number of tables; it allocates only the names that it lists.
// Errors: KindNotFound for an unknown connection, KindUnavailable for a damaged catalog.
func (s *Service) TableNames(ctx context.Context, id connection.ID, prefix string) (*Names, error) {
	connections, err := s.asked(ctx, id)
	if err != nil {
		return nil, err
	}
	n := &Names{}
	for _, c := range connections {
		snapshot, err := s.Catalogs.Of(string(c.ID)).Latest()
		switch {
		case sdk.KindOf(err) == sdk.KindNotFound, id == "" && errors.Is(err, catalog.ErrDamaged):
			continue
		case err != nil:
			return nil, err
		}
		for _, e := range snapshot.Entries() {
			if tableBegins(e.TableRef, prefix) {
				n.add(func() string { return catalog.Display(e.TableRef) })
			}
		}
	}
	return n, nil
}

// tableBegins reports whether the name of a table begins with a text, at its catalog, its schema or its own name.
func tableBegins(ref sdk.TableRef, prefix string) bool {
	if strings.Contains(prefix, `"`) {
		return begins(catalog.Display(ref), prefix)
	}
	parts := [3]string{ref.Catalog, ref.Schema, ref.Name}
	for i, part := range parts {
		if (part != "" || i == len(parts)-1) && partsBegin(parts[i:], prefix) {
			return true
		}
	}
	return false
}

// partsBegin reports whether parts, joined by dots, begin with a text.
func partsBegin(parts []string, prefix string) bool {
	for i, part := range parts {
		if len(prefix) <= len(part) || i == len(parts)-1 {
			return begins(part, prefix)
		}
		if !begins(prefix, part) || prefix[len(part)] != '.' {
			return false
		}
		prefix = prefix[len(part)+1:]
	}
	return false
}

// PageKeys completes the key of a wiki page that the caller of ctx may read.
// Errors: those of wiki.Wiki.View.
func (s *Service) PageKeys(ctx context.Context, prefix string) (*Names, error) {
	view, err := s.Wiki.View(ctx)
	if err != nil {
		return nil, err
	}
	view = view.Only(func(p *wiki.Page) bool { return indexer.About(p, allowed(ctx)) })
	n := &Names{}
	for _, key := range view.Keys() {
		if begins(key, prefix) {
			n.add(func() string { return key })
		}
	}
	return n, nil
}

// begins reports whether a name begins with a text, without case.
func begins(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}
