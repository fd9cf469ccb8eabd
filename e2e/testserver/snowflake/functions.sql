-- Functions of Snowflake on DuckDB. A TIMESTAMP_LTZ is STRUCT(ltz TIMESTAMP_NS), a
-- TIMESTAMP_TZ is STRUCT(tz TIMESTAMP_NS, off SMALLINT): an instant in UTC, and minutes.
-- OBJECT, ARRAY and GEOGRAPHY are structures of one tagged field; a VARIANT is JSON.
CREATE SCHEMA memory.sf;

-- The zone of the session.
CREATE MACRO sf_zone() AS getvariable('zone');

-- Between a wall clock in a zone and UTC, exact to the nanosecond.
CREATE MACRO sf_from_zone(w, z) AS make_timestamp_ns(epoch_ns(w)
  - 1000 * (epoch_us(CAST(w AS TIMESTAMP)) - epoch_us(CAST(w AS TIMESTAMP) AT TIME ZONE z)));
CREATE MACRO sf_to_zone(u, z) AS make_timestamp_ns(epoch_ns(u)
  + 1000 * (epoch_us((CAST(u AS TIMESTAMP) AT TIME ZONE 'UTC') AT TIME ZONE z) - epoch_us(CAST(u AS TIMESTAMP))));

-- What the text of a value says: its wall clock and its offset in minutes, NULL if it has none.
CREATE MACRO sf_wall(t) AS CAST(regexp_extract(t,
  '[0-9]{1,6}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)?') AS TIMESTAMP_NS);
CREATE MACRO sf_explicit(t) AS CASE
  WHEN regexp_matches(t, ':[0-9.]+ ?Z$') THEN 0
  WHEN regexp_matches(t, ':[0-9.]+ ?[+-][0-9]{2}(:?[0-9]{2})?$') THEN
    (CASE WHEN regexp_extract(t, ' ?([+-])[0-9]{2}(:?[0-9]{2})?$', 1) = '-' THEN -1 ELSE 1 END)
    * (60 * TRY_CAST(regexp_extract(t, '[+-]([0-9]{2}):?([0-9]{2})?$', 1) AS BIGINT)
      + coalesce(TRY_CAST(regexp_extract(t, '[+-]([0-9]{2}):?([0-9]{2})?$', 2) AS BIGINT), 0)) END;
CREATE MACRO sf_off(t) AS TRY_CAST(regexp_extract(t, 'off''?: (-?[0-9]+)', 1) AS BIGINT);

CREATE MACRO sf_instant(x) AS CASE
  WHEN typeof(x) LIKE 'STRUCT(%' THEN sf_wall(CAST(x AS VARCHAR))
  WHEN typeof(x) = 'TIMESTAMP WITH TIME ZONE' THEN sf_wall(CAST(x AS VARCHAR))
  WHEN sf_explicit(CAST(x AS VARCHAR)) IS NOT NULL THEN
    make_timestamp_ns(epoch_ns(sf_wall(CAST(x AS VARCHAR))) - 60000000000 * sf_explicit(CAST(x AS VARCHAR)))
  ELSE sf_from_zone(sf_wall(CAST(x AS VARCHAR)), sf_zone()) END;
