package wire

import pb "github.com/loam-data/loam/proto/connector/v1"

// StartedQuery returns the warehouse's id of a statement if the message is its
// started event.
func StartedQuery(event any) string {
	if e, ok := event.(*pb.ResultEvent); ok {
		return e.GetStarted().GetWarehouseQueryId()
	}
	return ""
}

// ConnectionOf returns the id of the connection that a request is about, "" if none.
func ConnectionOf(request any) string {
	if r, ok := request.(interface{ GetConnectionId() string }); ok {
		return r.GetConnectionId()
	}
	return ""
}
