package wire

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// session is an open connection in another process.
type session struct {
	client *Client
	id     string
	info   sdk.ServerInfo
}

var (
	_ sdk.Session       = (*session)(nil)
	_ sdk.StateReporter = (*session)(nil)
	_ sdk.QueryCanceler = (*session)(nil)
)

func (s *session) Server() sdk.ServerInfo { return s.info }

func (s *session) Ping(ctx context.Context) error {
	_, err := s.State(ctx)
	return err
}

// State is "" where the connector does not say it.
func (s *session) State(ctx context.Context) (sdk.State, error) {
	answer, err := ask(ctx, s.client, s.client.rpc.Ping, &pb.PingRequest{ConnectionId: text(s.id)})
	return sdk.State(answer.GetState()), err
}

// CancelQuery is KindUnsupported where Capabilities.CancelQuery is not set.
func (s *session) CancelQuery(ctx context.Context, queryID string) (bool, error) {
	answer, err := ask(ctx, s.client, s.client.rpc.CancelQuery, &pb.CancelQueryRequest{ConnectionId: text(s.id), WarehouseQueryId: text(queryID)})
	return answer.GetWasRunning(), err
}

func (s *session) Close(ctx context.Context) error {
	_, err := s.client.rpc.Close(ctx, &pb.CloseRequest{ConnectionId: text(s.id)})
	return s.client.failure(ctx, err)
}

// Execute reads the result into w, which holds it to the limits once more: a
// connector that ignores them is cut off. The statement's timeout is also the
// deadline of the call.
func (s *session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	message, err := encodeExecute(s.id, req)
	if err != nil {
		return err
	}
	ctx, cancel := within(ctx, req.Limits.Timeout)
	defer cancel()
	open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.ResultEvent], error) {
		return s.client.rpc.Execute(ctx, message)
	}
	r := &resultReader{client: s.client, w: w}
	err = receive(ctx, s.client, open, r.event)
	if errors.Is(err, sdk.ErrLimit) {
		return nil // w knows what it has, and the rest was canceled
	}
	return err
}

// within shortens the deadline of a call to the timeout that its request names.
func within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

// resultReader holds the events of one result to the grammar
// "Started? Schema Batch* Summary".
type resultReader struct {
	client  *Client
	w       *sdk.RowWriter
	started bool
	columns []sdk.Column
	schema  bool
	rows    int64
	pace    pace
}

func (r *resultReader) event(event *pb.ResultEvent) (last bool, err error) {
	switch e := event.GetEvent().(type) {
	case *pb.ResultEvent_Started:
		if r.started || r.schema {
			return false, r.client.broken("a result was started twice or after its columns")
		}
		r.started = true
		return false, r.w.Started(e.Started.GetWarehouseQueryId())
	case *pb.ResultEvent_Schema:
		if r.schema {
			return false, r.client.broken("a result has two lists of columns")
		}
		r.schema, r.columns = true, convert(e.Schema.GetColumns(), decodeColumn)
		return false, r.w.Columns(r.columns...)
	case *pb.ResultEvent_Batch:
		if !r.schema {
			return false, r.client.broken("a batch came before the columns")
		}
		return false, r.batch(e.Batch)
	case *pb.ResultEvent_Progress:
		r.pace.report(r.client.scrubber, r.w.Progress, e.Progress)
	case *pb.ResultEvent_Notice:
		r.w.Notice(r.client.scrubber.warning(decodeWarning(e.Notice)))
	case *pb.ResultEvent_Summary:
		return true, r.summary(decodeSummary(e.Summary))
	}
	return false, nil // a heartbeat, or an event of a later minor version
}

func (r *resultReader) batch(message *pb.Batch) error {
	batch, err := r.client.batch(message, r.columns)
	if err != nil {
		return err
	}
	r.rows += int64(batch.Rows)
	return r.w.Batch(batch)
}

func (r *resultReader) summary(s sdk.Summary) error {
	if !r.schema {
		return r.client.broken("a result ended without its columns")
	}
	if s.Rows != r.rows {
		return r.client.broken("a result claims %d rows and has %d", s.Rows, r.rows)
	}
	r.w.Adopt(s)
	return nil
}

// maxBatchRows bounds a batch of no columns, which costs nothing to claim.
const maxBatchRows = 1 << 20

// batch decodes a batch and checks it before anybody indexes into it.
func (c *Client) batch(message *pb.Batch, columns []sdk.Column) (*sdk.Batch, error) {
	if message.GetRows() > maxBatchRows {
		return nil, c.broken("a batch claims %d rows", message.GetRows())
	}
	batch := decodeBatch(message)
	if err := batch.Check(columns); err != nil {
		return nil, c.broken("%w", err)
	}
	return batch, nil
}

// Scan hands on each table as it comes.
func (s *session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	var summary sdk.ScanSummary
	var p pace
	open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.ScanEvent], error) {
		return s.client.rpc.Scan(ctx, encodeScan(s.id, req))
	}
	err := receive(ctx, s.client, open, func(event *pb.ScanEvent) (bool, error) {
		switch e := event.GetEvent().(type) {
		case *pb.ScanEvent_Table:
			return false, w.Table(decodeTable(e.Table))
		case *pb.ScanEvent_Warning:
			return false, w.Warning(s.client.scrubber.warning(decodeWarning(e.Warning)))
		case *pb.ScanEvent_Progress:
			p.report(s.client.scrubber, w.Progress, e.Progress)
		case *pb.ScanEvent_Done:
			summary = decodeScanSummary(e.Done)
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	return summary, nil
}
