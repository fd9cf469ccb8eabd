package mcp

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// rateFlags say how often a client may call a tool.
type rateFlags struct{ rate, burst uint }

// add adds the flags with the rate that is usual.
func (f *rateFlags) add(flags *pflag.FlagSet, usual uint) {
	flags.UintVar(&f.rate, "rate", usual, "calls of one tool that a client may make per second; 0 = any number")
	flags.UintVar(&f.burst, "burst", 20, "calls of one tool that a client may make at once after a pause")
}

// limits are those of the server.
func (f *rateFlags) limits(grace time.Duration) transport.Limits {
	l := transport.Limits{Rate: int(f.rate), Burst: int(f.burst), Grace: grace}
	if f.rate == 0 {
		l.Rate = -1
	}
	return l
}
