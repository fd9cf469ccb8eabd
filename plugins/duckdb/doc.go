// Package duckdb is the connector for DuckDB: database files, and folders of CSV
// and Parquet files that are served as tables.
package duckdb
