// Package console tests the console on the real program: over HTTP, and in Chromium where that is installed.
// It is a module of its own, so that what drives a browser is in no other module's graph, and imports nothing of Loam.
package console
