package postgres

// WritesSQL is what tests explain.
const WritesSQL = writesSQL