CREATE MACRO sf_minutes(u, z) AS CAST((epoch_ns(sf_to_zone(u, z)) - epoch_ns(u)) // 60000000000 AS SMALLINT);
CREATE MACRO sf_offset(x) AS CAST(coalesce(
  CASE WHEN typeof(x) LIKE 'STRUCT(tz%' THEN sf_off(CAST(x AS VARCHAR)) WHEN typeof(x) LIKE 'STRUCT(%' THEN NULL
    WHEN typeof(x) = 'TIMESTAMP WITH TIME ZONE' THEN NULL
    ELSE sf_explicit(CAST(x AS VARCHAR)) END,
  sf_minutes(sf_instant(x), sf_zone())) AS SMALLINT);

-- An argument that a macro has more than once would grow with each nesting: a lambda binds it once.
CREATE MACRO sf_ltz(x) AS list_transform([x], lambda l: CASE WHEN l IS NULL THEN NULL ELSE struct_pack(ltz := sf_instant(l)) END)[1];
CREATE MACRO sf_tz(x) AS list_transform([x], lambda z: CASE WHEN z IS NULL THEN NULL ELSE struct_pack(tz := sf_instant(z), off := sf_offset(z)) END)[1];
CREATE MACRO sf_local(x) AS CASE
  WHEN typeof(x) LIKE 'STRUCT(tz%' THEN
    make_timestamp_ns(epoch_ns(sf_wall(CAST(x AS VARCHAR))) + 60000000000 * sf_off(CAST(x AS VARCHAR)))
  WHEN typeof(x) LIKE 'STRUCT(%' OR typeof(x) = 'TIMESTAMP WITH TIME ZONE' THEN
    sf_to_zone(sf_wall(CAST(x AS VARCHAR)), sf_zone())
  WHEN typeof(x) LIKE '%INT' OR typeof(x) = 'INTEGER' OR typeof(x) LIKE 'DECIMAL%' THEN make_timestamp_ns(1000000000 * TRY_CAST(CAST(x AS VARCHAR) AS BIGINT))
  ELSE sf_wall(CASE WHEN typeof(x) LIKE '%INT' OR typeof(x) = 'INTEGER' OR typeof(x) LIKE 'DECIMAL%' THEN NULL ELSE CAST(x AS VARCHAR) END) END;
CREATE MACRO sf_ntz(x) AS list_transform([x], lambda n: sf_local(n))[1];
CREATE MACRO sf_date(x) AS CASE WHEN typeof(x) = 'DATE' THEN TRY_CAST(CAST(x AS VARCHAR) AS DATE)
  ELSE CAST(sf_ntz(x) AS DATE) END;
CREATE MACRO sf_time(x) AS CAST(regexp_extract(CAST(x AS VARCHAR), '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?') AS TIME_NS);

CREATE MACRO sf_json(x) AS CASE
  WHEN typeof(x) IN ('STRUCT("object" JSON)', 'STRUCT(object JSON)') THEN json_extract(to_json(x), '$.object')
  WHEN typeof(x) IN ('STRUCT("array" JSON)', 'STRUCT(array JSON)') THEN json_extract(to_json(x), '$.array')
  WHEN typeof(x) IN ('TIMESTAMP_NS', 'DATE', 'TIME_NS') THEN to_json(CAST(x AS VARCHAR))
  ELSE to_json(x) END;
CREATE MACRO sf_variant(x) AS sf_json(x);
CREATE MACRO sf_object(x) AS CASE WHEN x IS NULL THEN NULL ELSE struct_pack(object := sf_json(x)) END;
CREATE MACRO sf_array(x) AS CASE WHEN x IS NULL THEN NULL ELSE struct_pack("array" := sf_json(x)) END;
CREATE MACRO sf_geography(x) AS CASE WHEN x IS NULL THEN NULL ELSE struct_pack(geography := CAST(x AS VARCHAR)) END;
CREATE MACRO sf_path(x, p) AS json_extract(sf_json(x), p);
CREATE MACRO sf_path_text(x, p) AS json_extract_string(sf_json(x), p);
CREATE MACRO sf_binary(x) AS unhex(CASE WHEN typeof(x) = 'BLOB' THEN hex(CAST(CAST(x AS VARCHAR) AS BLOB)) ELSE CAST(x AS VARCHAR) END);

CREATE MACRO sf_seconds(t) AS replace(substr(CAST(t AS VARCHAR), 1, 19), 'T', ' ')
  || '.' || substr(rpad(regexp_extract(CAST(t AS VARCHAR), '\.([0-9]+)', 1), 3, '0'), 1, 3);
CREATE MACRO sf_text(x) AS CASE
  WHEN typeof(x) = 'JSON' THEN json_extract_string(to_json(x), '$')
  WHEN typeof(x) = 'DOUBLE' THEN regexp_replace(CAST(x AS VARCHAR), '\.0$', '')
  WHEN typeof(x) = 'BLOB' THEN hex(CAST(CAST(x AS VARCHAR) AS BLOB))
  WHEN typeof(x) IN ('TIMESTAMP_NS', 'TIMESTAMP') THEN sf_seconds(sf_ntz(x))
  WHEN typeof(x) LIKE 'STRUCT(%ltz %' OR typeof(x) LIKE 'STRUCT(tz %' THEN sf_seconds(sf_ntz(x)) || ' '
    || CASE WHEN sf_offset(x) < 0 THEN '-' ELSE '+' END || lpad(CAST(abs(sf_offset(x)) // 60 AS VARCHAR), 2, '0')
    || lpad(CAST(abs(sf_offset(x)) % 60 AS VARCHAR), 2, '0')
  WHEN typeof(x) LIKE 'STRUCT(%geography %' THEN json_extract_string(to_json(x), '$.geography')
  WHEN typeof(x) LIKE 'STRUCT(%object%' OR typeof(x) LIKE 'STRUCT(%array%' THEN CAST(sf_json(x) AS VARCHAR)
  ELSE CAST(x AS VARCHAR) END;

CREATE MACRO sf_convert(z, x) AS list_transform([x], lambda c: CASE WHEN c IS NULL THEN NULL
  ELSE struct_pack(tz := sf_instant(c), off := sf_minutes(sf_instant(c), z)) END)[1];
CREATE MACRO sf_convert_from(f, z, x) AS list_transform([sf_ntz(x)], lambda w: list_transform([sf_from_zone(w, f)], lambda u: sf_to_zone(u, z))[1])[1];

CREATE MACRO sf_trunc(u, x DATE) AS CAST(datetrunc(u, x) AS DATE),
  (u, x TIMESTAMP) AS CAST(datetrunc(u, x) AS TIMESTAMP_NS),
  (u, x TIMESTAMP_NS) AS CAST(datetrunc(u, CAST(x AS TIMESTAMP)) AS TIMESTAMP_NS),
  (u, x STRUCT(ltz TIMESTAMP_NS)) AS struct_pack(ltz :=
    sf_from_zone(CAST(datetrunc(u, CAST(sf_to_zone(x.ltz, sf_zone()) AS TIMESTAMP)) AS TIMESTAMP_NS), sf_zone())),
  (u, x STRUCT(tz TIMESTAMP_NS, off SMALLINT)) AS struct_pack(tz := make_timestamp_ns(epoch_ns(CAST(datetrunc(u,
    CAST(make_timestamp_ns(epoch_ns(x.tz) + 60000000000 * x.off) AS TIMESTAMP)) AS TIMESTAMP_NS)) - 60000000000 * x.off), off := x.off);

CREATE MACRO sf_field(u, t) AS CASE u WHEN 'epoch' THEN epoch_ns(t) // 1000000000 WHEN 'epoch_millisecond' THEN epoch_ns(t) // 1000000
  WHEN 'epoch_microsecond' THEN epoch_ns(t) // 1000 WHEN 'epoch_nanosecond' THEN epoch_ns(t) WHEN 'nanosecond' THEN epoch_ns(t) % 1000000000
  ELSE date_part(CASE WHEN starts_with(u, 'epoch_') OR u = 'nanosecond' THEN 'year' ELSE u END, CAST(t AS TIMESTAMP)) END;
CREATE MACRO sf_part(u, x DATE) AS sf_field(u, CAST(x AS TIMESTAMP_NS)), (u, x TIMESTAMP) AS sf_field(u, CAST(x AS TIMESTAMP_NS)),
  (u, x TIMESTAMP_NS) AS sf_field(u, x),
  (u, x STRUCT(ltz TIMESTAMP_NS)) AS CASE WHEN starts_with(u, 'epoch') THEN sf_field(u, x.ltz) ELSE sf_field(u, sf_to_zone(x.ltz, sf_zone())) END,
  (u, x STRUCT(tz TIMESTAMP_NS, off SMALLINT)) AS CASE WHEN starts_with(u, 'epoch') THEN sf_field(u, x.tz)
    ELSE sf_field(u, make_timestamp_ns(epoch_ns(x.tz) + 60000000000 * x.off)) END;

-- The months, and then the nanoseconds below a microsecond, which intervals lose.
CREATE MACRO sf_months(n, t) AS make_timestamp_ns(
  epoch_ns(CAST(CAST(t AS TIMESTAMP) + to_months(CAST(n AS INTEGER)) AS TIMESTAMP_NS)) + (epoch_ns(t) - 1000 * epoch_us(CAST(t AS TIMESTAMP))));
CREATE MACRO sf_nanos(n, t) AS make_timestamp_ns(epoch_ns(t) + CAST(n AS BIGINT));
CREATE MACRO sf_add_months(n, x DATE) AS CAST(x + to_months(CAST(n AS INTEGER)) AS DATE),
  (n, x TIMESTAMP) AS sf_months(n, CAST(x AS TIMESTAMP_NS)),
  (n, x TIMESTAMP_NS) AS sf_months(n, x),
  (n, x STRUCT(ltz TIMESTAMP_NS)) AS struct_pack(ltz := sf_from_zone(sf_months(n, sf_to_zone(x.ltz, sf_zone())), sf_zone()));
CREATE MACRO sf_add_days(n, x DATE) AS x + CAST(n AS INTEGER),
  (n, x TIMESTAMP) AS sf_nanos(86400000000000 * n, CAST(x AS TIMESTAMP_NS)),
  (n, x TIMESTAMP_NS) AS sf_nanos(86400000000000 * n, x),
  (n, x STRUCT(ltz TIMESTAMP_NS)) AS struct_pack(ltz := sf_from_zone(sf_nanos(86400000000000 * n, sf_to_zone(x.ltz, sf_zone())), sf_zone()));
CREATE MACRO sf_add_nanos(n, x DATE) AS sf_nanos(n, CAST(x AS TIMESTAMP_NS)),
  (n, x TIMESTAMP) AS sf_nanos(n, CAST(x AS TIMESTAMP_NS)),
  (n, x TIMESTAMP_NS) AS sf_nanos(n, x),
  (n, x STRUCT(ltz TIMESTAMP_NS)) AS struct_pack(ltz := sf_nanos(n, x.ltz)),
  (n, x STRUCT(tz TIMESTAMP_NS, off SMALLINT)) AS struct_pack(tz := sf_nanos(n, x.tz), off := x.off);

CREATE MACRO EQUAL_NULL(a, b) AS a IS NOT DISTINCT FROM b;
CREATE MACRO IFF(c, a, b) AS CASE WHEN c THEN a ELSE b END;
CREATE MACRO NVL(a, b) AS coalesce(a, b);
CREATE MACRO NVL2(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END;
CREATE MACRO ZEROIFNULL(a) AS coalesce(a, 0);
CREATE MACRO NULLIFZERO(a) AS nullif(a, 0);
CREATE MACRO DIV0(a, b) AS CASE WHEN b = 0 THEN 0 ELSE a / b END;
CREATE MACRO STARTSWITH(a, b) AS starts_with(a, b);
CREATE MACRO ENDSWITH(a, b) AS ends_with(a, b);
CREATE MACRO DAYOFWEEKISO(x) AS isodow(sf_ntz(x));
CREATE MACRO TO_TIMESTAMP_NTZ(x) AS sf_ntz(x),
  (x, s) AS make_timestamp_ns(CAST(x AS BIGINT) * CAST(pow(10, 9 - s) AS BIGINT));
CREATE MACRO TO_TIMESTAMP_TZ(x) AS sf_tz(x);
CREATE MACRO TO_TIMESTAMP_LTZ(x) AS sf_ltz(x),
  (x, s) AS struct_pack(ltz := make_timestamp_ns(CAST(x AS BIGINT) * CAST(pow(10, 9 - s) AS BIGINT)));
CREATE MACRO TO_DATE(x) AS sf_date(x);
CREATE MACRO TO_TIME(x) AS sf_time(x);
CREATE MACRO TO_VARCHAR(x) AS sf_text(x);
CREATE MACRO TO_VARIANT(x) AS sf_variant(x);
CREATE MACRO TO_OBJECT(x) AS sf_object(x);
CREATE MACRO TO_ARRAY(x) AS sf_array(x);
CREATE MACRO TO_GEOGRAPHY(x) AS sf_geography(x);
CREATE MACRO TO_BINARY(x) AS sf_binary(x), (x, f) AS CASE upper(f) WHEN 'HEX' THEN unhex(x) WHEN 'UTF-8' THEN encode(x)
  WHEN 'BASE64' THEN from_base64(x) ELSE error('TO_BINARY: unknown format ' || f) END;
CREATE MACRO PARSE_JSON(x) AS CAST(x AS JSON);
CREATE MACRO TRY_PARSE_JSON(x) AS TRY_CAST(x AS JSON);
CREATE MACRO SYSDATE() AS CAST(now() AT TIME ZONE 'UTC' AS TIMESTAMP_NS);
CREATE MACRO sf_now() AS struct_pack(ltz := CAST(now() AT TIME ZONE 'UTC' AS TIMESTAMP_NS));
CREATE MACRO CURRENT_VERSION() AS '9.36.1';
CREATE MACRO COUNT_IF(c) AS count(CASE WHEN c THEN 1 END);
CREATE MACRO ARRAY_SIZE(x) AS json_array_length(sf_json(x));
