package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func (s *server) Execute(req *pb.ExecuteRequest, stream grpc.ServerStreamingServer[pb.ResultEvent]) (err error) {
	defer s.settle("execute", &err)
	run := func(ctx context.Context, session sdk.Session) error {
		started := time.Now()
		out := openOutlet(stream,
			&pb.ResultEvent{Event: &pb.ResultEvent_Heartbeat{Heartbeat: &pb.Heartbeat{}}},
			func(p *pb.Progress) proto.Message {
				return &pb.ResultEvent{Event: &pb.ResultEvent_Progress{Progress: p}}
			})
		defer out.close()
		request := decodeExecute(req)
		w := sdk.NewRowWriter(&resultSink{out: out, scrubber: s.scrubber, micros: s.hostMinor.Load() < minorNanos}, request.Limits)
		if err := session.Execute(ctx, request, w); err != nil && !errors.Is(err, sdk.ErrLimit) {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		summary := w.Summary()
		summary.Elapsed = time.Since(started)
		return out.finish(&pb.ResultEvent{Event: &pb.ResultEvent_Summary{Summary: encodeSummary(summary)}})
	}
	return s.call(stream.Context(), req.GetConnectionId(), req.GetRequestId(), run)
}

// resultSink sends a result; the RowWriter before it holds the grammar.
type resultSink struct {
	out      *outlet
	scrubber *Scrubber
	columns  []sdk.Column
	schema   bool
	micros   bool // the host reads microseconds alone
	encoder  batchEncoder
	event    pb.ResultEvent
	batch    pb.ResultEvent_Batch
}

// Started comes before the columns or, on the wire, not at all: the summary
// names the query again.
func (s *resultSink) Started(queryID string) error {
	if s.schema {
		return nil
	}
	return s.out.emit(&pb.ResultEvent{Event: &pb.ResultEvent_Started{Started: &pb.Started{WarehouseQueryId: text(queryID)}}})
}

func (s *resultSink) Columns(columns []sdk.Column) error {
	s.schema, s.columns = true, slices.Clone(columns)
	return s.out.emit(&pb.ResultEvent{Event: &pb.ResultEvent_Schema{Schema: encodeSchemaEvent(columns)}})
}

func (s *resultSink) Batch(b *sdk.Batch) error {
	if s.micros {
		s.cutNanos(b)
	}
	s.batch.Batch = s.encoder.encode(b)
	s.event.Event = &s.batch
	return s.out.emitBounded(&s.event)
}

// minorNanos is the minor of the contract that has Vector.nanos.
const minorNanos = 1

// CodeTimeCut is the code of the notice that times are truncated for a host of an
// earlier minor.
const CodeTimeCut = "loam:time_cut"

// cutNanos tells a host that reads microseconds, once for each column, that digits of
// it are lost.
func (s *resultSink) cutNanos(b *sdk.Batch) {
	for i := range b.Columns {
		if c := &s.columns[i]; c.Finer() && slices.ContainsFunc(b.Columns[i].Nanos, func(n uint32) bool { return n != 0 }) {
			s.Notice(sdk.Warning{
				Object: c.Name, Code: CodeTimeCut,
				Message: fmt.Sprintf("times of column %q have %d digits of a second in the warehouse; 6 are shown, the rest is cut off: update loam", c.Name, c.TimeDigits),
			})
			c.TimeDigits = 0 // told
		}
	}
}

func (s *resultSink) Progress(p sdk.Progress) { s.out.progress(p) }

func (s *resultSink) Notice(n sdk.Warning) {
	_ = s.out.emit(&pb.ResultEvent{Event: &pb.ResultEvent_Notice{Notice: encodeWarning(s.scrubber.warning(n))}}) // best effort
}

func encodeSchemaEvent(columns []sdk.Column) *pb.Schema {
	return &pb.Schema{Columns: convert(columns, encodeColumn)}
}

func (s *server) Scan(req *pb.ScanRequest, stream grpc.ServerStreamingServer[pb.ScanEvent]) (err error) {
	defer s.settle("scan", &err)
	run := func(ctx context.Context, session sdk.Session) error {
		out := openOutlet(stream,
			&pb.ScanEvent{Event: &pb.ScanEvent_Heartbeat{Heartbeat: &pb.Heartbeat{}}},
			func(p *pb.Progress) proto.Message {
				return &pb.ScanEvent{Event: &pb.ScanEvent_Progress{Progress: p}}
			})
		defer out.close()
		summary, err := session.Scan(ctx, decodeScan(req), &scanWriter{out: out, scrubber: s.scrubber})
		if err != nil {
			return err
		}
		return out.finish(&pb.ScanEvent{Event: &pb.ScanEvent_Done{Done: encodeScanSummary(summary)}})
	}
	return s.call(stream.Context(), req.GetConnectionId(), "", run)
}

type scanWriter struct {
	out      *outlet
	scrubber *Scrubber
}

// CodeTableTooLarge is the code of the warning that replaces a table whose
// description does not fit a message.
const CodeTableTooLarge = "loam:table_too_large"

func (w *scanWriter) Table(t *sdk.Table) error {
	event := &pb.ScanEvent{Event: &pb.ScanEvent_Table{Table: encodeTable(t)}}
	if proto.Size(event) > MaxMessageBytes {
		return w.Warning(sdk.Warning{
			Object: t.TableRef.String(), Code: CodeTableTooLarge,
			Message: "the description of the table is larger than 16 MiB and was left out",
		})
	}
	return w.out.emitBounded(event)
}

func (w *scanWriter) Warning(warning sdk.Warning) error {
	return w.out.emit(&pb.ScanEvent{Event: &pb.ScanEvent_Warning{Warning: encodeWarning(w.scrubber.warning(warning))}})
}

func (w *scanWriter) Progress(p sdk.Progress) { w.out.progress(p) }

func (s *server) QueryLog(req *pb.QueryLogRequest, stream grpc.ServerStreamingServer[pb.QueryLogEvent]) (err error) {
	defer s.settle("query_log", &err)
	run := func(ctx context.Context, session sdk.Session) error {
		logger, ok := session.(sdk.QueryLogger)
		if !ok {
			return unsupported("read the log of past queries")
		}
		out := openOutlet(stream,
			&pb.QueryLogEvent{Event: &pb.QueryLogEvent_Heartbeat{Heartbeat: &pb.Heartbeat{}}},
			func(p *pb.Progress) proto.Message {
				return &pb.QueryLogEvent{Event: &pb.QueryLogEvent_Progress{Progress: p}}
			})
		defer out.close()
		w := &logWriter{out: out}
		if err := logger.QueryLog(ctx, decodeQueryLog(req), w); err != nil {
			return err
		}
		return out.finish(&pb.QueryLogEvent{Event: &pb.QueryLogEvent_Done{Done: &pb.QueryLogDone{Entries: w.entries}}})
	}
	return s.call(stream.Context(), req.GetConnectionId(), "", run)
}

type logWriter struct {
	out     *outlet
	entries int64
}

func (w *logWriter) Entry(e sdk.QueryLogEntry) error {
	w.entries++
	return w.out.emit(&pb.QueryLogEvent{Event: &pb.QueryLogEvent_Entry{Entry: encodeLogEntry(e)}})
}

func (w *logWriter) Progress(p sdk.Progress) { w.out.progress(p) }

// TestConnection has neither heartbeat nor progress: its steps are short, and
// the caller's deadline ends it.
func (s *server) TestConnection(req *pb.TestConnectionRequest, stream grpc.ServerStreamingServer[pb.TestStep]) (err error) {
	defer s.settle("test_connection", &err)
	ctx, cancel := allowed(stream.Context())
	defer cancel()
	leave, err := s.admission.await(ctx, "")
	if err != nil {
		return ended(ctx, err)
	}
	defer leave()
	config := decodeConfig(req.GetConfig())
	s.scrubber.Add(config)
	request := sdk.OpenRequest{
		Config: config, MaxOpen: 1, StatementTimeout: duration(req.GetTimeoutMs(), time.Millisecond),
		MemoryBytes: req.GetMemoryBytes(), Resume: req.GetResume(),
	}
	var broken error
	err = s.backend.Connector().TestConnection(ctx, request, func(step sdk.TestStep) {
		if broken != nil {
			return
		}
		broken = stream.Send(encodeTestStep(s.scrubber.step(step)))
	})
	if err != nil {
		return ended(ctx, err)
	}
	return broken
}

// errorOf keeps a nil *sdk.Error a nil error.
func errorOf(e *sdk.Error) error {
	if e == nil {
		return nil
	}
	return e
}
