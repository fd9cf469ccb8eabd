SELECT '0B1A5E2C-1111-4222-8333-444455556666'::uuid AS uuid, 'happy'::mood AS mood, 7::shoe_size AS domain, '192.168.0.1/24'::inet AS inet, '10.0.0.0/8'::cidr AS cidr,
  '08:00:2b:01:02:03'::macaddr AS mac, B'101'::bit(3) AS bits, B'1'::varbit(8) AS varbits, 12.5::float8::numeric::money AS money, '<a>b</a>'::xml AS xml,
  '(1,2)'::point AS point, '((0,0),(1,1))'::path AS path, 'pg_class'::regclass AS class, 'int4'::regtype AS type, 'a & b'::tsquery AS query, 'a:1 b:2'::tsvector AS vector,
  '16/B374D848'::pg_lsn AS lsn, '(0,1)'::tid AS tid, '5'::xid AS xid, '"a"=>"1", "b"=>NULL'::hstore AS hstore, 'MiXed'::citext AS citext, '$.a[*]'::jsonpath AS jsonpath, nothing() AS void
