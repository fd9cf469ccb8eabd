package model

// SourceID is the index of a source in its Model. With keeps the ids of the
// previous Model, Build does not.
// Shape: Metrics is a source without rows.
type SourceID int32

// Metrics is the source that cross-source metrics belong to.
const Metrics SourceID = 0

// DimensionID, MeasureID, SegmentID and JoinID are a source and an index in it.
// The zero value is none.
type (
	DimensionID uint64
	MeasureID   uint64
	SegmentID   uint64
	JoinID      uint64
)

// Source returns the source that the dimension belongs to.
func (id DimensionID) Source() SourceID { return SourceID(id >> 32) }

// Source returns the home of the measure.
func (id MeasureID) Source() SourceID { return SourceID(id >> 32) }

// Source returns the source that the segment belongs to.
func (id SegmentID) Source() SourceID { return SourceID(id >> 32) }

// Source returns the source that declares the join.
func (id JoinID) Source() SourceID { return SourceID(id >> 32) }

// member makes an id; place counts from 0.
func member[ID ~uint64](s SourceID, place int) ID { return ID(s)<<32 | ID(place+1) }

// place is the reverse of member; -1 for none.
func place[ID ~uint64](id ID) int { return int(uint32(id)) - 1 }
