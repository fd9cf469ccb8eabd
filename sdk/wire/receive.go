package wire

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// receive reads a stream of events to its end. handle gets each event and says
// when it was the last one of the grammar. An error of handle cancels the rest
// and comes back as it is.
func receive[E any](ctx context.Context, c *Client, open func(context.Context) (grpc.ServerStreamingClient[E], error),
	handle func(*E) (last bool, err error),
) error {
	ctx, stop := c.patient(ctx)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stream, err := open(ctx)
	if err != nil {
		return c.failure(ctx, err)
	}
	silence := time.AfterFunc(stallAfter, func() { cancel(c.stalled()) })
	defer silence.Stop()
	var waited time.Duration // for the connector
	for done := false; ; {
		silence.Reset(stallAfter)
		asked := time.Now()
		event, err := stream.Recv()
		waited += time.Since(asked)
		silence.Stop() // how long the receiver takes is not the connector's fault
		if ended, err := c.streamEnd(ctx, err); ended {
			if err == nil && !done {
				return c.broken("the stream ended without its closing event")
			}
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && waited < answerGrace {
				return readLate() // handle took the time
			}
			return err
		}
		if done {
			return c.broken("an event came after the closing one")
		}
		done, err = handle(event)
		if err != nil {
			return err
		}
	}
}

// pace drops the progress reports of a connector that sends them faster than an outlet
// does, and removes the secrets from the others. The zero pace drops none of the first
// burst.
type pace struct {
	began  time.Time
	passed int
}

func (p *pace) report(scrubber *Scrubber, to func(sdk.Progress), report *pb.Progress) {
	const burst = 100
	if p.began.IsZero() {
		p.began = time.Now()
	}
	if p.passed < burst+int(2*time.Since(p.began)/progressEvery) {
		p.passed++
		to(scrubber.progress(decodeProgress(report)))
	}
}

func (c *Client) stalled() *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "%s sent nothing for %s", c.name(), stallAfter).
		WithHint("repeat the call")
	e.Retry = true
	return e
}

func readLate() *sdk.Error {
	e := sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the time allowed was over before the result was read")
	e.Retry = true
	return e
}

// streamEnd says whether a Recv ended the stream, and with which error.
func (c *Client) streamEnd(ctx context.Context, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return true, c.failure(ctx, err)
}
