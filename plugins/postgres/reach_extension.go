package postgres

import (
	"strings"
)

// harmlessExtensions are those whose functions compute or read: what they do in
// C or in other languages is known, but for single functions that denials names.
// A function of another extension is taken at its author's word where it is
// IMMUTABLE or STABLE, and cannot be judged where it is VOLATILE.
var harmlessExtensions = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`
		address_standardizer address_standardizer_data_us adminpack amcheck autoinc bloom btree_gin btree_gist citext cube dict_int
		dblink dict_xsyn earthdistance file_fdw fuzzystrmatch h3 h3_postgis hll hstore hypopg insert_username intagg intarray ip4r isn jsquery
		lo ltree moddatetime mobilitydb pg_bigm pg_buffercache pg_freespacemap pg_hashids pg_hint_plan
		pg_ivm pg_jsonschema pg_logicalinspect pg_overexplain pg_qualstats pg_similarity pg_stat_kcache
		pg_stat_monitor pg_stat_statements pg_trgm pg_uuidv7 pg_visibility pg_wait_sampling pg_walinspect pgaudit
		pgcrypto pgrowlocks pgstattuple plpgsql postgis postgres_fdw postgis_raster postgis_sfcgal
		prefix pageinspect refint roaringbitmap rum seg semver smlar sslinfo tablefunc tcn tdigest
		temporal_tables timescaledb timescaledb_toolkit topn tsm_system_rows tsm_system_time unaccent unit uri uuid-ossp
		vector vectorscale xml2`) {
		names[name] = true
	}
	return names
}()
