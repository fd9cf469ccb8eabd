// Package catalog stores snapshots: the tables, keys and statistics that a scan
// found in a warehouse, one immutable file per connection and content.
//
// A connection's folder holds "head.json", which lists the last snapshots,
// newest last, one "<content>.pack" for each, and "lock". A scan writes a pack
// beside the others and renames it, then replaces the head: whoever is killed
// in between leaves the head, and so the snapshots, as they were. Readers look
// at the head on every call; there is nothing else to invalidate.
//
// Layout of a pack, all numbers little-endian:
//
//	header      magic, format, place of the directory, SHA-256 of it
//	dictionary  the content that blocks share, for the compressor
//	blocks      one zstd frame per table, and one per profile
//	directory   a record of fixed width per table in the order of their names,
//	            the tables in the order of their folded names, the strings
//
// The directory has the hash of every block and the header that of the
// directory: every bit is verified by the time it is used. The file is named
// after its content, wherever that stands in it. A rescan under the
// same dictionary takes over the blocks that did not change as they are.
package catalog
