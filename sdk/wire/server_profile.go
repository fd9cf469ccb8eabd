package wire

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func (s *server) Profile(req *pb.ProfileRequest, stream grpc.ServerStreamingServer[pb.ProfileEvent]) (err error) {
	defer s.settle("profile", &err)
	run := func(ctx context.Context, session sdk.Session) error {
		profiler, ok := session.(sdk.Profiler)
		if !ok {
			return unsupported("profile a table")
		}
		started := time.Now()
		out := openOutlet(stream,
			&pb.ProfileEvent{Event: &pb.ProfileEvent_Heartbeat{Heartbeat: &pb.Heartbeat{}}},
			func(p *pb.Progress) proto.Message {
				return &pb.ProfileEvent{Event: &pb.ProfileEvent_Progress{Progress: p}}
			})
		defer out.close()
		request := decodeProfile(req)
		w := newProfileWriter(out, s.scrubber, request.Limits)
		if err := profiler.Profile(ctx, request, w); err != nil {
			return err
		}
		if err := w.endSample(); err != nil {
			return err
		}
		summary := w.sample.Summary()
		summary.Elapsed = time.Since(started)
		return out.finish(&pb.ProfileEvent{Event: &pb.ProfileEvent_Summary{Summary: encodeSummary(summary)}})
	}
	return s.call(stream.Context(), req.GetConnectionId(), "", run)
}

// profileWriter holds the order of a profile: the sample, then the statistics.
type profileWriter struct {
	out      *outlet
	scrubber *Scrubber
	sample   *sdk.RowWriter
	sink     *sampleSink
}

func newProfileWriter(out *outlet, scrubber *Scrubber, limits sdk.Limits) *profileWriter {
	sink := &sampleSink{out: out, scrubber: scrubber}
	return &profileWriter{out: out, scrubber: scrubber, sample: sdk.NewRowWriter(sink, limits), sink: sink}
}

func (w *profileWriter) Sample() *sdk.RowWriter { return w.sample }

// endSample sends what the sample still holds, the first time it is called.
func (w *profileWriter) endSample() error {
	if w.sink.ended {
		return nil
	}
	var err error
	if w.sink.columns {
		err = w.sample.Close()
	}
	w.sink.ended = true
	return err
}

func (w *profileWriter) Stats(stats sdk.ColumnStats) error {
	if err := w.endSample(); err != nil {
		return err
	}
	return w.out.emit(&pb.ProfileEvent{Event: &pb.ProfileEvent_Stats{Stats: encodeStats(stats)}})
}

func (w *profileWriter) Warning(warning sdk.Warning) error {
	return w.out.emit(&pb.ProfileEvent{Event: &pb.ProfileEvent_Warning{Warning: encodeWarning(w.scrubber.warning(warning))}})
}

func (w *profileWriter) Progress(p sdk.Progress) { w.out.progress(p) }

// sampleSink sends the sample of a profile.
type sampleSink struct {
	out      *outlet
	scrubber *Scrubber
	columns  bool
	ended    bool
	encoder  batchEncoder
}

func (s *sampleSink) Started(string) error { return nil }

func (s *sampleSink) Columns(columns []sdk.Column) error {
	if s.ended {
		return errLateSample()
	}
	s.columns = true
	return s.out.emit(&pb.ProfileEvent{Event: &pb.ProfileEvent_Schema{Schema: encodeSchemaEvent(columns)}})
}

func (s *sampleSink) Batch(b *sdk.Batch) error {
	if s.ended {
		return errLateSample()
	}
	return s.out.emitBounded(&pb.ProfileEvent{Event: &pb.ProfileEvent_Sample{Sample: s.encoder.encode(b)}})
}

func (s *sampleSink) Progress(p sdk.Progress) { s.out.progress(p) }

func (s *sampleSink) Notice(n sdk.Warning) {
	_ = s.out.emit(&pb.ProfileEvent{Event: &pb.ProfileEvent_Warning{Warning: encodeWarning(s.scrubber.warning(n))}}) // best effort
}

func errLateSample() error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a profile's sample came after its statistics")
}
