package wire

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// Each optional ability is a type of its own, so that a session can be put
// together that implements exactly the declared ones.
type (
	explainer   struct{ s *session }
	validator   struct{ s *session }
	profiler    struct{ s *session }
	queryLogger struct{ s *session }
)

var (
	_ sdk.Explainer   = explainer{}
	_ sdk.Validator   = validator{}
	_ sdk.Profiler    = profiler{}
	_ sdk.QueryLogger = queryLogger{}
)

// withAbilities returns s as a type whose method set is what the capabilities
// declare.
func withAbilities(s *session, c sdk.Capabilities) sdk.Session {
	e, v, p, q := explainer{s}, validator{s}, profiler{s}, queryLogger{s}
	bits := 0
	for i, declared := range []bool{c.Explain, c.Validate, c.Profile, c.QueryLog} {
		if declared {
			bits |= 1 << i
		}
	}
	return [16]sdk.Session{
		s,
		struct {
			*session
			explainer
		}{s, e},
		struct {
			*session
			validator
		}{s, v},
		struct {
			*session
			explainer
			validator
		}{s, e, v},
		struct {
			*session
			profiler
		}{s, p},
		struct {
			*session
			explainer
			profiler
		}{s, e, p},
		struct {
			*session
			validator
			profiler
		}{s, v, p},
		struct {
			*session
			explainer
			validator
			profiler
		}{s, e, v, p},
		struct {
			*session
			queryLogger
		}{s, q},
		struct {
			*session
			explainer
			queryLogger
		}{s, e, q},
		struct {
			*session
			validator
			queryLogger
		}{s, v, q},
		struct {
			*session
			explainer
			validator
			queryLogger
		}{s, e, v, q},
		struct {
			*session
			profiler
			queryLogger
		}{s, p, q},
		struct {
			*session
			explainer
			profiler
			queryLogger
		}{s, e, p, q},
		struct {
			*session
			validator
			profiler
			queryLogger
		}{s, v, p, q},
		struct {
			*session
			explainer
			validator
			profiler
			queryLogger
		}{s, e, v, p, q},
	}[bits]
}

func (e explainer) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	message, err := encodeExplain(e.s.id, req)
	if err != nil {
		return sdk.Explanation{}, err
	}
	ctx, cancel := within(ctx, req.Timeout)
	defer cancel()
	answer, err := ask(ctx, e.s.client, e.s.client.rpc.Explain, message)
	if err != nil {
		return sdk.Explanation{}, err
	}
	return decodeExplanation(answer), nil
}

func (v validator) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	message, err := encodeValidate(v.s.id, req)
	if err != nil {
		return sdk.Validation{}, err
	}
	ctx, cancel := within(ctx, req.Timeout)
	defer cancel()
	answer, err := ask(ctx, v.s.client, v.s.client.rpc.Validate, message)
	if err != nil {
		return sdk.Validation{}, err
	}
	found := decodeValidation(answer)
	found.Warnings = convert(found.Warnings, v.s.client.scrubber.warning)
	return found, nil
}

func (q queryLogger) QueryLog(ctx context.Context, req sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	var p pace
	open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.QueryLogEvent], error) {
		return q.s.client.rpc.QueryLog(ctx, encodeQueryLog(q.s.id, req))
	}
	return receive(ctx, q.s.client, open, func(event *pb.QueryLogEvent) (bool, error) {
		switch e := event.GetEvent().(type) {
		case *pb.QueryLogEvent_Entry:
			return false, w.Entry(decodeLogEntry(e.Entry))
		case *pb.QueryLogEvent_Progress:
			p.report(q.s.client.scrubber, w.Progress, e.Progress)
		case *pb.QueryLogEvent_Done:
			return true, nil
		}
		return false, nil
	})
}

// Profile hands on the sample, then the statistics. A sample that reached the
// caller's limit does not end the profile.
func (p profiler) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.ProfileEvent], error) {
		return p.s.client.rpc.Profile(ctx, encodeProfile(p.s.id, req))
	}
	r := &profileReader{client: p.s.client, w: w}
	return receive(ctx, p.s.client, open, r.event)
}

// profileReader holds the events of one profile to the grammar
// "(Schema Batch*)? ColumnStats* Summary".
type profileReader struct {
	client  *Client
	w       sdk.ProfileWriter
	columns []sdk.Column
	schema  bool
	stats   bool
	full    bool
	pace    pace
}

func (r *profileReader) event(event *pb.ProfileEvent) (last bool, err error) {
	switch e := event.GetEvent().(type) {
	case *pb.ProfileEvent_Schema:
		if r.schema || r.stats {
			return false, r.client.broken("a profile's sample came twice or after its statistics")
		}
		r.schema, r.columns = true, convert(e.Schema.GetColumns(), decodeColumn)
		return false, r.enough(r.w.Sample().Columns(r.columns...))
	case *pb.ProfileEvent_Sample:
		if !r.schema || r.stats {
			return false, r.client.broken("sample rows came before their columns or after the statistics")
		}
		return false, r.batch(e.Sample)
	case *pb.ProfileEvent_Stats:
		r.stats = true
		return false, r.w.Stats(decodeStats(e.Stats))
	case *pb.ProfileEvent_Warning:
		return false, r.w.Warning(r.client.scrubber.warning(decodeWarning(e.Warning)))
	case *pb.ProfileEvent_Progress:
		r.pace.report(r.client.scrubber, r.w.Progress, e.Progress)
	case *pb.ProfileEvent_Summary:
		if s := decodeSummary(e.Summary); r.schema || s.BytesBilled > 0 || s.BytesScanned > 0 {
			r.w.Sample().Adopt(s)
		}
		return true, nil
	}
	return false, nil
}

func (r *profileReader) batch(message *pb.Batch) error {
	batch, err := r.client.batch(message, r.columns)
	if err != nil || r.full {
		return err
	}
	return r.enough(r.w.Sample().Batch(batch))
}

// enough notes that the caller wants no more of the sample.
func (r *profileReader) enough(err error) error {
	if errors.Is(err, sdk.ErrLimit) {
		r.full = true
		return nil
	}
	return err
}
