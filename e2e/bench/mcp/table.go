package main

import (
	"fmt"
	"io"
	"strings"
)

type figure int

const (
	startTime figure = iota
	idle
	stdioP50
	stdioP99
	httpP50
	httpP99
	perSecond
	largeP50
	listSize
	loaded
	figureCount
)

// known is what a figure is called, how it is written and what the product is
// to reach.
var known = [figureCount]struct{ name, format, target string }{
	startTime: {"start until initialize is answered", "%.0f ms", "≤ 30 ms"},
	idle:      {"resident before the first call", "%.0f MiB", "≤ 30 MiB"},
	stdioP50:  {"small query, stdio, p50", "%.2f ms", "≤ 0.45 ms"},
	stdioP99:  {"small query, stdio, p99", "%.2f ms", ""},
	httpP50:   {"small query, HTTP, p50", "%.2f ms", "≤ 0.60 ms"},
	httpP99:   {"small query, HTTP, p99", "%.2f ms", ""},
	perSecond: {"small queries of 16 clients, HTTP", "%.0f/s", "≥ 4500/s"},
	largeP50:  {"1000 rows, HTTP, p50", "%.2f ms", "≤ 5 ms"},
	listSize:  {"tools/list", "%.0f bytes", "≤ 12288 bytes"},
	loaded:    {"resident after all of it, all processes", "%.0f MiB", ""},
}

// printTable writes a figure to a line; behind those of the peers stands how
// many times ours they are.
func printTable(w io.Writer, all []*subject) {
	head, rule := "| |", "|---|"
	for _, s := range all {
		head += " " + s.name + " |"
		rule += "---|"
	}
	fmt.Fprintf(w, "%s to reach |\n%s---|\n", head, rule)
	for f, k := range known {
		ours, have := all[0].typical(figure(f))
		cells := []string{k.name}
		for i, s := range all {
			value, ok := s.typical(figure(f))
			switch {
			case !ok:
				cells = append(cells, "n/a")
			case i > 0 && have && ours > 0:
				cells = append(cells, fmt.Sprintf(k.format+" (%.2f×)", value, value/ours))
			default:
				cells = append(cells, fmt.Sprintf(k.format, value))
			}
		}
		fmt.Fprintf(w, "| %s | %s |\n", strings.Join(cells, " | "), k.target)
	}
	for _, s := range all {
		for f, k := range known {
			if reason := s.reasons[figure(f)]; reason != "" {
				fmt.Fprintf(w, "\n%s, %s: n/a: %s\n", s.name, k.name, strings.TrimSpace(reason))
			}
		}
	}
}
