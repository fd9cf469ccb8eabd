// Package timerange reads ranges of time as people write them (a day, a month, "last 7
// days") and resolves them to moments in a time zone.
package timerange
