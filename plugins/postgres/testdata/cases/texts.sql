SELECT plain, short::varchar(5), padded::char(5), name, byte FROM (VALUES
  ('', 'ab'::varchar(5), 'ab'::char(5), 'pg_class'::name, 'x'::"char"),
  (E'tab\tnew\nline "quoted" \\ back', 'é', '東京', 'ü', NULL),
  ('naïve café 😀', NULL, NULL, NULL, '')) AS t (plain, short, padded, name, byte)
