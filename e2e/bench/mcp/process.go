package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// resident is the memory of a process in MiB, or with its children.
func resident(pid int, children bool) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(text), "VmRSS:")
	if !found {
		return 0, fmt.Errorf("process %d holds no memory", pid)
	}
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		return 0, err
	}
	total := float64(kib) / 1024
	if !children {
		return total, nil
	}
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if fields[1] != strconv.Itoa(pid) {
			continue
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return 0, err
		}
		more, err := resident(child, true)
		if err != nil {
			return 0, err
		}
		total += more
	}
	return total, nil
}

// machine describes what the figures were taken on.
func machine(cpus int) string {
	model := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, found := strings.Cut(string(text), "model name"); found {
			line, _, _ := strings.Cut(rest, "\n")
			model = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
		}
	}
	return fmt.Sprintf("%d cores (%s)", cpus, model)
}

// load is how many processes ran or waited in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}
