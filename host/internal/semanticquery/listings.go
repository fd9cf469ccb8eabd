package semanticquery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// MaxListed is the largest limit of Listings.
const MaxListed = 500

// ListingsRequest asks for the sources of connections.
type ListingsRequest struct {
	Connection connection.ID `json:"c"` // "" = all that are open to the caller
	// Text is that of a ListRequest.
	Text string `json:"t"`
	// All: scanned tables without a file too.
	All bool `json:"a"`
	// Limit bounds the sources of all connections: 0 = DefaultListed, negative = no limit.
	Limit int `json:"-"`
	// Cursor is the NextCursor of the answer before; "" = the first.
	Cursor string `json:"-"`
}

// Listings is the sources of connections, in the order of the connections.
// Shape: no list is nil. Total counts the sources of all connections. Metrics are in the first answer of a connection.
type Listings struct {
	Connections []*ListAnswer `json:"connections"`
	Total       int           `json:"total"`
	NextCursor  *string       `json:"nextCursor"`
}

// Listings lists sources in brief, those of several connections as one list.
// Errors: KindInvalid for a limit or a cursor that cannot be; those of List.
func (s *Service) Listings(ctx context.Context, r ListingsRequest) (*Listings, error) {
	if r.Limit > MaxListed {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "limit is %d", r.Limit).WithHint("ask for 1 to %d sources, and follow nextCursor", MaxListed)
	}
	if r.Limit == 0 {
		r.Limit = DefaultListed
	}
	ids, err := s.connectionsOf(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	_, at, _ := strings.Cut(r.Cursor, "-")
	offset, _ := strconv.Atoi(at) // a text that is no cursor is refused below
	out := &Listings{Connections: []*ListAnswer{}}
	listed := 0
	for _, id := range ids {
		one := ListRequest{Text: r.Text, Defined: !r.All, Limit: r.Limit, Offset: max(0, offset-out.Total)}
		if r.Limit > 0 {
			one.Limit = max(1, r.Limit-listed)
		}
		answer, err := s.List(ctx, id, one)
		if err != nil {
			return nil, err
		}
		if r.Limit > 0 && listed == r.Limit || one.Offset > 0 && one.Offset >= answer.Total {
			out.Total += answer.Total
			continue // it is on another page
		}
		if one.Offset > 0 {
			answer.Metrics = []SourceMetric{}
		}
		out.Total += answer.Total
		listed += len(answer.Sources)
		out.Connections = append(out.Connections, answer)
	}
	if r.Cursor != "" && (offset <= 0 || offset >= out.Total || r.Cursor != r.cursor(out.Total, offset)) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor belongs to other arguments, or the sources have changed").
			WithHint("leave cursor out to begin anew")
	}
	if offset+listed < out.Total {
		next := r.cursor(out.Total, offset+listed)
		out.NextCursor = &next
	}
	return out, nil
}

// connectionsOf returns a connection, or all that are open to the caller.
// Errors: KindNotFound for an unknown connection.
func (s *Service) connectionsOf(ctx context.Context, id connection.ID) (ids []connection.ID, err error) {
	registry, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if id != "" {
		_, err := registry.Get(id)
		return []connection.ID{id}, err
	}
	for _, c := range registry.All() {
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// cursor returns the cursor of an offset, which is valid for a request and a number of sources.
func (r ListingsRequest) cursor(total, offset int) string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has only texts
	}
	const bytes = 6
	sum := sha256.Sum256([]byte(string(text) + strconv.Itoa(total) + "-" + strconv.Itoa(offset)))
	return hex.EncodeToString(sum[:bytes]) + "-" + strconv.Itoa(offset)
}
